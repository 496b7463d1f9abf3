"""Every recipe is settings that can be read, says what it must pass, and finds its data by one variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from regard import config, models
from regard.errors import UserError
from regard.run import corpus
from regard.run.settings import layered, preset

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
    network = models.build_seq2seq(settings.model, num_source=50, num_target=50, joint=settings.text.joint)
    assert sum(parameter.numel() for parameter in network.parameters()) < 12e6


def test_variables_in_names_of_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REGARD_DATA", str(tmp_path))
    assert corpus.absolute("$REGARD_DATA/a.en,${REGARD_DATA}/a.de") == f"{tmp_path}/a.en,{tmp_path}/a.de"
    monkeypatch.delenv("REGARD_DATA")
    with pytest.raises(UserError, match="REGARD_DATA is not set"):
        corpus.absolute("$REGARD_DATA/a.en,$REGARD_DATA/a.de")
