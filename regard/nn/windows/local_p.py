"""Local-p: a predicted centre and a bell around it (Luong et al. 2015, eq. 9 and 10).

    p = (S − 1) · σ(vᵀtanh(W s))        weights · exp(−(s − p)² / 2(D/2)²)        s ∈ [p − D, p + D]

S is the true length. The paper counts positions from 1 and writes S·σ; ours start at 0, hence S − 1. The bell comes
after the softmax, so the weights do not sum to one.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from regard.nn.products import Linear
from regard.nn.windows.base import View, Window


class LocalP(Window):
    sums_to_one = False

    def __init__(self, query_size: int, *, reach: int, size: int) -> None:
        super().__init__()
        self.reach = reach
        self.hidden = Linear(query_size, size, bias=False)  # W
        self.v = nn.Linear(size, 1, bias=False)

    def forward(self, query_BTD: Tensor, length_B: Tensor, position_BT: Tensor, num_source: int) -> View:
        share_BT = torch.sigmoid(self.v(torch.tanh(self.hidden(query_BTD)))).squeeze(-1)
        centre_BT = share_BT * (length_B[:, None] - 1)
        source_S = torch.arange(num_source, device=length_B.device)
        distance_BTS = source_S - centre_BT[:, :, None]
        gain_BTS = torch.exp(-(distance_BTS**2) / (2 * (self.reach / 2) ** 2))
        return View(distance_BTS.abs() <= self.reach, gain_BTS)
