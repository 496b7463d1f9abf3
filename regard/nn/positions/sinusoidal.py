"""x_p + [sin(p / 10000^(2i/d)); cos(p / 10000^(2i/d))] (Vaswani et al. 2017, section 3.5)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from regard.nn.positions.base import Positions


class Sinusoidal(Positions):
    def add(self, x_BTD: Tensor, position_BT: Tensor) -> Tensor:
        size = x_BTD.shape[-1]
        angle_BTF = angles(position_BT, math.ceil(size / 2), x_BTD)
        return x_BTD + torch.cat([angle_BTF.sin(), angle_BTF.cos()], dim=-1)[..., :size]


def angles(position_BT: Tensor, count: int, like: Tensor) -> Tensor:
    """p / 10000^(i/count) for i = 0 … count − 1: waves of many lengths."""
    frequency_F = 10_000.0 ** (-torch.arange(count, device=like.device, dtype=like.dtype) / count)
    return position_BT[..., None].to(like.dtype) * frequency_F
