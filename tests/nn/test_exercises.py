"""Attention by hand: worked exercises, and one example for each score."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from regard.nn import scores
from regard.nn.attention import Attention, weigh
from regard.nn.memory import Memory
from regard.nn.scores.additive import AdditiveScore
from regard.nn.scores.base import Score
from regard.nn.windows.everywhere import Everywhere


def tensor(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def set_weight(linear: nn.Linear, weight: Any, bias: Any = None) -> None:
    with torch.no_grad():
        linear.weight.copy_(tensor(weight))
        if linear.bias is not None:
            linear.bias.copy_(torch.zeros_like(linear.bias) if bias is None else tensor(bias))


# exercises


class Given(Score):
    """Scores that are given, so that the weights are known."""

    def __init__(self, scores_BTS: Tensor) -> None:
        super().__init__()
        self.scores_BTS = scores_BTS

    def prepare(self, memory_BSM: Tensor) -> Tensor:
        return memory_BSM

    def forward(self, query_BTD: Tensor, keys: Tensor) -> Tensor:
        return self.scores_BTS


def test_the_context_is_the_weighted_mean_of_the_states() -> None:
    states_BSM = tensor([[[1, 1], [2, 0]]])
    memory = Memory(states_BSM, torch.ones(1, 2, dtype=torch.bool), torch.tensor([2]), states_BSM[:, 0])
    attention = Attention(Given(tensor([[[0.3, 0.7]]]).log()), Everywhere())
    attended = attention(tensor([[[5, 6]]]), attention.prepare(memory), memory, torch.zeros(1, 1, dtype=torch.long))
    assert attended.weights_BTS[0, 0].tolist() == pytest.approx([0.3, 0.7])
    assert attended.context_BTM[0, 0].tolist() == pytest.approx([1.70, 0.30])


def test_weights_are_the_softmax_of_the_scores() -> None:
    weights = weigh(tensor([[[2, 1, 0]]]), torch.ones(1, 1, 3, dtype=torch.bool))
    assert weights[0, 0].tolist() == pytest.approx([0.665, 0.245, 0.090], abs=5e-4)


def test_what_may_not_be_looked_at_weighs_nothing() -> None:
    weights = weigh(tensor([[[2, 9, 1]]]), torch.tensor([[[True, False, True]]]))
    assert weights[0, 0].tolist() == pytest.approx([math.e / (math.e + 1), 0, 1 / (math.e + 1)])
    assert weights[0, 0, 1] == 0


def test_the_hidden_layer_of_the_additive_score() -> None:
    score = AdditiveScore(2, 2, size=2).double()
    set_weight(score.memory_map, [[0.5, -0.3], [0.2, 0.4]])
    set_weight(score.query_map, [[0.1, 0.2], [-0.3, 0.1]])
    keys = score.prepare(tensor([[[1, 2]]]))
    hidden = []
    for v in ([1, 0], [0, 1]):
        set_weight(score.v, [v])
        hidden.append(score(tensor([[[0.5, 1]]]), keys).item())
    assert hidden == pytest.approx([0.149, 0.740], abs=5e-4)


# one example a score: query s = [1, 2], memory h = [3, 1], W = [[1, 0], [1, 1]], W₁ = W₂ = I, b = 0, v = [1, −1]

BY_HAND = {
    "dot": 5.0,  # 3 + 2
    "scaled_dot": 5 / math.sqrt(2),
    "bilinear": 11.0,  # Wh = [3, 4], 3 + 8
    "general": 11.0,
    "scaled_bilinear": 11 / math.sqrt(2),
    "additive": math.tanh(4) - math.tanh(3),
    "concat": math.tanh(4) - math.tanh(3),
}


def kind_of(settings: Any) -> str:
    return str(settings.__struct_config__.tag)


@pytest.mark.parametrize("settings", [kind() for kind in get_args(scores.ScoreSettings)], ids=kind_of)
def test_one_score_by_hand(settings: Any) -> None:
    sized = {"size": 2} if hasattr(settings, "size") else {}
    score = scores.build(type(settings)(**sized), 2, 2).double()
    for linear, weight in (
        ("map", [[1, 0], [1, 1]]),
        ("memory_map", np.eye(2)),
        ("query_map", np.eye(2)),
        ("v", [[1, -1]]),
    ):
        if hasattr(score, linear):
            set_weight(getattr(score, linear), weight)
    assert score(tensor([[[1, 2]]]), score.prepare(tensor([[[3, 1]]]))).item() == pytest.approx(
        BY_HAND[kind_of(settings)]
    )
