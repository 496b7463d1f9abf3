"""Each pair (x_i, x_{i+k/2}) of a query or a key is turned by the angle p · 10000^(−2i/k) (Su et al. 2021, eq. 34).

The product of a query at p and a key at q then depends on p − q alone.
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.positions.base import Positions
from regard.nn.positions.sinusoidal import angles


class Rotary(Positions):
    def rotate(self, x_BHTK: Tensor, position_BT: Tensor) -> Tensor:
        left_BHTF, right_BHTF = x_BHTK.chunk(2, dim=-1)
        angle_B1TF = angles(position_BT, left_BHTF.shape[-1], x_BHTK)[:, None]
        cos, sin = angle_B1TF.cos(), angle_B1TF.sin()
        return torch.cat([left_BHTF * cos - right_BHTF * sin, right_BHTF * cos + left_BHTF * sin], dim=-1)
