"""Attention after the cell (Luong et al. 2015, eq. 5), without and with input feeding (section 3.3).

s(t) = cell(y, s(t−1))  or  cell([y; features(t−1)], s(t−1))        features(t) = tanh(W[context of s(t); s(t)])
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from regard.nn.attention import Attention
from regard.nn.cells import Cells, Stack
from regard.nn.dropout import Noise
from regard.nn.memory import Memory, State
from regard.nn.positions.base import in_order
from regard.nn.products import Linear
from regard.nn.wirings.base import PLACE, Stepped, Wiring, attend


class After(Wiring):
    """Without feeding: the cells never see the memory, so that a whole target is one call and one product."""

    input_size = 0

    def __init__(self, attention: Attention, embedding_size: int, memory_size: int, size: int) -> None:
        super().__init__()
        self.attention = attention
        self.sums_to_one = attention.window.sums_to_one
        self.readout = Linear(memory_size + size, embedding_size, bias=False)

    def prepare(self, memory: Memory) -> Tensor:
        return self.attention.prepare(memory)

    def step(self, y_RE: Tensor, stack: Stack, cells: Cells, state: State) -> Stepped:
        cells = stack.step(y_RE, cells)
        context_RM, weights_RS = attend(self.attention, cells[-1][0], state)
        return Stepped(self._read(context_RM, cells[-1][0]), weights_RS, cells)

    def forward(
        self, y_BTE: Tensor, stack: Stack, cells: Cells, state: State, noise: Noise | None
    ) -> tuple[Tensor, Tensor]:
        s_BTD, _ = stack(y_BTE, cells, noise, PLACE)
        context_BTM, weights_BTS = self.attention(s_BTD, state.keys, state.memory, in_order(y_BTE))
        return self._read(context_BTM, s_BTD), weights_BTS

    def _read(self, context: Tensor, s: Tensor) -> Tensor:
        return torch.tanh(self.readout(torch.cat([context, s], dim=-1)))


class AfterFed(After):
    """With feeding: the cells know what was looked at before."""

    def __init__(self, attention: Attention, embedding_size: int, memory_size: int, size: int) -> None:
        super().__init__(attention, embedding_size, memory_size, size)
        self.input_size = embedding_size

    def first_fed(self, memory: Memory) -> Tensor:
        return memory.summary_BM.new_zeros(memory.length_B.shape[0], self.input_size)

    def step(self, y_RE: Tensor, stack: Stack, cells: Cells, state: State) -> Stepped:
        cells = stack.step(torch.cat([y_RE, state.rows["fed"]], dim=-1), cells)
        return self._look(cells, state)

    def forward(
        self, y_BTE: Tensor, stack: Stack, cells: Cells, state: State, noise: Noise | None
    ) -> tuple[Tensor, Tensor]:
        masks = stack.masks(noise, PLACE, y_BTE)
        fed_BE = state.rows["fed"]
        features, weights = [], []
        for t, y_BE in enumerate(y_BTE.unbind(1)):
            state = replace(state, rows={"position": torch.full_like(state.position_R, t)})
            cells = stack.step(torch.cat([y_BE, fed_BE], dim=-1), cells, masks, t)
            fed_BE, weights_BS, *_ = self._look(cells, state)
            features.append(fed_BE)
            weights.append(weights_BS)
        return torch.stack(features, 1), torch.stack(weights, 1)  # type: ignore[arg-type]

    def _look(self, cells: Cells, state: State) -> Stepped:
        context_RM, weights_RS = attend(self.attention, cells[-1][0], state)
        features_RE = self._read(context_RM, cells[-1][0])
        return Stepped(features_RE, weights_RS, cells, features_RE)
