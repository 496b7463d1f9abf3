"""regard info, and the learning curves that it draws"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from regard import files
from regard.errors import UserError
from regard.model import Model
from regard.training import curves, events


def test_a_run_tells_of_its_model_and_itself(command: Callable, trained: Path, model: Model) -> None:
    ended = command("info", trained)
    assert (ended.code, ended.err) == (0, "")
    for part in ("additive attention before the cell", "char,", "on 285 pairs: 60 steps", "step 60 of 60", "ended"):
        assert part in ended.out
    for measure in model.config.measures:
        assert f"{measure['value']:.2f}  {measure['signature']}" in ended.out
    assert "--resume" not in ended.out


def test_a_model_alone_tells_of_itself(command: Callable, trained: Path) -> None:
    whole, alone = command("info", trained).out, command("info", trained / "model").out
    assert whole.startswith(alone.rstrip("\n"))
    assert "step 60 of 60" not in alone


@pytest.fixture
def unfinished(trained: Path, tmp_path: Path) -> Path:
    """The run as it was after its first validation."""
    run = tmp_path / "unfinished"
    shutil.copytree(trained, run, ignore=shutil.ignore_patterns("model"))
    events.rewind(run / "events.jsonl", 30)
    return run


def test_a_run_that_has_not_ended_says_how_to_go_on(command: Callable, unfinished: Path) -> None:
    ended = command("info", unfinished)
    assert (ended.code, ended.err) == (0, "")
    assert "step 30 of 60" in ended.out
    assert "best       step 30: " in ended.out
    assert ended.out.endswith(f"go on with: regard train --resume {unfinished}\n")
    (unfinished / "events.jsonl").unlink()
    assert "step 0 of 60" in command("info", unfinished).out


def test_a_run_that_goes_on(command: Callable, unfinished: Path) -> None:
    assert "another process" not in command("info", unfinished).out
    with files.alone(unfinished):
        out = command("info", unfinished).out
    assert "another process is training it" in out and "--resume" not in out


def test_json_holds_all(command: Callable, trained: Path, unfinished: Path, model: Model) -> None:
    table = json.loads(command("info", trained, "--json").out)
    assert table["model"]["measures"] == model.config.measures
    assert table["run"]["step"] == table["run"]["steps"] == table["run"]["ended"]["step"] == 60
    assert json.loads(command("info", trained / "model", "--json").out) == table | {"run": None}
    half = json.loads(command("info", unfinished, "--json").out)
    assert half["model"] is None
    assert (half["run"]["step"], half["run"]["ended"]) == (30, None)


def test_settings_that_are_none_are_refused(command: Callable, unfinished: Path) -> None:
    (unfinished / "settings.json").write_text("[]")
    ended = command("info", unfinished)
    assert ended.code == 2
    assert "settings.json: is not the settings of a run" in ended.err


def test_png_is_written(command: Callable, unfinished: Path, tmp_path: Path) -> None:
    png = tmp_path / "curves.png"
    ended = command("info", unfinished, "--png", png)
    assert ended.err == f"wrote {png}\n"
    assert png.read_bytes().startswith(b"\x89PNG")


def test_curves_show_losses_and_the_measure(tmp_path: Path) -> None:
    path = tmp_path / "curves.svg"
    happened: list[events.Event] = [
        events.Learnt(1, 5.0, 0.1, 1.0),
        events.Validated(10, 3.0, "BLEU", 12.5, True),
        events.Validated(20, 3.1, "BLEU", 11.0, False),
        events.Ended(20, "steps", "average of the last 2", 2.9, "BLEU", 13.25),
    ]
    curves.draw(happened, path, title="a $run$")
    root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    texts = {"".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"a $run$", "training", "validation", "BLEU", "best: step 10, 12.50", "step"} <= texts
    assert "chosen: average of the last 2, 13.25" in texts
    again = tmp_path / "again.svg"
    curves.draw(happened, again, title="a $run$")
    assert again.read_bytes() == path.read_bytes()


def test_curves_of_a_run_that_has_just_begun(tmp_path: Path) -> None:
    curves.draw([events.Learnt(1, 5.0, 0.1, 1.0)], tmp_path / "curves.png")
    assert (tmp_path / "curves.png").exists()


def test_curves_are_png_or_svg(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"\.png or \.svg"):
        curves.draw([], tmp_path / "curves.pdf")
