"""The hypotheses of a beam, as tensors."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Rows(NamedTuple):
    """W hypotheses of each sentence, best first. A row that holds none has log-probability −∞."""

    tokens_BWT: Tensor  # BOS first
    logprob_BW: Tensor
    coverage_BWS: Tensor  # how much each source position was looked at; S = 0 if nobody asks
    parent_BW: Tensor  # which of its sentence's rows in the model's state it continues

    @property
    def there_BW(self) -> Tensor:
        """Which rows hold a hypothesis."""
        return self.logprob_BW > -torch.inf

    def extend(self, parent_BK: Tensor, token_BK: Tensor, logprob_BK: Tensor) -> Rows:
        """For each sentence, row `parent` with one more token, which makes its log-probability `logprob`."""
        parents = self._at(parent_BK)
        tokens_BKT = torch.cat([parents.tokens_BWT, token_BK[..., None]], dim=-1)
        return Rows(tokens_BKT, logprob_BK, parents.coverage_BWS, parent_BK)

    def only(self, which_BW: Tensor) -> Rows:
        """All rows but these hold no hypothesis any more."""
        return self._replace(logprob_BW=self.logprob_BW.masked_fill(~which_BW, -torch.inf))

    def best(self, width: int) -> Rows:
        """The most probable rows of each sentence, best first."""
        return self._at(self.logprob_BW.topk(width).indices)

    def keep(self, sentences_B: Tensor) -> Rows:
        return Rows(*(x[sentences_B] for x in self))

    def in_state(self, num_rows: int) -> Tensor:
        """The rows of a state, `num_rows` for each sentence, that these continue."""
        first_B1 = torch.arange(len(self.parent_BW), device=self.parent_BW.device)[:, None] * num_rows
        return (first_B1 + self.parent_BW).flatten()

    def _at(self, index_BK: Tensor) -> Rows:
        sentence_B1 = torch.arange(len(index_BK), device=index_BK.device)[:, None]
        return Rows(*(x[sentence_B1, index_BK] for x in self))
