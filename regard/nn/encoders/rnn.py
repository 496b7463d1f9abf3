"""h_s = [→h_s; ←h_s] (Bahdanau et al. 2015, eq. 7); the summary is the last state of each direction."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from regard.nn import masks
from regard.nn.cells import CellKind, Layer
from regard.nn.dropout import Noise, dropout
from regard.nn.encoders.base import Encoder
from regard.nn.fast import reading
from regard.nn.memory import Memory
from regard.nn.summaries.base import Summary


class RnnEncoder(Encoder):
    def __init__(
        self,
        input_size: int,
        *,
        cell: CellKind,
        size: int,
        num_layers: int,
        bidirectional: bool,
        dropout: float,
        summary: Summary | None = None,
        fast: bool = True,
    ) -> None:
        super().__init__()
        self.size = size
        self.summary = summary
        self.memory_size = 2 * size if bidirectional else size
        self.dropout = dropout
        inputs = [input_size] + [self.memory_size] * (num_layers - 1)
        self.layers = nn.ModuleList([Readers(cell, width, size, bidirectional, fast) for width in inputs])

    def forward(
        self, source_BSE: Tensor, length_B: Tensor, noise: Noise | None = None, *, look: bool = False
    ) -> Memory:
        mask_BS = masks.real(length_B, source_BSE.shape[1])
        reversal_BS = _reversal(length_B, source_BSE.shape[1])
        x = source_BSE
        for number, readers in enumerate(self.layers):
            x = readers(dropout(x, self.dropout, noise, f"encoder.{number}") if number > 0 else x, reversal_BS)
        # padding is read after the real positions in both directions: it is cut off here, and has harmed nobody
        x = x * mask_BS[:, :, None]
        last_B1D = (length_B - 1)[:, None, None].expand(-1, 1, self.size)
        summary_BM = x[:, :, : self.size].gather(1, last_B1D)[:, 0]
        if self.memory_size > self.size:
            summary_BM = torch.cat([summary_BM, x[:, 0, self.size :]], dim=-1)
        return self.remember(dropout(x, self.dropout, noise, "encoder.memory"), mask_BS, length_B, summary_BM)


class Readers(nn.Module):
    """One layer: a reader from the front, and perhaps one from the end of each sentence."""

    def __init__(self, cell: CellKind, input_size: int, size: int, bidirectional: bool, fast: bool = True) -> None:
        super().__init__()
        self.fast = fast
        self.forwards = Layer(cell, input_size, size)
        self.backwards = Layer(cell, input_size, size) if bidirectional else None

    def forward(self, x_BSI: Tensor, reversal_BS: Tensor) -> Tensor:
        if self.backwards is None:
            (states_BSD,) = self._read([self.forwards], [x_BSI])
            return states_BSD
        inputs = [x_BSI, _reorder(x_BSI, reversal_BS)]
        states_BSD, reversed_BSD = self._read([self.forwards, self.backwards], inputs)
        return torch.cat([states_BSD, _reorder(reversed_BSD, reversal_BS)], dim=-1)

    def _read(self, layers: list[Layer], inputs: list[Tensor]) -> list[Tensor]:
        # other devices have kernels of their own for a whole sequence
        if self.fast and inputs[0].device.type == "cpu" and reading.known(layers):
            return reading.read(layers, inputs)
        return [layer.run(x_BSI) for layer, x_BSI in zip(layers, inputs, strict=True)]


def _reversal(length_B: Tensor, size: int) -> Tensor:
    """Indices that reverse each sentence within its true length and leave its padding at the end. Its own inverse."""
    position_S = torch.arange(size, device=length_B.device)
    return torch.where(position_S < length_B[:, None], length_B[:, None] - 1 - position_S, position_S)


def _reorder(x_BSI: Tensor, index_BS: Tensor) -> Tensor:
    num_rows, num_positions = index_BS.shape
    first_B1 = num_positions * torch.arange(num_rows, device=index_BS.device)[:, None]
    return x_BSI.flatten(0, 1).index_select(0, (first_B1 + index_BS).flatten()).view_as(x_BSI)
