"""score(s, h) = sᵀh (Luong et al. 2015, eq. 8), or sᵀh / √m (Vaswani et al. 2017, eq. 1)."""

from __future__ import annotations

from torch import Tensor

from regard.nn.scores.base import Score


class DotScore(Score):
    def __init__(self, size: int, *, scaled: bool) -> None:
        super().__init__()
        self.scale = size**-0.5 if scaled else 1.0

    def prepare(self, memory_BSM: Tensor) -> Tensor:
        return memory_BSM * self.scale

    def forward(self, query_BTD: Tensor, keys: Tensor) -> Tensor:
        return query_BTD @ keys.mT
