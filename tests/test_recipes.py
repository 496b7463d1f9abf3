"""Every recipe is settings that can be read, says what it must pass, and finds its data by one variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from regard import config, tasks
from regard.errors import UserError
from regard.models import ClassifierSettings
from regard.models.weights import count
from regard.run import corpus
from regard.run.settings import layered, preset
from regard.text import tokenisers

RECIPES = sorted((Path(__file__).parent.parent / "recipes").glob("*.toml"))


def test_there_are_recipes() -> None:
    assert RECIPES


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_recipe(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "To pass:" in text
    assert f"regard train --settings recipes/{path.name}" in text
    table = config.read_toml(path)
    settings = layered(preset(table["preset"]) if "preset" in table else {}, table, where=str(path))
    assert settings.data.train.startswith("$REGARD_DATA/")
    pieces = tokenisers.train(tokenisers.CharSettings(), ["ab"])
    labels = tokenisers.train(tokenisers.LabelSettings(), ["a", "b"])
    target = labels if isinstance(settings.model, ClassifierSettings) else pieces
    task = tasks.build(settings.model, {"source": pieces, "target": target})
    assert count(task.network) < 12e6


def test_variables_in_names_of_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REGARD_DATA", str(tmp_path))
    assert corpus.absolute("$REGARD_DATA/a.en,${REGARD_DATA}/a.de") == f"{tmp_path}/a.en,{tmp_path}/a.de"
    monkeypatch.delenv("REGARD_DATA")
    with pytest.raises(UserError, match="REGARD_DATA is not set"):
        corpus.absolute("$REGARD_DATA/a.en,$REGARD_DATA/a.de")
