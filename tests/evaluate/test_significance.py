"""Paired bootstrap: against its definition, against every resample there is, and against sacreBLEU's own."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from regard.evaluate.alignment import Gold, alignment_error_counts
from regard.evaluate.error_rate import error_counts
from regard.evaluate.exact import exact_counts, exact_match
from regard.evaluate.measure import Counts
from regard.evaluate.sacre import bleu, bleu_counts, chrf, chrf_counts
from regard.evaluate.significance import SEED, compare, samples_of

RNG = random.Random(4)
WORDS = ["".join(RNG.choices("abcdefgh", k=RNG.randint(1, 6))) for _ in range(100)]
RIGHT = [[" ".join(RNG.choices(WORDS, k=RNG.randint(2, 15)))] for _ in range(120)]


def noisy(share: float) -> list[str]:
    """The right answers with a share of the words replaced."""
    return [
        " ".join(RNG.choice(WORDS) if RNG.random() < share else word for word in right[0].split()) for right in RIGHT
    ]


GOOD, ALIKE, WORSE, BAD = (noisy(share) for share in (0.2, 0.22, 0.25, 0.5))


def counts(said: list[str]) -> list[Counts]:
    return KNOWN[tuple(said)]


def counts_of(said: list[str], right: list[list[str]]) -> list[Counts]:
    errors = error_counts(said, right, unit="word", names=("WER", "SER"))
    return [bleu_counts(said, right), chrf_counts(said, right), exact_counts(said, right), *errors]


KNOWN = {tuple(said): counts_of(said, RIGHT) for said in (GOOD, ALIKE, WORSE, BAD)}


def test_identical_systems_do_not_differ() -> None:
    for one in compare(counts(GOOD), counts(GOOD), num_resamples=99):
        assert (one.difference, one.low, one.high, one.p) == (0, 0, 0, 1)


def test_a_clearly_better_system_is_found() -> None:
    found = compare(counts(GOOD), counts(BAD), num_resamples=300)
    assert [one.name for one in found] == ["BLEU", "chrF2", "exact", "WER", "SER"]
    for one, a, b in zip(found, counts(GOOD), counts(BAD), strict=True):
        assert (one.a, one.b) == (a.measure().value, b.measure().value)
        assert one.low <= one.difference <= one.high
        assert (one.difference > 0) is a.higher_is_better
        assert one.low * one.high > 0, "zero lies outside"
        assert one.p == pytest.approx(2 / 301) or one.name in ("exact", "SER"), "no resample says otherwise"
        assert one.p < 0.05


def test_swapping_the_systems_turns_the_sign_and_nothing_else() -> None:
    for one, other in zip(compare(counts(GOOD), counts(ALIKE)), compare(counts(ALIKE), counts(GOOD)), strict=True):
        assert (one.a, one.b, one.p) == (other.b, other.a, other.p)
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
        assert one.p > 0.02


def test_the_seed_decides() -> None:
    a, b = counts(GOOD), counts(ALIKE)
    assert compare(a, b, num_resamples=50, seed=1) == compare(a, b, num_resamples=50, seed=1)
    assert compare(a, b, num_resamples=50, seed=1)[0].low != compare(a, b, num_resamples=50, seed=2)[0].low


def test_signatures_tell_how() -> None:
    for one, a in zip(compare(counts(GOOD), counts(BAD), num_resamples=9, seed=7), counts(GOOD), strict=True):
        assert one.signature == a.signature.replace("nrefs:1", "nrefs:1|bs:9|seed:7|p:two-sided")
    assert f"version:{sacrebleu.__version__}" in compare(counts(GOOD), counts(BAD), num_resamples=9)[0].signature


def test_only_measures_that_both_have_are_compared() -> None:
    assert [one.name for one in compare(counts(GOOD), counts(BAD)[2:], num_resamples=9)] == ["exact", "WER", "SER"]
    assert compare(counts(GOOD)[:2], counts(BAD)[2:]) == []


@pytest.mark.parametrize(("measure", "number"), [(bleu, 0), (chrf, 1), (exact_match, 2)])
def test_a_resample_is_a_corpus_like_any_other(measure, number) -> None:
    """The texts drawn, laid side by side and measured as a corpus."""
    drawn = np.random.default_rng(SEED).choice(len(RIGHT), size=(10, len(RIGHT)))
    texts = np.array([measure([GOOD[n] for n in row], [RIGHT[n] for n in row]).value for row in drawn])
    values = samples_of([counts(GOOD)[number]], 10, SEED)[0]
    assert values == pytest.approx(texts, abs=1e-9)
    differences = texts - [measure([ALIKE[n] for n in row], [RIGHT[n] for n in row]).value for row in drawn]
    found = compare(counts(GOOD), counts(ALIKE), num_resamples=10)[number]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(differences, [0.025, 0.975])))
    against = min(sum(differences <= 1e-9), sum(differences >= -1e-9))
    assert found.p == pytest.approx(min(1, 2 * (1 + against) / 11))


def test_all_resamples_of_four_sentences() -> None:
    right = [["a"], ["b"], ["c"], ["d"]]
    said_a, said_b = ["a", "b", "c", "x"], ["a", "x", "x", "d"]
    gain = [0, 1, 1, -1]
    every = [sum(gain[n] for n in row) for row in product(range(4), repeat=4)]
    p = 2 * min(np.mean([d <= 0 for d in every]), np.mean([d >= 0 for d in every]))
    [found] = compare([exact_counts(said_a, right)], [exact_counts(said_b, right)], num_resamples=4000)
    assert 0.5 < p < 0.9
    assert found.p == pytest.approx(p, abs=0.06)  # four standard errors
    assert (found.low, found.high) == tuple(25 * np.quantile(every, [0.025, 0.975]))


@pytest.mark.parametrize("other", [ALIKE, WORSE, BAD], ids=["alike", "worse", "bad"])
def test_sacrebleu_draws_the_same(other, monkeypatch: pytest.MonkeyPatch) -> None:
    """From our values on the resamples, sacreBLEU's p by its own definition; ours is two-sided, so about the double."""
    monkeypatch.setenv("SACREBLEU_SEED", str(SEED))
    test = PairedTest(
        [("a", GOOD), ("b", other)],
        {"BLEU": BLEU(force=True), "chrF2": CHRF()},
        [[right[0] for right in RIGHT]],
        test_type="bs",
        n_samples=1000,
    )
    theirs = test()[1]
    ours = compare(counts(GOOD), counts(other))
    a, b = (samples_of(counts(said)[:2], 1000, SEED) for said in (GOOD, other))
    for number, name in enumerate(["BLEU", "chrF2"]):
        result = theirs[name][1]
        away = np.abs(a[number] - b[number])
        by_their_rule = (1 + sum(away - away.mean() > abs(ours[number].difference))) / 1001
        assert result.score == ours[number].b
        assert result.mean == pytest.approx(b[number].mean(), rel=1e-5)  # they sum in float32
        assert result.p_value == pytest.approx(by_their_rule, abs=1.5 / 1001)
        assert result.p_value <= ours[number].p <= 3 * result.p_value + 0.02


def test_counts_of_a_part_are_those_of_the_part() -> None:
    rng = random.Random(2)
    right = [[*one, rng.choice(WORDS)] for one in RIGHT]
    part = rng.sample(range(len(RIGHT)), 40)
    whole, alone = counts_of(BAD, right), counts_of([BAD[n] for n in part], [right[n] for n in part])
    assert [one.measure(part) for one in whole] == [one.measure() for one in alone]


def test_alignments_can_be_compared() -> None:
    link = frozenset({(0, 0)})
    golds = [Gold(link, link)] * 40
    good, bad = [link] * 40, [link] * 20 + [frozenset({(1, 0)})] * 20
    [found] = compare([alignment_error_counts(good, golds)], [alignment_error_counts(bad, golds)], num_resamples=200)
    assert (found.name, found.a, found.b) == ("AER", 0, 50)
    assert found.p == pytest.approx(2 / 201)
