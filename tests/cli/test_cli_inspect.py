from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from regard.cli import look
from regard.explain import picture
from regard.explain.inspection import Inspection
from regard.explain.terminal import draw
from regard.model import Model


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
