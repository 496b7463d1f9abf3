"""Small models trained to a threshold: that all parts together learn what they should."""

from __future__ import annotations

import random
import typing
from pathlib import Path
from typing import Any

import pytest

from regard.evaluate.alignment import read_gold
from regard.nn.wirings import WiringSettings
from regard.run import conduct as run
from regard.run import plan
from regard.tasks.evaluation import Evaluation
from regard.text import readers
from regard.text.make import make

pytestmark = pytest.mark.learn


def learn(
    place: Path, name: str, *, size: int, steps: int, settings: dict[str, Any], length: tuple[int, int] | None = None
) -> Evaluation:
    data = place / name
    make(name, data, size=size, length=length)
    settings = {"train": {"validate_every": steps // 4, **settings.pop("train", {})}, **settings}
    prepared = plan.prepare_new(
        str(data / "train.tsv"),
        valid=str(data / "valid.tsv"),
        out=place / "run",
        preset_name="tiny",
        layers=[settings, run.options(steps=steps)],
    )
    model = run.run(prepared)
    gold = data / "test.align"
    pairs = list(readers.read(str(data / "test.tsv")))
    return model.evaluate(pairs, golds=read_gold(gold) if gold.exists() else None)


def value(evaluation: Evaluation, name: str) -> float:
    return next(measure.value for measure in evaluation.measures if measure.name == name)


QUICK = {"batch_tokens": 512, "optimiser": {"learning_rate": 0.005}}
# how well each wiring must copy: without attention, all has to pass through one vector
COPY = {"before": 90, "after": 90, "once": 70, "always": 70}


@pytest.mark.parametrize("kind", [settings.__struct_config__.tag for settings in typing.get_args(WiringSettings)])
def test_every_wiring_learns_to_copy(tmp_path: Path, kind: str) -> None:
    settings = {"train": {**QUICK, "batch_tokens": 256}, "model": {"decoder": {"wiring": {"kind": kind}}}}
    evaluation = learn(tmp_path, "copy", size=3000, steps=400, length=(1, 4), settings=settings)
    assert value(evaluation, "exact") >= COPY[kind]


def test_reverse(tmp_path: Path) -> None:
    evaluation = learn(tmp_path, "reverse", size=4000, steps=300, length=(1, 6), settings={"train": QUICK})
    assert value(evaluation, "exact") >= 95


@pytest.mark.parametrize("ways", ["shared", "apart"])
def test_reverse_from_both_ends(tmp_path: Path, ways: str) -> None:
    settings = {"train": QUICK, "model": {"both_ways": ways}}
    evaluation = learn(tmp_path, "reverse", size=4000, steps=300, length=(1, 6), settings=settings)
    assert value(evaluation, "exact") >= 95


def test_dates(tmp_path: Path) -> None:
    evaluation = learn(tmp_path, "dates", size=4000, steps=350, settings={"train": QUICK})
    assert value(evaluation, "exact") >= 85


def test_pie_and_its_alignments(tmp_path: Path) -> None:
    settings = {"train": {**QUICK, "batch_tokens": 768}, "model": {"decoder": {"wiring": {"kind": "after"}}}}
    evaluation = learn(tmp_path, "pie", size=6000, steps=400, settings=settings)
    assert value(evaluation, "exact") >= 40
    assert value(evaluation, "AER") <= 12


def stems(count: int) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Words that nobody can guess, each with two of three endings to learn from and with the third to be asked for."""
    chance, learnt, asked = random.Random(4), list[tuple[str, str]](), list[tuple[str, str]]()
    for _ in range(count):
        stem, became = "".join(chance.choices("bcdfghklmn", k=5)), "".join(chance.choices("pqrstuvw", k=4))
        some = [(stem + end, became + said) for end, said in (("a", "xy"), ("e", "zz"), ("i", "yx"))]
        chance.shuffle(some)
        learnt += some[:2]
        asked += some[2:]
    return learnt, asked


@pytest.mark.parametrize(("similar", "least", "most"), [(1, 90, 100), (0, 0, 10)])
def test_similar_pairs_tell_what_is_not_to_be_guessed(tmp_path: Path, similar: int, least: int, most: int) -> None:
    learnt, asked = stems(1500)
    text = {"similar": similar, "source": {"kind": "char"}, "target": {"kind": "char"}}
    layers = [{"text": text, "train": {**QUICK, "validate_every": 100}}, run.options(steps=300)]
    prepared = plan.prepare_new(learnt, valid=asked[:200], out=tmp_path / "run", preset_name="tiny", layers=layers)
    assert least <= value(run.run(prepared).evaluate(asked[:200]), "exact") <= most
