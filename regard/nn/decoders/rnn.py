"""The recurrent decoder: a stack of cells, a bridge from the encoder, and a wiring."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from regard.nn.cells import CellKind, Cells, Stack, from_rows, to_rows
from regard.nn.decoders.base import Decoder
from regard.nn.dropout import Noise, dropout
from regard.nn.embedding import Embedding
from regard.nn.fast import decode, steps
from regard.nn.fast.steps import Steps
from regard.nn.memory import Memory, Output, State
from regard.nn.products import Linear
from regard.nn.wirings.base import Stepped, Wiring


class RnnDecoder(Decoder):
    def __init__(
        self,
        embedding_size: int,
        summary_size: int,
        *,
        cell: CellKind,
        size: int,
        num_layers: int,
        dropout: float,
        wiring: Wiring,
        fast: bool = True,
    ) -> None:
        super().__init__()
        self.num_layers = num_layers
        self.dropout = dropout
        self.wiring = wiring
        self.attends = hasattr(wiring, "attention")
        self.sums_to_one = wiring.sums_to_one
        self.stack = Stack(cell, embedding_size + wiring.input_size, size, num_layers, dropout)
        self.bridge = Bridge(summary_size, size, num_layers, self.stack.num_parts)
        self.fast = fast

    def start(self, memory: Memory) -> State:
        return State(memory, self.wiring.prepare(memory), self.first_rows(memory))

    def first_rows(self, memory: Memory) -> dict[str, Tensor]:
        """The part of the first state that search reorders."""
        rows = to_rows(self.bridge(memory.summary_BM)) | {"position": torch.zeros_like(memory.length_B)}
        fed_BE = self.wiring.first_fed(memory)
        if fed_BE is not None:
            rows["fed"] = fed_BE
        return rows

    def step(self, y_RE: Tensor, state: State, *, look: bool = False) -> tuple[Output, State]:
        return self.stepped(self.wiring.step(y_RE, self.stack, self._cells(state), state), state, look)

    def stepped(self, done: Stepped, state: State, look: bool) -> tuple[Output, State]:
        """What a wiring's step has given, as a step of the decoder."""
        rows = to_rows(done.cells) | {"position": state.position_R + 1}
        if done.fed_RE is not None:
            rows["fed"] = done.fed_RE
        weights = done.weights_RS[:, None, None, None] if look and done.weights_RS is not None else None
        return Output(done.features_RE[:, None], weights), replace(state, rows=rows)

    def twin(self, embedding: Embedding, *, width: int, num_rows: int) -> Steps | None:
        return steps.twin(self, embedding, width=width, num_rows=num_rows) if self.fast else None

    def forward(
        self, y_BTE: Tensor, memory: Memory, noise: Noise | None = None, *, look: bool = False, back: bool = False
    ) -> Output:
        assert not back, "its past is a state"
        state = self.start(memory)
        cells = self._cells(state)
        twin = decode.twin(self.wiring, self.stack) if self.fast else None
        if twin is not None:
            features_BTE, weights_BTS = twin(self.wiring, y_BTE, self.stack, cells, state, look)
        else:
            features_BTE, weights_BTS = self.wiring(y_BTE, self.stack, cells, state, noise)
        weights = weights_BTS[:, None, None] if look and weights_BTS is not None else None
        return Output(dropout(features_BTE, self.dropout, noise, "decoder.features"), weights)

    def _cells(self, state: State) -> Cells:
        return from_rows(state.rows, self.num_layers, self.stack.num_parts)


class Bridge(nn.Module):
    """The first state of each layer, h and c, from the summary: tanh(W summary + b) (Bahdanau et al. 2015, A.2.2)."""

    def __init__(self, summary_size: int, size: int, num_layers: int, num_parts: int) -> None:
        super().__init__()
        self.shape = (num_layers, num_parts, size)
        self.map = Linear(summary_size, num_layers * num_parts * size)

    def forward(self, summary_BM: Tensor) -> Cells:
        parts = torch.tanh(self.map(summary_BM)).unflatten(-1, self.shape)
        return tuple(tuple(part.unbind(1)) for part in parts.unbind(1))
