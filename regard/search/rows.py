"""The hypotheses of a beam, as tensors."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad


class Rows(NamedTuple):
    """W hypotheses of each sentence, best first. A row that holds none has log-probability −∞."""

    tokens_BWT: Tensor  # the last token last; BOS, and before it nothing that counts, where a sentence has fewer than T
    logprob_BW: Tensor
    coverage_BWS: Tensor  # how much each source position was looked at; S = 0 if nobody asks
    parent_BW: Tensor  # which of its sentence's rows in the model's state it continues

    @property
    def there_BW(self) -> Tensor:
        """Which rows hold a hypothesis."""
        return self.logprob_BW > -torch.inf

    @property
    def place_R(self) -> Tensor:
        """Their places b · W + w: there are as many rows in the model's state."""
        return self.there_BW.flatten().nonzero()[:, 0]

    def minus(self, normaliser_R: Tensor, place_R: Tensor) -> Rows:
        less_N = normaliser_R.new_zeros(self.logprob_BW.numel()).index_copy_(0, place_R, normaliser_R)
        return self._replace(logprob_BW=self.logprob_BW - less_N.view_as(self.logprob_BW))

    def cover(self, weights_RS: Tensor, place_R: Tensor) -> Rows:
        # padding that nobody needs any more may have been cut off
        coverage_BWS = self.coverage_BWS[..., : weights_RS.shape[1]]
        covered_NS = coverage_BWS.flatten(0, 1).index_add(0, place_R, weights_RS.to(coverage_BWS))
        return self._replace(coverage_BWS=covered_NS.view_as(coverage_BWS))

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

    def join(self, other: Rows, num_tokens: int) -> Rows:
        """The rows of more sentences, with the last `num_tokens` tokens."""
        num_source = max(self.coverage_BWS.shape[2], other.coverage_BWS.shape[2])
        aligned = (rows._aligned(num_tokens, num_source) for rows in (self, other))
        return Rows(*map(torch.cat, zip(*aligned, strict=True)))

    def near(self, margin: float) -> Rows:
        """Only those that are at most `margin` less probable, in logarithms, than the best of their sentence."""
        return self.only(self.logprob_BW >= self.logprob_BW[:, :1] - margin)

    def in_state(self, number_BW: Tensor) -> Tensor:
        """The rows of a state that these continue: `number_BW` says which of its rows the parents have."""
        return number_BW.gather(1, self.parent_BW)[self.there_BW]

    def _aligned(self, num_tokens: int, num_source: int) -> Rows:
        tokens_BWT, coverage_BWS = self.tokens_BWT, self.coverage_BWS
        return self._replace(
            tokens_BWT=pad(tokens_BWT, (num_tokens - tokens_BWT.shape[2], 0)),
            # padding counts as covered
            coverage_BWS=pad(coverage_BWS, (0, num_source - coverage_BWS.shape[2]), value=1.0),
        )

    def _at(self, index_BK: Tensor) -> Rows:
        sentence_B1 = torch.arange(len(index_BK), device=index_BK.device)[:, None]
        return Rows(*(x[sentence_B1, index_BK] for x in self))
