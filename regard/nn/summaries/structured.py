"""Structured self-attention (Lin et al. 2017).

A = softmax(W₂ tanh(W₁ Hᵀ))        M = A H                      (eq. 6 and 7)
P = ‖A Aᵀ − I‖²_F                                               (eq. 8: hops shall look at different places)
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from regard.nn.attention import weigh
from regard.nn.products import Linear
from regard.nn.summaries.base import Summary


class StructuredSummary(Summary):
    def __init__(self, memory_size: int, *, size: int, num_hops: int, penalty: float) -> None:
        super().__init__()
        self.size = num_hops * memory_size
        self.penalty = penalty
        self.hidden = Linear(memory_size, size, bias=False)
        self.hops = Linear(size, num_hops, bias=False)

    def forward(self, states_BSM: Tensor, mask_BS: Tensor) -> tuple[Tensor, Tensor | None]:
        scores_BRS = self.hops(torch.tanh(self.hidden(states_BSM))).transpose(1, 2)
        weights_BRS = weigh(scores_BRS, mask_BS[:, None])
        return (weights_BRS @ states_BSM).flatten(1), weights_BRS


def penalty(weights_BRS: Tensor) -> Tensor:
    """‖A Aᵀ − I‖²_F of each sequence, summed."""
    overlap_BRR = weights_BRS @ weights_BRS.transpose(1, 2)
    return (overlap_BRR - torch.eye(overlap_BRR.shape[-1], device=overlap_BRR.device)).square().sum()


def overlap(weights_BRS: Tensor) -> Tensor:
    """How much two hops of a sequence look at the same places: the mean off-diagonal of AAᵀ, rows of unit norm."""
    unit_BRS = nn.functional.normalize(weights_BRS, dim=-1)
    overlap_BRR = unit_BRS @ unit_BRS.transpose(1, 2)
    num_hops = overlap_BRR.shape[-1]
    off = overlap_BRR.sum((1, 2)) - overlap_BRR.diagonal(dim1=1, dim2=2).sum(1)
    return off / max(1, num_hops * (num_hops - 1))
