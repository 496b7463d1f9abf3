"""What holds for every classifier."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from torch import Tensor
from variants import NUM_TOKENS, batch, close, covering, examples, forms, name, rates, without_dropout

import regard
from regard import models, tasks
from regard.model import FORMAT, Classifier, Config, load, save
from regard.models import ClassifierSettings, VectorSettings
from regard.models import classifier as networks
from regard.nn.dropout import Noise
from regard.nn.encoders import EncoderSettings, RnnEncoderSettings, TextEncoderSettings
from regard.nn.positions import SinusoidalSettings
from regard.nn.summaries import OwnSummarySettings
from regard.nn.summaries.structured import overlap, penalty
from regard.search import BeamSettings
from regard.text import tokenisers
from regard.text.tokenisers import LabelSettings, WordSettings

ENCODERS: list[EncoderSettings] = forms(
    TextEncoderSettings,
    {
        "size": [4],
        "cell": ["lstm", "gru"],
        "activation": ["gelu"],
        "norm": ["pre"],
        "positions": [SinusoidalSettings()],
        "num_hops": [3],
    },
)
ALL = [ClassifierSettings(embedding=VectorSettings(size=6), encoder=encoder, hidden=16) for encoder in ENCODERS]
NUM_CLASSES = 4
CLASS_B = torch.tensor([2, 0, 3])


@cache
def network(settings: ClassifierSettings) -> networks.Classifier:
    built = models.build_classifier(settings, num_tokens=NUM_TOKENS, num_classes=NUM_CLASSES).double()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.copy_(0.6 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return built


@pytest.mark.parametrize("settings", ALL, ids=name)
def test_padding_is_invisible(settings: ClassifierSettings) -> None:
    model = network(settings)
    tight, loose = batch(examples()), batch(examples(), more_source=4)
    with torch.no_grad():
        expected, actual = model(*tight[:2]), model(*loose[:2])
        assert close(actual.logprobs_BC, expected.logprobs_BC)
        assert close(actual.memory.summary_BM, expected.memory.summary_BM)
        assert close(model.loss(*loose[:2], CLASS_B).total, model.loss(*tight[:2], CLASS_B).total)
        if actual.memory.hops_BRS is not None:
            assert not actual.memory.hops_BRS[~actual.memory.mask_BS[:, None].expand_as(actual.memory.hops_BRS)].any()
            assert close(actual.memory.hops_BRS.sum(-1), torch.ones(3, 3, dtype=torch.float64))
        for row, example in enumerate(examples()):
            assert close(model(*batch([example])[:2]).logprobs_BC[0], expected.logprobs_BC[row])


@pytest.mark.parametrize("settings", ALL, ids=name)
def test_every_parameter_gets_a_finite_gradient(settings: ClassifierSettings) -> None:
    model = network(settings)
    names, parameters = zip(*model.named_parameters(), strict=True)
    loss = model.loss(*batch(examples())[:2], CLASS_B, smoothing=0.1).total
    for part, gradient in zip(names, torch.autograd.grad(loss, parameters), strict=True):
        assert gradient.isfinite().all() and gradient.any(), part


@pytest.mark.parametrize("settings", ALL, ids=name)
def test_the_loss_is_that_of_the_right_labels(settings: ClassifierSettings) -> None:
    model, tensors = network(settings), batch(examples())[:2]
    with torch.no_grad():
        logprobs_BC, memory = model(*tensors)
        loss = model.loss(*tensors, CLASS_B)
    assert close(loss.nll, -logprobs_BC[torch.arange(3), CLASS_B].sum())
    assert close(loss.total - loss.nll, torch.as_tensor(model.encoder.penalty(memory), dtype=torch.float64))
    assert loss.num_tokens == 3


@pytest.mark.parametrize("settings", covering(ALL), ids=name)
def test_each_rate_counts(settings: ClassifierSettings) -> None:
    def loss(settings: ClassifierSettings) -> Tensor:
        with torch.no_grad():
            return network(settings).loss(*batch(examples())[:2], CLASS_B, noise=Noise(1, 2)).total

    # the last state of one recurrent layer is read by the classifier alone, which has a rate of its own
    unread = isinstance(settings.encoder, RnnEncoderSettings) and settings.encoder.summary == OwnSummarySettings()
    for path, noisy in rates(settings):
        if unread and path == ".encoder.dropout":
            continue
        assert not torch.equal(loss(noisy), loss(without_dropout(settings))), path


def test_hops_that_look_at_the_same_place_cost() -> None:
    """AAᵀ of two hops on one position is all ones: ‖AAᵀ − I‖² = 2; on two positions it is I."""
    same, apart = torch.tensor([[[1.0, 0, 0], [1, 0, 0]]]), torch.tensor([[[1.0, 0, 0], [0, 1, 0]]])
    assert penalty(same).item() == pytest.approx(2) and penalty(apart).item() == pytest.approx(0)
    assert overlap(same).item() == pytest.approx(1) and overlap(apart).item() == pytest.approx(0)


@pytest.mark.parametrize("settings", ALL[::2], ids=name)
def test_a_loaded_model_is_the_saved_one(settings: ClassifierSettings, tmp_path: Path) -> None:
    texts, labels = ["how far is it", "who was she", "where is the sea"], ["number", "person", "7"]
    pieces = {
        "source": tokenisers.train(WordSettings(min_count=1), texts),
        "target": tokenisers.train(LabelSettings(), labels),
    }
    torch.manual_seed(3)
    config = Config(
        format=FORMAT,
        regard=regard.__version__,
        task="classify",
        model=settings,
        search=BeamSettings(),
        measures=[],
        training={},
    )
    model = Classifier(tasks.build(settings, pieces), config)  # type: ignore[arg-type]
    save(model, tmp_path / "model", "a card")
    loaded = load(tmp_path)
    assert isinstance(loaded, Classifier)
    assert sorted(loaded.labels) == sorted(labels)
    assert loaded.classify(texts) == model.classify(texts)
    assert np.array_equal(loaded.embed(texts), model.embed(texts))
    assert sum(loaded.classify(texts)[0].probabilities.values()) == pytest.approx(1)


def test_variants_are_distinct() -> None:
    assert len({msgspec.json.encode(settings) for settings in ALL}) == len(ALL) > 8
