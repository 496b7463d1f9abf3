from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from regard.cli import lines
from regard.cli.lines import as_they_come, prompted
from regard.cli.look import one_line
from regard.errors import UserError
from regard.explain.inspection import Inspection
from regard.model import Model, Translator
from regard.run.conduct import train
from regard.search import SampleSettings

TEXTS = ["ab", "", "cde a", "  ", "e d c", "abc ed"]


def stdin(texts: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


@pytest.mark.parametrize("beam", [None, 1, 3])
def test_a_line_in_is_a_line_out(command: Callable, trained: Path, model: Model, beam: int | None) -> None:
    ended = command("translate", trained, *([] if beam is None else ["--beam", beam]), stdin=stdin(TEXTS))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.split("\n") == [*model.translate(TEXTS, beam=beam), ""]
    assert ended.out.split("\n")[1] == ended.out.split("\n")[3] == ""


def test_a_file_is_as_good_as_standard_input(command: Callable, trained: Path, tmp_path: Path) -> None:
    file = tmp_path / "texts"
    file.write_bytes(stdin(TEXTS))
    assert command("translate", trained, file) == command("translate", trained / "model", stdin=stdin(TEXTS))


def test_any_number_of_workers_gives_the_same(command: Callable, trained: Path) -> None:
    def run(*args: object) -> str:
        return command("translate", trained, "--json", *args, stdin=stdin(TEXTS)).out

    assert run("--workers", 1) == run("--workers", 3) == run()


def test_prefix_begins_every_output(command: Callable, trained: Path) -> None:
    ended = command("translate", trained, "--prefix", "dd", stdin=stdin(["ab", "cde a"]))
    assert [line[:2] for line in ended.out.splitlines()] == ["dd", "dd"]


def test_json_tells_probabilities(command: Callable, trained: Path, model: Model) -> None:
    ended = command("translate", trained, "--json", "--beam", "3", "--nbest", "2", stdin=stdin(TEXTS))
    rows = [json.loads(line) for line in ended.out.splitlines()]
    assert [row["source"] for row in rows] == TEXTS
    assert [row["target"] for row in rows] == model.translate(TEXTS, beam=3)
    row = rows[2]
    assert {"source": row["source"], **row["hypotheses"][0], "hypotheses": row["hypotheses"]} == row
    assert len(row["hypotheses"]) == 2
    assert row["score"] >= row["hypotheses"][1]["score"]
    assert row["logprob"] == pytest.approx(model.score([(row["source"], row["target"])])[0], abs=1e-4)
    assert rows[1] | {"hypotheses": 0} == {
        "source": "",
        "target": "",
        "logprob": 0.0,
        "score": 0.0,
        "finished": True,
        "hypotheses": 0,
    }


def test_attention_is_that_of_the_output(command: Callable, trained: Path) -> None:
    ended = command("translate", trained, "--json", "--attention", stdin=stdin(TEXTS))
    rows = [json.loads(line) for line in ended.out.splitlines()]
    assert [row["attention"] is None for row in rows] == [not text.strip() for text in TEXTS]
    for row in rows:
        if row["attention"]:
            inspection = Inspection.from_json(row["attention"])
            assert (inspection.source, inspection.target) == (row["source"], row["target"])
            assert sum(inspection.logprobs) == pytest.approx(row["logprob"], abs=1e-4)


@pytest.mark.parametrize("most", [1, 2, 30])
def test_of_what_was_cut_nobody_looks_at_an_end(command: Callable, trained: Path, most: int) -> None:
    given = ("--json", "--attention", "--set", f"max_length={most}")
    rows = [json.loads(line) for line in command("translate", trained, *given, stdin=stdin(TEXTS)).out.splitlines()]
    for row in (row for row in rows if row["attention"]):
        inspection = Inspection.from_json(row["attention"])
        assert row["finished"] == (most == 30)
        assert [piece.text for piece in inspection.target_pieces].count("⟨end⟩") == row["finished"]
        assert sum(inspection.logprobs) == pytest.approx(row["logprob"], abs=1e-4)


def test_a_decoder_with_few_positions_is_looked_into(command: Callable, tmp_path: Path) -> None:
    """What it cannot end has as many tokens as it has positions: the forced pass must not need one more."""
    positions = {"positions": {"kind": "learned", "most": 3}}
    pairs = [("ab", "ba"), ("a", "a")] * 20
    settings = {"model": {"decoder": positions}}
    model = train(pairs, out=tmp_path / "run", preset="transformer-tiny", settings=settings, steps=2)
    assert isinstance(model, Translator)
    ended = command("translate", tmp_path / "run", "--json", "--attention", "--sample", stdin=b"ab\nba\n" * 20)
    rows = [json.loads(line) for line in ended.out.splitlines()]
    assert ended.code == 0 and {row["finished"] for row in rows} == {True, False}
    for asked in (lambda: model.inspect("ab", "abab"), lambda: model.align([("ab", "abab")])):
        with pytest.raises(UserError, match=r"abab.*learned 3 positions"):
            asked()


def test_outputs_that_were_cut_are_told(command: Callable, trained: Path) -> None:
    lines = stdin(["ab", "", "abcde abcde"])
    ended = command("translate", trained, "--set", "max_length=2", stdin=lines)
    assert ended.code == 0 and len(ended.out.splitlines()) == 3
    assert "outputs were cut" in ended.err and "the first in line 1; --set max_length=N" in ended.err
    assert ended.err.count("\n") == 1
    assert command("translate", trained, "--set", "max_length=50", stdin=lines).err == ""


def test_a_tab_is_most_often_a_mistake(command: Callable, trained: Path, tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text("ab\nab\tba\ncd\tdc\n")
    ended = command("translate", trained, file)
    assert ended.code == 0 and len(ended.out.splitlines()) == 3
    assert ended.err == (
        f"regard: warning: {file}:2: has a tab: if this is a file of pairs, give their sources alone (cut -f1)\n"
    )


def test_what_would_break_a_line_or_command_a_terminal_becomes_a_space() -> None:
    odd = "a\nb\rc\x1b[31md\x00e\x0bf\x85g\u2028h\u2029i\x7f"
    assert one_line(odd) == "a b c [31md e f g h i "
    assert one_line("a\tb c\u00a0ü") == "a\tb c\u00a0ü"


def test_the_name_that_a_run_has_for_it_is_good_too(command: Callable, trained: Path) -> None:
    said = ("width=2", "search.width=2")
    one, other = (command("translate", trained, "--set", name, stdin=b"cde ab\n") for name in said)
    assert one == other and one.code == 0


def test_set_changes_the_search(command: Callable, trained: Path) -> None:
    def run(*args: str) -> str:
        return command("translate", trained, "--json", *args, stdin=b"cde ab\n").out

    assert run("--set", "kind=greedy") == run("--beam", "1")
    assert run("--set", "width=2") == run("--beam", "2")
    plain = json.loads(run("--beam", "2", "--set", "normalise=none"))
    assert plain["score"] == plain["logprob"]
    assert json.loads(run())["score"] != json.loads(run())["logprob"]


def test_samples_follow_from_seed_and_line_alone(command: Callable, trained: Path, model: Model) -> None:
    def run(*args: str) -> str:
        return command("translate", trained, "--sample", "--temperature", "3", *args, stdin=b"ab cd\n" * 4).out

    assert run() == run("--seed", "1") != run("--seed", "2")
    assert len(set(run().splitlines())) > 1
    assert run("--top-k", "1") == run("--top-p", "1e-9")
    settings, texts = SampleSettings(temperature=3.0), ["ab cd"] * 4
    together = [best[0].tokens for best in model.search(texts, settings)]
    apart = [model.search([text], settings, first=n)[0][0].tokens for n, text in enumerate(texts)]
    assert together == apart


def test_what_was_translated_before_an_error_is_out(command: Callable, trained: Path, model: Model) -> None:
    ended = command("translate", trained, stdin=b"ab\ncde\n\xff\nab\n")
    assert ended.code == 2
    assert ended.out.splitlines() == model.translate(["ab", "cde"])
    assert ended.err == "regard: error: stdin:3: is not UTF-8 (byte 1 of the line); save the file as UTF-8\n"


def test_lines_are_handed_out_as_they_come() -> None:
    go_on = threading.Event()

    def slow() -> Iterator[str]:
        yield "first"
        assert go_on.wait(timeout=30)
        yield from map(str, range(2 * lines.MOST))

    batches = as_they_come(slow())
    assert next(batches) == ["first"]
    go_on.set()
    rest = list(batches)
    assert [line for batch in rest for line in batch] == [str(n) for n in range(2 * lines.MOST)]
    assert all(1 <= len(batch) <= lines.MOST for batch in rest)


def test_lines_that_are_there_are_taken_together() -> None:
    batches = as_they_come(iter(["a"] * 3000))
    next(batches)
    time.sleep(0.2)
    assert len(next(batches)) == lines.MOST


def test_an_error_comes_after_the_lines_before_it() -> None:
    def broken() -> Iterator[str]:
        yield "good"
        raise UserError("bad")

    taken = []
    with pytest.raises(UserError, match="bad"):
        for batch in as_they_come(broken()):
            taken += batch
    assert taken == ["good"]


def test_a_person_is_asked_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(prompted(iter(["a", "b"]))) == [["a"], ["b"]]
    said = capsys.readouterr()
    assert said.out == ""
    assert "Ctrl-D" in said.err
    assert said.err.count("> ") == 3
