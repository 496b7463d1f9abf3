"""Pairs (x_i, x_{i+k/2}) turned by their angles: the twin of `positions.rotary.turn`. The way back turns them back."""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.fast.tape import Outputs, play


def turn(x_BHTK: Tensor, angle_BTF: Tensor) -> Tensor:
    (turned_BHTK,) = play(TurnTape(angle_BTF), x_BHTK)
    return turned_BHTK


class TurnTape:
    num_constants = 0
    recording = False

    def __init__(self, angle_BTF: Tensor) -> None:
        self.cos_BTF, self.sin_BTF = angle_BTF.cos(), angle_BTF.sin()

    def forward(self, *inputs: Tensor) -> Outputs:
        (x_BHTK,) = inputs
        # one angle for each number, in the order of the numbers: a sentence is one run of memory instead of one a head
        num_heads = x_BHTK.shape[1]
        self.cos_BHTF, self.sin_BHTF = (
            part[:, :, None].expand(-1, -1, num_heads, -1).contiguous().transpose(1, 2)
            for part in (self.cos_BTF, self.sin_BTF)
        )
        return (self._turned(x_BHTK, 1),)

    def backward(self, *gradients: Tensor) -> Outputs:
        return (self._turned(gradients[0], -1),)

    def _turned(self, x_BHTK: Tensor, sign: int) -> Tensor:
        turned_BHTK = torch.cat([self.cos_BHTF, self.cos_BHTF], dim=-1) * x_BHTK
        (left, right), (turned_left, turned_right) = x_BHTK.chunk(2, dim=-1), turned_BHTK.chunk(2, dim=-1)
        turned_left.addcmul_(right, self.sin_BHTF, value=-sign)
        turned_right.addcmul_(left, self.sin_BHTF, value=sign)
        return turned_BHTK
