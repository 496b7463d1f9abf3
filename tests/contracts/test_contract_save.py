"""Save and load give the same output, to the bit."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from variants import CELLS, EMBEDDINGS, FEW, name

import regard
from regard import models
from regard.model import FORMAT, Config, Model, Translator, load, save
from regard.models import EmbeddingSettings, Seq2SeqSettings
from regard.search import BeamSettings
from regard.tasks.transduce import LengthRule, Transducer
from regard.text import tokenisers
from regard.text.tokenisers import CharSettings

TEXTS = ["élan", "a b c", "noël"]
PAIRS = list(zip(TEXTS, TEXTS[::-1], strict=True))


def make(settings: Seq2SeqSettings, *, joint: bool) -> Translator:
    source = tokenisers.train(CharSettings(), TEXTS)
    target = source if joint else tokenisers.train(CharSettings(), TEXTS[:1])
    torch.manual_seed(3)
    network = models.build_seq2seq(settings, num_source=source.size, num_target=target.size, joint=joint)
    config = Config(
        format=FORMAT,
        regard=regard.__version__,
        task="transduce",
        model=settings,
        search=BeamSettings(width=2),
        joint=joint,
        length_ratio=0.4,
        measures=[],
        training={},
    )
    return Translator(Transducer(network, source, target, LengthRule(0.4)), config)


def same(model: Translator, other: Model) -> None:
    assert other.config == model.config
    assert other.translate(TEXTS) == model.translate(TEXTS)
    assert other.score(PAIRS) == model.score(PAIRS)
    if model.task.network.decoder.attends:
        looked, expected = other.inspect("élan", "léa"), model.inspect("élan", "léa")
        assert np.array_equal(looked.weights_LHTS, expected.weights_LHTS)
        assert looked.logprobs == expected.logprobs


@pytest.mark.parametrize("settings", [*CELLS[::3], *FEW[::2]], ids=name)
def test_a_loaded_model_is_the_saved_one(settings: Seq2SeqSettings, tmp_path: Path) -> None:
    model = make(settings, joint=True)
    save(model, tmp_path / "model", "a card")
    same(model, load(tmp_path))


@pytest.mark.parametrize("embedding", EMBEDDINGS, ids=name)
@pytest.mark.parametrize("joint", [True, False], ids=["joint", "apart"])
def test_shared_matrices_are_shared_again(embedding: EmbeddingSettings, joint: bool, tmp_path: Path) -> None:
    if embedding.share == "all" and not joint:
        return  # refused, as another test says
    model = make(msgspec.structs.replace(CELLS[0], embedding=embedding), joint=joint)
    save(model, tmp_path / "model", "a card")
    loaded = load(tmp_path / "model")
    same(model, loaded)
    assert len(list(loaded.task.network.parameters())) == len(list(model.task.network.parameters()))
