"""Light recurrent cells, whose gates do not read the state before: c_t = f_t ⊙ c_{t−1} + u_t.

ssru     f = σ(W_f x + b)        u = (1 − f) ⊙ Wx            gives max(0, c)        (Kim et al. 2019, section 2.2)
mingru   f = 1 − σ(W_z x + b)    u = (1 − f) ⊙ (Wx + b)      gives c                (Feng et al. 2024, section 3.1)
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.dropout import Noise
from regard.nn.fast.scan import scan as fast_scan
from regard.nn.past.base import Past, Rows
from regard.nn.products import Linear


class _Light(Past):
    has_bias: bool

    def __init__(self, size: int, *, fast: bool = True) -> None:
        super().__init__()
        self.scan = fast_scan if fast else scan
        self.gate = Linear(size, size)
        self.value = Linear(size, size, bias=self.has_bias)

    def forward(
        self, x_BTD: Tensor, noise: Noise | None, place: str, *, look: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        return self._given(self.scan(*self._parts(x_BTD))), None

    def first(self, like_RD: Tensor) -> Rows:
        return {"cell": torch.zeros_like(like_RD)}

    def step(
        self, x_RD: Tensor, rows: Rows, position_R: Tensor, *, look: bool = False
    ) -> tuple[Tensor, Tensor | None, Rows]:
        keep_RD, new_RD = self._parts(x_RD)
        cell_RD = torch.addcmul(new_RD, keep_RD, rows["cell"])
        return self._given(cell_RD), None, {"cell": cell_RD}

    def _parts(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """f and u."""
        keep = self._keep(self.gate(x))
        return keep, (1 - keep) * self.value(x)

    def _keep(self, gate: Tensor) -> Tensor:
        raise NotImplementedError

    def _given(self, cell: Tensor) -> Tensor:
        raise NotImplementedError


class Ssru(_Light):
    has_bias = False

    def _keep(self, gate: Tensor) -> Tensor:
        return torch.sigmoid(gate)

    def _given(self, cell: Tensor) -> Tensor:
        return torch.relu(cell)


class MinGru(_Light):
    has_bias = True

    def _keep(self, gate: Tensor) -> Tensor:
        return torch.sigmoid(-gate)

    def _given(self, cell: Tensor) -> Tensor:
        return cell


def scan(keep_BTD: Tensor, new_BTD: Tensor) -> Tensor:
    """c_t = f_t ⊙ c_{t−1} + u_t for all t, from c_0 = 0."""
    cell_BD, cells = torch.zeros_like(new_BTD[:, 0]), []
    for keep_BD, new_BD in zip(keep_BTD.unbind(1), new_BTD.unbind(1), strict=True):
        cell_BD = keep_BD * cell_BD + new_BD
        cells.append(cell_BD)
    return torch.stack(cells, dim=1)
