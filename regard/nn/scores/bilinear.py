"""score(s, h) = sᵀWh (Luong et al. 2015, eq. 8, "general"), optionally divided by √m."""

from __future__ import annotations

from torch import Tensor

from regard.nn.products import Linear
from regard.nn.scores.base import Score


class BilinearScore(Score):
    def __init__(self, query_size: int, memory_size: int, *, scaled: bool) -> None:
        super().__init__()
        self.map = Linear(memory_size, query_size, bias=False)
        self.scale = memory_size**-0.5 if scaled else 1.0

    def prepare(self, memory_BSM: Tensor) -> Tensor:
        keys_BSD: Tensor = self.map(memory_BSM)
        return keys_BSD * self.scale

    def forward(self, query_BTD: Tensor, keys: Tensor) -> Tensor:
        return query_BTD @ keys.mT
