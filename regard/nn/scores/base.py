"""What every score is, and the option to compare directions only."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class Score(nn.Module):
    """Compares T queries with S keys. Nothing is stored between calls: many requests may run at once."""

    def prepare(self, memory_BSM: Tensor) -> Tensor:
        """All of the work that does not depend on the query, done once a sentence."""
        raise NotImplementedError

    def forward(self, query_BTD: Tensor, keys: Tensor) -> Tensor:
        """scores_BTS"""
        raise NotImplementedError


class UnitScore(Score):
    """exp(τ) · score(s/|s|, h/|h|): a cosine alone, between −1 and 1, cannot make a sharp softmax, so τ is learnt.

    τ is stored as `log_temperature`, but scores are multiplied by its exp: the higher, the sharper.
    """

    def __init__(self, score: Score) -> None:
        super().__init__()
        self.score = score
        self.log_temperature = nn.Parameter(torch.tensor(2.0))

    def prepare(self, memory_BSM: Tensor) -> Tensor:
        return self.score.prepare(functional.normalize(memory_BSM, dim=-1))

    def forward(self, query_BTD: Tensor, keys: Tensor) -> Tensor:
        scores_BTS: Tensor = self.score(functional.normalize(query_BTD, dim=-1), keys)
        return self.log_temperature.exp() * scores_BTS
