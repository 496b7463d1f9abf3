"""BLEU and chrF are sacreBLEU's own, also where the numbers of references differ."""

from __future__ import annotations

import subprocess
import sys

import pytest
import sacrebleu

from regard.errors import UserError
from regard.evaluate.measure import Measure
from regard.evaluate.sacre import bleu, chrf

SAID = ["The cat sat on the mat.", "a dog runs through the snow", "", "It is Tuesday, isn't it?"]
RIGHT = [
    ["The cat is on the mat.", "The cat sat on a mat."],
    ["A dog runs through deep snow"],
    ["nothing was said"],
    ["It is Tuesday, isn't it?", "Today is Tuesday!", "Tuesday it is."],
]
FIRST = [right[0] for right in RIGHT]
# by hand: one stream of first references, one of second, one of third, None where there is none
STREAMS = [
    FIRST,
    ["The cat sat on a mat.", None, None, "Today is Tuesday!"],
    [None, None, None, "Tuesday it is."],
]


@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
def test_bleu_is_sacrebleu(tokenize):
    mine = bleu(SAID, RIGHT, tokenize=tokenize)
    theirs = sacrebleu.corpus_bleu(SAID, STREAMS, tokenize=tokenize)
    assert mine.value == pytest.approx(theirs.score, abs=1e-12)
    assert 0 < mine.value < 100
    assert "nrefs:var" in mine.signature
    assert f"tok:{tokenize}" in mine.signature
    assert "case:mixed" in mine.signature


def test_chrf_is_sacrebleu():
    assert chrf(SAID, RIGHT).value == pytest.approx(sacrebleu.corpus_chrf(SAID, STREAMS).score, abs=1e-12)
    assert chrf(SAID, RIGHT).name == "chrF2"


@pytest.mark.parametrize("measure", [bleu, chrf])
def test_references(measure):
    one = measure(SAID, [[text] for text in FIRST])
    assert "nrefs:1" in one.signature
    assert measure(SAID, RIGHT).value > one.value, "more right answers can only help here"
    assert measure(FIRST, RIGHT).value == pytest.approx(100)
    assert one.higher_is_better


def test_an_empty_reference_is_a_reference():
    assert "nrefs:1" in bleu(["a b c d", "e"], [["a b c d"], [""]]).signature
    assert bleu(["a b c d", ""], [["a b c d"], [""]]).value == pytest.approx(100)


def test_pre_tokenised_text_is_taken_as_it_is(caplog):
    said = ["a man does n't sleep ."] * 200
    assert bleu(said, [[text] for text in said], tokenize="none").value == pytest.approx(100)
    assert not caplog.records


@pytest.mark.parametrize("measure", [bleu, chrf])
def test_nothing_to_evaluate(measure):
    with pytest.raises(UserError, match="nothing to evaluate"):
        measure([], [])


def test_a_measure_is_shown_and_stored():
    measure = Measure("BLEU", 38.1, "nrefs:1|version:2.6.0", True)
    assert str(measure) == "BLEU 38.10"
    assert Measure(**measure.to_json()) == measure


def test_importing_is_light():
    rooms = "exact, error_rate, alignment, by_length, sacre, significance"
    program = f"import sys; from regard.evaluate import {rooms}; print([n for n in sys.modules if n in HEAVY])"
    heavy = "HEAVY = {'sacrebleu', 'numpy', 'torch'}; "
    assert (
        subprocess.run([sys.executable, "-c", heavy + program], capture_output=True, text=True).stdout.strip() == "[]"
    )
