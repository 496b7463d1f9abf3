"""Recurrent cells and stacks of them.

    tanh   h = tanh(W x + U h + b)                                           (Elman 1990)
    gru    r, z = σ(W x + U h + b);  n = tanh(W x + r ⊙ (U h + b));  h = (1 − z) ⊙ n + z ⊙ h       (Cho et al. 2014)
    lstm   i, f, o = σ(W x + U h + b);  c = f ⊙ c + i ⊙ tanh(W x + U h + b);  h = o ⊙ tanh(c)
           (Hochreiter and Schmidhuber 1997; Gers et al. 2000)

The gates and their order are torch's, so that a sequence whose inputs are all known runs in one library call.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from regard.nn.dropout import Noise, dropout

CellKind = Literal["tanh", "gru", "lstm"]
Cells = tuple[tuple[Tensor, ...], ...]  # for each layer (h,) or (h, c)

_LIBRARY = {"tanh": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}
_STEP = {"tanh": torch.rnn_tanh_cell, "gru": torch.gru_cell, "lstm": torch.lstm_cell}


class Layer(nn.Module):
    """One layer of one kind of cell: over a whole sequence, or a step at a time."""

    def __init__(self, kind: CellKind, input_size: int, size: int) -> None:
        super().__init__()
        self.kind = kind
        self.size = size
        self.rnn = _LIBRARY[kind](input_size, size, batch_first=True)

    def forward(self, x_BTI: Tensor, cell: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        """All positions at once: the states h_BTD, and the last cell."""
        start = tuple(part[None] for part in cell)
        h_BTD, last = self.rnn(x_BTI, start if self.kind == "lstm" else start[0])
        return h_BTD, tuple(part[0] for part in (last if self.kind == "lstm" else (last,)))

    def run(self, x_BTI: Tensor) -> Tensor:
        """All positions, from a state of zeros."""
        zero_BD = x_BTI.new_zeros(x_BTI.shape[0], self.size)
        h_BTD: Tensor = self(x_BTI, (zero_BD, zero_BD) if self.kind == "lstm" else (zero_BD,))[0]
        return h_BTD

    def step(self, x_RI: Tensor, cell: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """One position: the next cell."""
        rnn = self.rnn
        state = cell if self.kind == "lstm" else cell[0]
        new = _STEP[self.kind](x_RI, state, rnn.weight_ih_l0, rnn.weight_hh_l0, rnn.bias_ih_l0, rnn.bias_hh_l0)  # type: ignore[operator]
        return tuple(new) if self.kind == "lstm" else (new,)


class Stack(nn.Module):
    """Layers on top of each other, with dropout between them."""

    def __init__(self, kind: CellKind, input_size: int, size: int, num_layers: int, dropout: float) -> None:
        super().__init__()
        self.size = size
        self.dropout = dropout
        self.num_parts = 2 if kind == "lstm" else 1
        sizes = [input_size] + [size] * (num_layers - 1)
        self.layers = nn.ModuleList([Layer(kind, inputs, size) for inputs in sizes])

    def forward(self, x_BTI: Tensor, cells: Cells, noise: Noise | None, place: str) -> tuple[Tensor, Cells]:
        new: list[tuple[Tensor, ...]] = []
        for number, (layer, cell) in enumerate(zip(self.layers, cells, strict=True)):
            if number > 0:
                x_BTI = dropout(x_BTI, self.dropout, noise, f"{place}.{number}")
            x_BTI, last = layer(x_BTI, cell)
            new.append(last)
        return x_BTI, tuple(new)

    def masks(self, noise: Noise | None, place: str, like_BTI: Tensor) -> list[Tensor | None]:
        """The masks that `forward` would draw, for those who step through a sequence: [:, t] belongs to step t."""
        if noise is None or self.dropout == 0:
            return [None] * len(self.layers)
        shape = (*like_BTI.shape[:2], self.size)
        drawn = [
            noise.mask(f"{place}.{number}", shape, self.dropout, like_BTI) for number in range(1, len(self.layers))
        ]
        return [None, *drawn]

    def step(self, x_RI: Tensor, cells: Cells, masks: list[Tensor | None] | None = None, t: int = 0) -> Cells:
        new: list[tuple[Tensor, ...]] = []
        for number, (layer, cell) in enumerate(zip(self.layers, cells, strict=True)):
            mask_BTD = masks[number] if masks else None
            if mask_BTD is not None:
                x_RI = x_RI * mask_BTD[:, t]
            assert isinstance(layer, Layer)
            new.append(layer.step(x_RI, cell))
            x_RI = new[-1][0]
        return tuple(new)


def to_rows(cells: Cells) -> dict[str, Tensor]:
    """Cells as named rows of a State."""
    return {f"cell.{layer}.{part}": x for layer, cell in enumerate(cells) for part, x in enumerate(cell)}


def from_rows(rows: dict[str, Tensor], num_layers: int, num_parts: int) -> Cells:
    return tuple(tuple(rows[f"cell.{layer}.{part}"] for part in range(num_parts)) for layer in range(num_layers))
