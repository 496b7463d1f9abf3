"""Attention: score + window + mask → weights and context. The only softmax over positions (fast twins apart).

e = score(q, k)        α = softmax(e) · gain        context = Σ_s α_s h_s        (Bahdanau et al. 2015, eq. 5 and 6)
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from regard.nn.memory import Memory
from regard.nn.scores.base import Score
from regard.nn.windows.base import Window


class Attended(NamedTuple):
    context_BTM: Tensor
    weights_BTS: Tensor


class Attention(nn.Module):
    def __init__(self, score: Score, window: Window) -> None:
        super().__init__()
        self.score = score
        self.window = window

    def prepare(self, memory: Memory) -> Tensor:
        return self.score.prepare(memory.states_BSM)

    def forward(self, query_BTD: Tensor, keys: Tensor, memory: Memory, position_BT: Tensor) -> Attended:
        weights_BTS = self.weights(query_BTD, keys, memory, position_BT)
        return Attended(weights_BTS @ memory.states_BSM, weights_BTS)

    def weights(self, query_BTD: Tensor, keys: Tensor, memory: Memory, position_BT: Tensor) -> Tensor:
        """Where each query looks, and how much."""
        scores_BTS = self.score(query_BTD, keys)
        mask_BTS, gain_BTS = self.window(query_BTD, memory.length_B, position_BT, scores_BTS.shape[-1])
        allowed_BTS = memory.mask_BS[:, None] if mask_BTS is None else memory.mask_BS[:, None] & mask_BTS
        weights_BTS = weigh(scores_BTS, allowed_BTS)
        return weights_BTS if gain_BTS is None else weights_BTS * gain_BTS


def weigh(scores_BTS: Tensor, mask_BTS: Tensor | None) -> Tensor:
    """Softmax over the positions that may be looked at (None: all); the others get exactly 0."""
    allowed_BTS = scores_BTS if mask_BTS is None else scores_BTS.masked_fill(~mask_BTS, -torch.inf)
    return torch.softmax(allowed_BTS, dim=-1)
