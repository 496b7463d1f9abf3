"""Each pair (x_i, x_{i+k/2}) of a query or a key is turned by the angle p · 10000^(−2i/k) (Su et al. 2021, eq. 34).

The product of a query at p and a key at q then depends on p − q alone.
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.fast.turn import turn as fast_turn
from regard.nn.positions.base import Positions
from regard.nn.positions.sinusoidal import angles


class Rotary(Positions):
    def __init__(self, *, fast: bool = True) -> None:
        super().__init__()
        self.turn = fast_turn if fast else turn

    def rotate(self, x_BHTK: Tensor, position_BT: Tensor) -> Tensor:
        return self.turn(x_BHTK, angles(position_BT, x_BHTK.shape[-1] // 2, x_BHTK))


def turn(x_BHTK: Tensor, angle_BTF: Tensor) -> Tensor:
    left_BHTF, right_BHTF = x_BHTK.chunk(2, dim=-1)
    cos_B1TF, sin_B1TF = angle_BTF.cos()[:, None], angle_BTF.sin()[:, None]
    return torch.cat(
        [left_BHTF * cos_B1TF - right_BHTF * sin_B1TF, right_BHTF * cos_B1TF + left_BHTF * sin_B1TF], dim=-1
    )
