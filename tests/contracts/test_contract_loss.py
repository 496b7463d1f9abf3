"""The loss, against loops in plain Python."""

from __future__ import annotations

import math
import statistics

import pytest
import torch
from torch import Tensor, nn
from variants import CELLS, FEW, Tensors, batch, close, examples, name, network, without_dropout

from regard.models import Seq2SeqSettings
from regard.models.seq2seq import Seq2Seq
from regard.nn.dropout import Noise
from regard.nn.embedding import OutputLayer
from regard.nn.loss import cross_entropy

STILL = list(dict.fromkeys(without_dropout(settings) for settings in [*FEW, *CELLS[::5]]))


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.6])
def test_label_smoothing(smoothing: float) -> None:
    logits_NV, target_N = torch.randn(4, 5, dtype=torch.float64), torch.tensor([0, 3, 1, 4])
    total = nll = 0.0
    for logits, target in zip(logits_NV.tolist(), target_N.tolist(), strict=True):
        norm = math.log(sum(math.exp(logit) for logit in logits))
        logprobs = [logit - norm for logit in logits]
        nll -= logprobs[target]
        for token, logprob in enumerate(logprobs):
            share = smoothing / len(logits) + (1 - smoothing) * (token == target)
            total -= share * logprob
    # an output layer that changes nothing: features are logits
    output = OutputLayer(nn.Parameter(torch.eye(5, dtype=torch.float64))).double()
    loss = cross_entropy(logits_NV, output, target_N, smoothing)
    assert loss.total.item() == pytest.approx(total, abs=1e-12)
    assert loss.nll.item() == pytest.approx(nll, abs=1e-12)
    assert loss.num_tokens == 4


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_the_loss_is_the_sum_of_the_forced_logprobs(settings: Seq2SeqSettings) -> None:
    model, tensors = network(settings), batch(examples())
    with torch.no_grad():
        loss = model.loss(*tensors)
        logprobs = [way.force(one).logprobs_BT.sum() for one, way in tensors.ways(model)]
        penalty = model.encoder.penalty(tensors.memory(model))
    assert close(loss.nll, -torch.stack(logprobs).mean())
    assert close(loss.total, loss.nll + penalty)
    assert loss.num_tokens == int(tensors.target_length_B.sum())


def walk(model: Seq2Seq, tensors: Tensors, given_BT: Tensor) -> Tensor:
    """logits_BTV of targets given token by token."""
    state, logits = model.start(tensors.memory(model)), []
    for t in range(given_BT.shape[1]):
        logits_BV, _, state = model.step(given_BT[:, t], state)
        logits.append(logits_BV)
    return torch.stack(logits, dim=1)


def nll(logits_BTV: Tensor, tensors: Tensors) -> float:
    total = 0.0
    for row, length in enumerate(tensors.target_length_B.tolist()):
        for t in range(length):
            total -= torch.log_softmax(logits_BTV[row, t], -1)[tensors.target_BT[row, t + 1]].item()
    return total


@pytest.mark.parametrize("settings", STILL, ids=name)
def test_sampling_all_feeds_what_the_network_would_have_said(settings: Seq2SeqSettings) -> None:
    model, tensors = network(settings), batch(examples())
    expected = []
    with torch.no_grad():
        for one, way in tensors.ways(model):
            given_BT = way.target_BT[:, :-1]
            own_BT = walk(one, way, given_BT).argmax(-1)
            fed_BT = torch.cat([given_BT[:, :1], own_BT[:, :-1]], dim=1)
            assert not torch.equal(fed_BT, given_BT)
            expected.append(nll(walk(one, way, fed_BT), way))
        loss = model.loss(*tensors, sampling=1.0, noise=Noise(1, 1))
        assert loss.nll.item() == pytest.approx(statistics.mean(expected), abs=1e-9)


@pytest.mark.parametrize("settings", STILL[:3], ids=name)
def test_sampling_nothing_is_teacher_forcing(settings: Seq2SeqSettings) -> None:
    model, tensors = network(settings), batch(examples())
    with torch.no_grad():
        taught = nll(walk(model, tensors, tensors.target_BT[:, :-1]), tensors)
        for sampling, noise in ((0.0, None), (0.0, Noise(1, 1)), (1e-12, Noise(1, 1)), (1.0, None)):
            assert model.loss(*tensors, sampling=sampling, noise=noise).nll.item() == pytest.approx(taught, abs=1e-9)


def test_sampling_a_share_lies_between_and_follows_the_noise() -> None:
    model, tensors = network(STILL[0]), batch(examples())
    with torch.no_grad():
        losses = [model.loss(*tensors, sampling=0.5, noise=Noise(1, step)).nll.item() for step in (1, 1, 2, 3)]
    assert losses[0] == losses[1]
    assert len(set(losses)) == 3
