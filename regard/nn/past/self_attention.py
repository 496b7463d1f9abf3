"""Attention to what was written so far (Vaswani et al. 2017, section 3.2.3). Steps keep their keys and values."""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn import masks
from regard.nn.dropout import Noise
from regard.nn.multihead import Keys, MultiHead
from regard.nn.past.base import Past, Rows
from regard.nn.positions.base import Positions, in_order


class SelfAttention(Past):
    attends = True

    def __init__(self, size: int, num_heads: int, *, positions: Positions, dropout: float, fast: bool = True) -> None:
        super().__init__()
        self.attention = MultiHead(size, size, size, num_heads, positions=positions, dropout=dropout, fast=fast)

    def forward(
        self, x_BTD: Tensor, noise: Noise | None, place: str, *, look: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        position_1T = in_order(x_BTD)
        keys = self.attention.prepare(x_BTD, position_1T)
        found: tuple[Tensor, Tensor | None] = self.attention(
            x_BTD, keys, None, position_1T, past=True, look=look, noise=noise, place=place
        )
        return found

    def first(self, like_RD: Tensor) -> Rows:
        num_heads = self.attention.num_heads
        nothing_RH0K = like_RD.new_zeros(len(like_RD), num_heads, 0, like_RD.shape[1] // num_heads)
        return {"keys": nothing_RH0K, "values": nothing_RH0K}

    def step(
        self, x_RD: Tensor, rows: Rows, position_R: Tensor, *, look: bool = False
    ) -> tuple[Tensor, Tensor | None, Rows]:
        new = self.attention.prepare(x_RD[:, None], position_R[:, None])
        keys = Keys(
            torch.cat([rows["keys"], new.keys_BHSK], dim=2), torch.cat([rows["values"], new.values_BHSK], dim=2)
        )
        # some may have begun later than others
        mask_RS = masks.newest(position_R + 1, keys.keys_BHSK.shape[2])
        mask_R1S = None if mask_RS is None else mask_RS[:, None]
        attended_R1D, weights_RH1S = self.attention(x_RD[:, None], keys, mask_R1S, position_R[:, None], look=look)
        weights_RHS = None if weights_RH1S is None else weights_RH1S[:, :, 0]
        return attended_R1D[:, 0], weights_RHS, {"keys": keys.keys_BHSK, "values": keys.values_BHSK}
