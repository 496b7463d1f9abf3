"""Local windows inside a recurrence: the few positions that a query may look at are taken out, not masked.

Each query sees W = 2·reach + 1 positions around its centre, so that time and memory grow with the length of the source
and not with its square.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch import Tensor


class Sight(NamedTuple):
    """What a query may see: rows of the flattened memory (B·S), which of them count, and how much."""

    rows_BW: Tensor
    outside_BW: Tensor
    gain_BW: Tensor | None = None


class Sliding(Protocol):
    def look(self, t: int | Tensor, h_BD: Tensor) -> Sight:
        """All queries stand at t, or each at its own."""

    def backward(self, t: int, dgain_BW: Tensor) -> Tensor | None:
        """The gradient of h, if the sight depends on it. `dgain_BW` is that of the gain, times the gain."""

    def finish(self, h_TBD: Tensor) -> tuple[Tensor, ...]:
        """The gradients of the window's weights."""


class _Around:
    def __init__(self, length_B: Tensor, num_source: int, reach: int, sentence_R: Tensor | None = None) -> None:
        """One query a sentence; or the sentences of the queries, as many of which B is after this."""
        first_B = torch.arange(len(length_B), device=length_B.device) * num_source
        self.length_B1, self.first_B1 = (
            (x if sentence_R is None else x.index_select(0, sentence_R))[:, None] for x in (length_B, first_B)
        )
        self.offset_W = torch.arange(2 * reach + 1, device=length_B.device)
        self.reach = reach

    def positions(self, first_B: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """W positions from the first on, as numbers and as rows of the memory, and which are none."""
        position_BW = first_B[:, None] + self.offset_W
        outside_BW = (position_BW < 0) | (position_BW >= self.length_B1)
        return position_BW, self.first_B1 + position_BW.masked_fill(outside_BW, 0), outside_BW


class SlidingM(_Around):
    """Local-m: the centre is t, or the last position."""

    def look(self, t: int | Tensor, h_BD: Tensor) -> Sight:
        centre_B = (self.length_B1[:, 0] - 1).clamp(max=t)
        _, rows_BW, outside_BW = self.positions(centre_B - self.reach)
        return Sight(rows_BW, outside_BW)

    def backward(self, t: int, dgain_BW: Tensor) -> None:
        return None

    def finish(self, h_TBD: Tensor) -> tuple[Tensor, ...]:
        return ()


class SlidingP(_Around):
    """Local-p: the centre is p = (S − 1) · σ(vᵀtanh(W h)), and a bell around it counts."""

    def __init__(
        self,
        length_B: Tensor,
        num_source: int,
        reach: int,
        sentence_R: Tensor | None = None,
        *,
        w_HD: Tensor,
        v_H: Tensor,
    ) -> None:
        super().__init__(length_B, num_source, reach, sentence_R)
        self.w_HD, self.v_H = w_HD, v_H
        self.last_B = (self.length_B1[:, 0] - 1).to(w_HD.dtype)
        self.kept: list[tuple[Tensor, Tensor, Tensor]] = []
        self.dv_H = torch.zeros_like(v_H)
        self.dhidden: list[Tensor] = []

    def look(self, t: int | Tensor, h_BD: Tensor) -> Sight:
        hidden_BH = torch.tanh_(h_BD @ self.w_HD.T)
        share_B = torch.sigmoid_(hidden_BH @ self.v_H)
        centre_B = share_B * self.last_B
        position_BW, rows_BW, outside_BW = self.positions((centre_B - self.reach).ceil().long())
        distance_BW = position_BW - centre_B[:, None]
        outside_BW |= distance_BW.abs() > self.reach
        self.kept.append((hidden_BH, share_B, distance_BW))
        return Sight(rows_BW, outside_BW, torch.exp(distance_BW.square() / (-2 * self._variance)))

    def backward(self, t: int, dgain_BW: Tensor) -> Tensor:
        hidden_BH, share_B, distance_BW = self.kept[t]
        dcentre_B = (dgain_BW * distance_BW).sum(-1) / self._variance
        dshare_B = dcentre_B * self.last_B * share_B * (1 - share_B)
        self.dv_H += dshare_B @ hidden_BH
        dhidden_BH = torch.outer(dshare_B, self.v_H) * (1 - hidden_BH * hidden_BH)
        self.dhidden.append(dhidden_BH)
        return dhidden_BH @ self.w_HD

    def finish(self, h_TBD: Tensor) -> tuple[Tensor, ...]:
        dhidden_TBH = torch.stack(self.dhidden[::-1])
        return dhidden_TBH.flatten(0, 1).T @ h_TBD.flatten(0, 1), self.dv_H

    @property
    def _variance(self) -> float:
        return (self.reach / 2) ** 2
