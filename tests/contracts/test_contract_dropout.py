"""Dropout is a pure function of (seed, step, part, place)."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, get_args

import msgspec
import pytest
import torch
from torch import Tensor
from variants import DEEP, FEW, SCORES, WINDOWS, batch, close, examples, forms, name, network, rates, without_dropout

from regard.models import Seq2SeqSettings
from regard.nn.cells import CellKind, Stack
from regard.nn.decoders import DecoderSettings
from regard.nn.dropout import Noise, dropout
from regard.nn.wirings import AfterSettings

NOISE = Noise(seed=1, step=2, part=3)
OTHERS = [Noise(9, 2, 3), Noise(1, 9, 3), Noise(1, 2, 9)]


def loss(settings: Seq2SeqSettings, noise: Noise | None) -> Tensor:
    with torch.no_grad():
        return network(settings).loss(*batch(examples()), noise=noise).total


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_the_same_noise_gives_the_same_loss_and_no_other_does(settings: Seq2SeqSettings) -> None:
    assert torch.equal(loss(settings, NOISE), loss(settings, NOISE))
    losses = {loss(settings, noise).item() for noise in (NOISE, *OTHERS, None)}
    assert len(losses) == 5


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_no_noise_or_no_rate_is_no_dropout(settings: Seq2SeqSettings) -> None:
    plain = without_dropout(settings)
    assert torch.equal(loss(plain, NOISE), loss(plain, None))
    assert torch.equal(loss(settings, None), loss(plain, None))


@pytest.mark.parametrize("settings", DEEP, ids=name)
def test_each_rate_counts(settings: Seq2SeqSettings) -> None:
    still = loss(without_dropout(settings), NOISE)
    for path, noisy in rates(settings):
        assert not torch.equal(loss(noisy, NOISE), still), path


@pytest.mark.parametrize("cell", get_args(CellKind))
def test_wirings_draw_the_same_masks_at_once_and_step_by_step(cell: CellKind) -> None:
    """Feeding zeros is not feeding, but goes step by step."""
    unfed, fed = (two_layers(cell, feed=feed) for feed in (False, True))
    first, first_fed = (model.decoder.stack.layers[0].rnn.weight_ih_l0 for model in (unfed, fed))
    with torch.no_grad():
        for path, parameter in unfed.named_parameters():
            if parameter is not first:
                fed.get_parameter(path).copy_(parameter)
        first_fed.copy_(torch.cat([first, torch.zeros_like(first)], dim=1))
        losses = [model.loss(*batch(examples()), noise=NOISE).total for model in (unfed, fed)]
    assert close(*losses)


def two_layers(cell: CellKind, *, feed: bool) -> Any:
    wiring = AfterSettings(score=SCORES[0], window=WINDOWS[0], feed=feed)
    decoders = forms(DecoderSettings, {"size": [8], "num_layers": [2], "cell": [cell], "wiring": [wiring]})
    return deepcopy(network(msgspec.structs.replace(FEW[0], decoder=decoders[0])))


@pytest.mark.parametrize("noise", [NOISE, None], ids=["noise", "still"])
@pytest.mark.parametrize("cell", get_args(CellKind))
def test_a_stack_draws_the_same_masks_step_by_step(cell: CellKind, noise: Noise | None) -> None:
    torch.manual_seed(1)
    stack = Stack(cell, input_size=3, size=4, num_layers=3, dropout=0.4).double()
    x_BTI = torch.randn(2, 5, 3, dtype=torch.float64)
    cells = tuple(tuple(torch.randn(stack.num_parts, 2, 4, dtype=torch.float64)) for _ in range(3))
    with torch.no_grad():
        expected_BTD, last = stack(x_BTI, cells, noise, "here")
        masks = stack.masks(noise, "here", x_BTI)
        assert masks[0] is None and all((mask is None) == (noise is None) for mask in masks[1:])
        for t in range(5):
            cells = stack.step(x_BTI[:, t], cells, masks, t)
            assert close(cells[-1][0], expected_BTD[:, t])
    for stepped, whole in zip(cells, last, strict=True):
        assert all(close(x, y) for x, y in zip(stepped, whole, strict=True))


def test_masks_drop_the_share_they_are_told_to_and_keep_the_mean() -> None:
    x = torch.ones(200, 500, dtype=torch.float64)
    for rate in (0.1, 0.5, 0.9):
        dropped = dropout(x, rate, NOISE, "here")
        assert (dropped == 0).double().mean().item() == pytest.approx(rate, abs=0.01)
        assert dropped.mean().item() == pytest.approx(1, abs=0.03)
        assert len(torch.unique(dropped)) == 2
    assert not torch.equal(dropout(x, 0.5, NOISE, "here"), dropout(x, 0.5, NOISE, "there"))


def test_a_rate_that_drops_nearly_all_leaves_numbers() -> None:
    assert dropout(torch.ones(1000), 0.9999, NOISE, "here").isfinite().all()
