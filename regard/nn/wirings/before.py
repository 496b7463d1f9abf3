"""Attention before the cell (Bahdanau et al. 2015, section 3.1 and A.2.2).

context = attend(s(t−1))        s(t) = cell([y; context], s(t−1))        features = tanh(W[s; context; y])
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from regard.nn.attention import Attention
from regard.nn.cells import Cells, Stack
from regard.nn.dropout import Noise
from regard.nn.memory import Memory, State
from regard.nn.products import Linear
from regard.nn.wirings.base import PLACE, Stepped, Wiring, attend


class Before(Wiring):
    def __init__(self, attention: Attention, embedding_size: int, memory_size: int, size: int) -> None:
        super().__init__()
        self.attention = attention
        self.input_size = memory_size
        self.sums_to_one = attention.window.sums_to_one
        self.readout = Linear(size + memory_size + embedding_size, embedding_size)

    def prepare(self, memory: Memory) -> Tensor:
        return self.attention.prepare(memory)

    def step(self, y_RE: Tensor, stack: Stack, cells: Cells, state: State) -> Stepped:
        context_RM, weights_RS = attend(self.attention, cells[-1][0], state)
        cells = stack.step(torch.cat([y_RE, context_RM], dim=-1), cells)
        return Stepped(self.read(cells[-1][0], context_RM, y_RE), weights_RS, cells)

    def forward(
        self, y_BTE: Tensor, stack: Stack, cells: Cells, state: State, noise: Noise | None
    ) -> tuple[Tensor, Tensor]:
        masks = stack.masks(noise, PLACE, y_BTE)
        states, contexts, weights = [], [], []
        for t, y_BE in enumerate(y_BTE.unbind(1)):
            state = replace(state, rows={"position": torch.full_like(state.position_R, t)})
            context_BM, weights_BS = attend(self.attention, cells[-1][0], state)
            cells = stack.step(torch.cat([y_BE, context_BM], dim=-1), cells, masks, t)
            states.append(cells[-1][0])
            contexts.append(context_BM)
            weights.append(weights_BS)
        # only the recurrence has to go step by step: the features of all positions are one product
        features_BTE = self.read(torch.stack(states, 1), torch.stack(contexts, 1), y_BTE)
        return features_BTE, torch.stack(weights, 1)

    def read(self, s: Tensor, context: Tensor, y: Tensor) -> Tensor:
        return torch.tanh(self.readout(torch.cat([s, context, y], dim=-1)))
