"""Σ_s h_s / S, over the real positions."""

from __future__ import annotations

from torch import Tensor

from regard.nn.summaries.base import Summary


class MeanSummary(Summary):
    def __init__(self, memory_size: int) -> None:
        super().__init__()
        self.size = memory_size

    def forward(self, states_BSM: Tensor, mask_BS: Tensor) -> tuple[Tensor, Tensor | None]:
        return mean(states_BSM, mask_BS), None


def mean(states_BSM: Tensor, mask_BS: Tensor) -> Tensor:
    return (states_BSM * mask_BS[:, :, None]).sum(1) / mask_BS.sum(1, keepdim=True)
