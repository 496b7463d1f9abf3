"""Models that older versions wrote still load and say what they said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import regard

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("model-*") if path.is_dir()))
def test_an_old_model_says_what_it_said(name: str) -> None:
    model = regard.load(DATA / name)
    said = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    assert model.translate(said["texts"], beam=1) == said["greedy"]
    assert model.translate(said["texts"], beam=4) == said["beam"]
    assert model.score([("abc", "cba")]) == pytest.approx(said["score"], abs=1e-4)
