"""regard evaluate and regard score"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from evaluated_pairs import PAIRS, write_links, write_pairs

from regard.evaluate.alignment import read_gold
from regard.model import Model, Translator
from regard.search import BeamSettings, GreedySettings
from regard.text.pair import Pair


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "pairs.tsv")


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_links(tmp_path / "pairs.align")


def test_evaluate_prints_every_measure(command: Callable, trained: Path, model: Model, pairs: Path) -> None:
    ended = command("evaluate", trained, pairs)
    expected = model.evaluate([Pair.of(*pair) for pair in PAIRS])
    assert (ended.code, ended.err) == (0, "")
    lines = [line.split() for line in ended.out.splitlines()]
    assert lines[0] == ["4", "pairs"]
    assert lines[3:] == [[m.name, f"{m.value:.2f}", m.signature] for m in expected.measures]
    assert len(expected.measures) > 2
    assert "BLEU" not in ended.out, "characters"
    asked = command("evaluate", trained, pairs, "--tokenize", "char")
    assert any(line.startswith("BLEU") and "tok:char" in line for line in asked.out.splitlines())


def test_a_beam_of_another_width_keeps_how_long_outputs_may_be(model: Model) -> None:
    for own in (GreedySettings(max_length=50), BeamSettings(max_length=50)):
        other = replace(model, config=msgspec.structs.replace(model.config, search=own))
        assert isinstance(other, Translator)
        assert [other.searching(width).max_length for width in (1, 3)] == [50, 50]


def test_evaluate_by_length_and_alignments(
    command: Callable, trained: Path, model: Model, pairs: Path, gold: Path, tmp_path: Path
) -> None:
    output = tmp_path / "outputs"
    args = ["evaluate", trained, pairs, "--by-length", "--alignments", gold, "--beam", "2"]
    ended = command(*args, "--json", "--output", output)
    expected = model.evaluate(
        [Pair.of(*pair) for pair in PAIRS], settings=model.searching(2), lengths=True, golds=read_gold(gold)
    )
    table = json.loads(ended.out)
    assert table["pairs"] == 4
    assert table["measures"] == [measure.to_json() for measure in expected.measures]
    assert table["measures"][-1]["name"] == "AER"
    assert [bucket["count"] for bucket in table["buckets"]] == [1, 2, 1]
    assert table["buckets"][0]["measures"] == [measure.to_json() for measure in expected.buckets[0].measures]
    assert output.read_text().split("\n") == [*expected.hypotheses, ""]
    lines = command(*args).out.splitlines()
    assert lines[-4].split()[:4] == ["source", "length", "pairs", "exact"]
    assert lines[-4].split()[-1] == "AER"
    assert [line.split()[:2] for line in lines[-3:]] == [["1", "1"], ["2", "2"], ["4", "1"]]


def test_alignments_are_checked_before_the_model_is_loaded(command: Callable, tmp_path: Path, pairs: Path) -> None:
    wrong = tmp_path / "wrong.align"
    wrong.write_text("9-9\n" * 4)
    assert "wrong.align:1: link 9-9" in command("evaluate", tmp_path, pairs, "--alignments", wrong).err


def test_score_is_a_number_a_line(command: Callable, trained: Path, model: Model, pairs: Path) -> None:
    ended = command("score", trained, pairs)
    assert (ended.code, ended.err) == (0, "")
    assert [float(line) for line in ended.out.splitlines()] == pytest.approx(model.score(PAIRS), abs=1e-4)


def test_score_as_json(command: Callable, trained: Path, model: Model, pairs: Path) -> None:
    rows = [
        json.loads(line) for line in command("score", trained, "-", "--json", stdin=pairs.read_bytes()).out.splitlines()
    ]
    assert [(row["source"], row["target"]) for row in rows] == PAIRS
    assert [row["logprob"] for row in rows] == pytest.approx(model.score(PAIRS))
    assert [row["tokens"] for row in rows] == [len(target) + 1 for _, target in PAIRS]  # characters and the end
    assert all(row["mean"] * row["tokens"] == pytest.approx(row["logprob"]) for row in rows)


def test_columns_choose_the_sides(command: Callable, trained: Path, tmp_path: Path, pairs: Path) -> None:
    turned = tmp_path / "turned.csv"
    turned.write_text("right,left\n" + "".join(f"{target},{source}\n" for source, target in PAIRS))
    assert command("score", trained, turned, "--columns", "left,right") == command("score", trained, pairs)
