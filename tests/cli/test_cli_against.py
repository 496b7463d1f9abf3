"""regard evaluate --against and --figure"""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from evaluated_pairs import PAIRS, write_links, write_pairs

import regard.model
from regard.evaluate.significance import compare
from regard.model import Model
from regard.run.conduct import train
from regard.tasks.evaluation import Outputs, evaluate
from regard.text.pair import Pair

GIVEN = [Pair.of(*pair) for pair in PAIRS]
LINES = ["c ba", "", "d c b", "dd cc"]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "pairs.tsv")


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "outputs.txt"
    path.write_text("".join(f"{line}\n" for line in LINES))
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_links(tmp_path / "pairs.align")


@pytest.fixture(scope="module")
def unattended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of another kind: words, and no attention."""
    settings = {
        "text": {"source": {"kind": "word"}, "target": {"kind": "word"}},
        "model": {"decoder": {"wiring": {"kind": "once"}}},
    }
    out = tmp_path_factory.mktemp("runs") / "unattended"
    train(PAIRS * 10, out=out, preset="tiny", settings=settings, steps=2)
    return out


def test_what_is_read_is_not_written_over(
    command: Callable, trained: Path, pairs: Path, lines: Path, gold: Path
) -> None:
    before = {path: path.read_bytes() for path in (pairs, lines, gold, trained / "settings.json")}
    for path in before:
        given = ["--against", lines, "--alignments", gold, "--output", path]
        ended = command("evaluate", trained, pairs, *given)
        assert ended.code == 2 and f"--output {path}: is " in ended.err
    assert before == {path: path.read_bytes() for path in before}
    assert command("evaluate", trained, pairs, "--output", pairs.with_name("new")).err.startswith("wrote ")


def test_outputs_are_no_table_and_labels_no_outputs(
    command: Callable, trained: Path, pairs: Path, tmp_path: Path
) -> None:
    ended = command("evaluate", trained, pairs, "--against", pairs)
    assert ended.code == 2 and f"{pairs}:1: has a tab" in ended.err
    train([("good", "yes"), ("bad", "no")] * 20, out=tmp_path / "labels", task="classify", steps=2)
    ended = command("evaluate", trained, pairs, "--against", tmp_path / "labels")
    assert ended.code == 2 and "is a model of another task" in ended.err


def test_a_model_against_itself(command: Callable, trained: Path, pairs: Path) -> None:
    ended = command("evaluate", trained, pairs, "--against", trained)
    assert (ended.code, ended.err) == (0, "")
    rows = [line.split() for line in ended.out.splitlines()]
    assert ["A", str(trained)] in rows
    assert ["B", str(trained)] in rows
    compared = [row for row in rows if row[:1] == ["B"] and len(row) == 7]
    assert len(compared) > 2
    assert all(row[2:] == ["+0.00", "+0.00", "to", "+0.00", "1.000"] for row in compared)


def test_json_holds_what_is_measured_and_compared(
    command: Callable, trained: Path, model: Model, pairs: Path, lines: Path
) -> None:
    ended = command("evaluate", trained, pairs, "--against", lines, "--by-length", "--json", "--beam", "2")
    own = model.evaluate(GIVEN, settings=model.searching(2), lengths=True)
    written = evaluate(Outputs(LINES), GIVEN, model.task.kinds, lengths=True)
    table = json.loads(ended.out)
    assert table["measures"] == [measure.to_json() for measure in own.measures]
    [other] = table["against"]
    assert other["name"] == str(lines)
    assert other["measures"] == [measure.to_json() for measure in written.measures]
    assert other["differences"] == [one.to_json() for one in compare(own.counts, written.counts)]
    assert [bucket["count"] for bucket in other["buckets"]] == [1, 2, 1]
    alone = json.loads(command("evaluate", trained, pairs, "--json", "--beam", "2").out)
    assert alone == {"pairs": 4, "measures": table["measures"], "buckets": []}


def test_several_systems_in_eighty_columns(
    command: Callable, trained: Path, unattended: Path, pairs: Path, lines: Path, gold: Path
) -> None:
    """A model of another kind is measured as MODEL is; what has no attention has no alignments."""
    args = ["evaluate", trained, pairs, "--against", unattended, "--against", lines]
    ended = command(*args, "--by-length", "--alignments", gold)
    assert (ended.code, ended.err) == (0, "")
    texts = [line for line in ended.out.splitlines() if str(trained.parent.parent) not in line]
    assert all(len(line) <= 80 for line in texts)
    rows = [line.split() for line in texts]
    measures = [row[0] for row in rows if row[1:2] == ["A"] and len(row) == 3]
    assert measures == ["exact", "chrF2", "CER", "SER", "AER"]
    assert [row for row in rows if row[1:] == ["–"]] == [["B", "–"], ["C", "–"]]
    heading = rows.index(["source", "length", "pairs", "system", *measures])
    lengths = rows[heading + 1 :]
    assert [row[:3] for row in lengths[::3]] == [["1", "1", "A"], ["2", "2", "A"], ["4", "1", "A"]]
    assert [row[0] for row in lengths[1::3]] == ["B"] * 3
    assert [(row[0], row[-1]) for row in lengths[2::3]] == [("C", "–")] * 3


def test_one_model_at_a_time(
    command: Callable, trained: Path, unattended: Path, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[weakref.ref[Model]] = []
    load = regard.model.load

    def only(path: Path, *, device: str = "cpu") -> Model:
        assert all(model() is None for model in seen)
        model = load(path, device=device)
        seen.append(weakref.ref(model))
        return model

    monkeypatch.setattr(regard.model, "load", only)
    assert command("evaluate", trained, pairs, "--against", unattended, "--against", trained).code == 0
    assert len(seen) == 5  # the others first for the first pair alone


@pytest.mark.parametrize("name", ["lengths.svg", "lengths.PNG"])
def test_a_figure(command: Callable, trained: Path, pairs: Path, lines: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "new" / name
    ended = command("evaluate", trained, pairs, "--against", lines, "--figure", path)
    assert (ended.code, ended.err) == (0, f"wrote {path}\n")
    assert "source length" not in ended.out
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG") or (b"source length in words" in content and b"outputs.txt" in content)


def test_what_is_wrong_with_others_is_said_before_the_model_is_loaded(
    command: Callable, unattended: Path, tmp_path: Path, pairs: Path, lines: Path
) -> None:
    lines.write_text("one\ntwo\n")
    said = command("evaluate", tmp_path, pairs, "--against", lines).err
    assert said == (
        f"regard: error: {lines}: has 2 lines for the 4 pairs of {pairs}: each pair needs its own line of output\n"
    )
    said = command("evaluate", tmp_path, pairs, "--against", unattended, "--set", "coverage=0.2").err
    assert said.startswith(f"regard: error: {unattended}: ")
    assert "attention" in said
