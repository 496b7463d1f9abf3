"""No attention: all that the decoder knows of the source is its summary.

once      s(t) = cell(y, s(t−1)),            features = tanh(W s)                     (Sutskever et al. 2014)
always    s(t) = cell([y; summary], s(t−1)), features = tanh(W[s; summary; y])        (Cho et al. 2014)
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.cells import Cells, Stack
from regard.nn.dropout import Noise
from regard.nn.memory import State
from regard.nn.products import Linear
from regard.nn.wirings.base import PLACE, Stepped, Wiring


class Once(Wiring):
    input_size = 0

    def __init__(self, embedding_size: int, size: int) -> None:
        super().__init__()
        self.readout = Linear(size, embedding_size)

    def step(self, y_RE: Tensor, stack: Stack, cells: Cells, state: State) -> Stepped:
        cells = stack.step(y_RE, cells)
        return Stepped(torch.tanh(self.readout(cells[-1][0])), None, cells)

    def forward(
        self, y_BTE: Tensor, stack: Stack, cells: Cells, state: State, noise: Noise | None
    ) -> tuple[Tensor, None]:
        s_BTD, _ = stack(y_BTE, cells, noise, PLACE)
        return torch.tanh(self.readout(s_BTD)), None


class Always(Wiring):
    def __init__(self, embedding_size: int, summary_size: int, size: int) -> None:
        super().__init__()
        self.input_size = summary_size
        self.readout = Linear(size + summary_size + embedding_size, embedding_size)

    def step(self, y_RE: Tensor, stack: Stack, cells: Cells, state: State) -> Stepped:
        summary_RM = state.memory.summary_BM.index_select(0, state.sentence_R)
        cells = stack.step(torch.cat([y_RE, summary_RM], dim=-1), cells)
        return Stepped(self._read(cells[-1][0], summary_RM, y_RE), None, cells)

    def forward(
        self, y_BTE: Tensor, stack: Stack, cells: Cells, state: State, noise: Noise | None
    ) -> tuple[Tensor, None]:
        summary_BTM = state.memory.summary_BM[:, None].expand(-1, y_BTE.shape[1], -1)
        s_BTD, _ = stack(torch.cat([y_BTE, summary_BTM], dim=-1), cells, noise, PLACE)
        return self._read(s_BTD, summary_BTM, y_BTE), None

    def _read(self, s: Tensor, summary: Tensor, y: Tensor) -> Tensor:
        return torch.tanh(self.readout(torch.cat([s, summary, y], dim=-1)))
