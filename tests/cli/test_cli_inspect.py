from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import regard
from regard.cli import look
from regard.errors import UserError
from regard.explain import picture
from regard.explain.inspection import Inspection
from regard.explain.terminal import draw
from regard.model import Model
from regard.tasks.transduce import target_ids
from regard.text.batch import Example


def test_it_prints_the_output_and_the_map(command: Callable, trained: Path, model: Model) -> None:
    ended = command("inspect", trained, "ab cd", "--target", "dc ba")
    inspection = model.inspect("ab cd", "dc ba")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"dc ba\n\n{draw(inspection.map(merged=True), width=80)}\n"
    assert "\x1b" not in ended.out
    assert command("inspect", trained, "ab cd", "--target", "dc ba", "--words") == ended
    pieces = command("inspect", trained, "ab cd", "--target", "dc ba", "--pieces", "--width", "40").out
    assert pieces == f"dc ba\n\n{draw(inspection.map(merged=False), width=40)}\n"


def test_without_target_it_searches(command: Callable, trained: Path, model: Model) -> None:
    ended = command("inspect", trained, "ab cd", "--beam", "1")
    assert ended.out.splitlines()[0] == model.translate(["ab cd"], beam=1)[0]


def test_it_writes_what_is_asked_for(command: Callable, trained: Path, model: Model, tmp_path: Path) -> None:
    files = [tmp_path / "new" / f"map.{kind}" for kind in ("png", "svg", "html", "json")]
    options = [word for file in files for word in (f"--{file.suffix[1:]}", file)]
    ended = command("inspect", trained, "ab cd", "--target", "dc ba", *options)
    assert ended.err.splitlines() == [f"wrote {file}" for file in files]
    png, svg, html, numbers = (file.read_bytes() for file in files)
    assert png.startswith(b"\x89PNG")
    assert svg.startswith(b"<?xml")
    assert html.startswith(b"<!DOCTYPE html>")
    inspection = Inspection.from_json(json.loads(numbers))
    assert (inspection.weights_LHTS == model.inspect("ab cd", "dc ba").weights_LHTS).all()


def test_characters_without_a_font_are_named(
    command: Callable, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture, "save", lambda map_, path, title: "\ue000")
    ended = command("inspect", trained, "ab", "--png", tmp_path / "map.png")
    assert ended.code == 0
    assert "warning" in ended.err and "\ue000" in ended.err


def test_colour_needs_a_terminal_that_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert not look.colour_wanted()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert look.colour_wanted()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not look.colour_wanted()


def test_width_is_the_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "123")
    assert look.terminal_width() == 80
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert look.terminal_width() == 123


def test_tables_are_aligned() -> None:
    assert look.aligned([["a", "1.5"], ["bcd", "12.5"]], right={1}) == "a     1.5\nbcd  12.5"
    assert look.aligned([["a", "b"], ["cd", ""]]) == "a   b\ncd"


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "transformer"
    pairs = [(f"{a} {b}", f"{b} {a}") for a in "abcd" for b in "abcd"]
    settings = {"text": {"source": {"kind": "char"}, "target": {"kind": "char"}}}
    regard.train(pairs, out=out, preset="transformer-tiny", settings=settings, steps=2)
    return out


@pytest.mark.parametrize("itself", ["source", "target"])
def test_a_text_looks_at_itself(command: Callable, transformer: Path, itself: str, tmp_path: Path) -> None:
    given = ["--target", "b a"] if itself == "target" else []
    ended = command("inspect", transformer, "a b", "--self", itself, *given, "--html", tmp_path / "map.html")
    seen = regard.load(transformer).inspect("a b", *given[1:], itself=itself)
    assert (ended.code, ended.err) == (0, f"wrote {tmp_path / 'map.html'}\n")
    assert ended.out.startswith(f"{seen.target}\n\n{draw(seen.map(merged=True), width=80)}\nthe mean of")
    assert seen.source == seen.target == ("a b" if itself == "source" else "b a")
    rows = seen.map(merged=False)
    if itself == "target":
        assert rows.rows == ("b", "▁", "a", "⟨end⟩") and rows.columns == ("⟨start⟩", "b", "▁", "a")
        assert seen.weights_LHTS[..., 0, 0] == pytest.approx(1) and not np.triu(rows.weights_TS, 1).any()
    else:
        assert rows.rows == rows.columns == ("a", "▁", "b", "⟨end⟩")
    assert rows.weights_TS.sum(-1) == pytest.approx(np.ones(4))


def test_what_cannot_look_at_itself_is_refused(command: Callable, trained: Path, transformer: Path) -> None:
    for itself, part in (("source", "encoder"), ("target", "decoder")):
        ended = command("inspect", trained, "ab", "--self", itself)
        assert (ended.code, ended.out) == (2, "") and f"this model's {part} has no self-attention" in ended.err
    with pytest.raises(UserError, match="itself = 'sauce': is not one of source, target"):
        regard.load(transformer).inspect("ab", itself="sauce")
    with pytest.raises(UserError, match="leave target and beam out"):
        regard.load(transformer).inspect("ab", "ba", itself="source")
    ended = command("inspect", transformer, "ab", "--self", "source", "--target", "ba")
    assert ended.code == 2 and "--target does not apply" in ended.err


def test_texts_of_unlike_length_look_at_themselves_alone_and_together(transformer: Path) -> None:
    task = regard.load(transformer).task
    texts = ["a b", "a", "c d a b d c"]
    sources = task.sources(texts)
    targets = [target_ids(task.target.encode(text)) for text in texts]
    examples = [Example(source, target) for source, target in zip(sources, targets, strict=True)]
    for number, (source, example) in enumerate(zip(sources, examples, strict=True)):
        together, (alone,) = task.look_within(sources)[number], task.look_within([source])
        assert together.shape[2:] == (len(source), len(source)) and np.allclose(together, alone, atol=1e-6)
        together, (alone,) = task.look(examples, at="past")[number], task.look([example], at="past")
        assert together.weights_LHTS.shape[2:] == (example.num_tokens, example.num_tokens)
        assert np.allclose(together.weights_LHTS, alone.weights_LHTS, atol=1e-6)
