"""Local-m: s ∈ [p − D, p + D] with p = t (Luong et al. 2015, section 3.2, monotonic alignment)."""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.windows.base import View, Window


class LocalM(Window):
    def __init__(self, reach: int) -> None:
        super().__init__()
        self.reach = reach

    def forward(self, query_BTD: Tensor, length_B: Tensor, position_BT: Tensor, num_source: int) -> View:
        # a target longer than its source would leave the sentence: the centre stays on the last real position
        centre_BT = torch.minimum(position_BT, length_B[:, None] - 1)
        source_S = torch.arange(num_source, device=length_B.device)
        return View((source_S - centre_BT[:, :, None]).abs() <= self.reach, None)
