"""x_p + P_p, P learned (Gehring et al. 2017, section 3.1)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from regard.errors import UserError
from regard.nn.positions.base import Positions


class Learned(Positions):
    def __init__(self, most: int, size: int) -> None:
        super().__init__()
        self.most = most
        self.weight_PD = nn.Parameter(0.02 * torch.randn(most, size))

    def add(self, x_BTD: Tensor, position_BT: Tensor) -> Tensor:
        most = len(self.weight_PD)
        if position_BT.numel() and int(position_BT.max()) >= most:
            raise UserError(
                f"a text of more than {most} tokens, which is as many as the model has learned positions for; "
                f"give it in parts, or train with positions.most above {most} or with sinusoidal or rotary positions"
            )
        return x_BTD + self.weight_PD[position_BT]
