"""score(s, h) = vᵀtanh(W₁h + W₂s + b) (Bahdanau et al. 2015, A.1.2; Luong et al. 2015, eq. 8, "concat")."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from regard.nn.products import Linear
from regard.nn.scores.base import Score


class AdditiveScore(Score):
    def __init__(self, query_size: int, memory_size: int, *, size: int) -> None:
        super().__init__()
        self.memory_map = Linear(memory_size, size, bias=False)  # W₁
        self.query_map = Linear(query_size, size)  # W₂, b
        self.v = nn.Linear(size, 1, bias=False)

    def prepare(self, memory_BSM: Tensor) -> Tensor:
        keys_BSA: Tensor = self.memory_map(memory_BSM)
        return keys_BSA

    def forward(self, query_BTD: Tensor, keys: Tensor) -> Tensor:
        hidden_BTSA = torch.tanh(self.query_map(query_BTD)[:, :, None] + keys[:, None])
        scores_BTS: Tensor = self.v(hidden_BTSA).squeeze(-1)
        return scores_BTS
