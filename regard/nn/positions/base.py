"""What every way of telling positions is; by itself, none."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def in_order(x_BTD: Tensor) -> Tensor:
    """0 … T − 1, the same for all sentences (1 × T)."""
    return torch.arange(x_BTD.shape[1], device=x_BTD.device)[None]


class Positions(nn.Module):
    most: int | None = None  # positions that there are; None: any number

    def add(self, x_BTD: Tensor, position_BT: Tensor) -> Tensor:
        """Vectors that know where they stand (position_BT may be the same for all sentences: 1 × T)."""
        return x_BTD

    def rotate(self, x_BHTK: Tensor, position_BT: Tensor) -> Tensor:
        """Queries or keys of heads that know where they stand."""
        return x_BHTK
