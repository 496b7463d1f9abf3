"""What a hypothesis may say, whatever the search: never the banned, first the prefix, at most the maximum length."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.errors import UserError
from regard.search.best import logsumexp
from regard.search.state import S, Sentences

FREE = -1  # in place of a prefix's token: anything may be said here


@dataclass(frozen=True)
class Rules:
    """The rules for the sentences that are still in the batch."""

    eos: int
    banned: tuple[int, ...]
    first_B: Tensor  # what stands before a hypothesis
    max_length_B: Tensor
    prefix_BT: Tensor

    @staticmethod
    def of(batch: Sentences[S], bos: int, eos: int, banned: tuple[int, ...]) -> Rules:
        max_length_B = batch.max_length_B
        prefixes = [()] * len(max_length_B) if batch.prefixes is None else batch.prefixes
        assert len(prefixes) == len(max_length_B), "one prefix a sentence"
        assert not {eos, *banned} & {token for prefix in prefixes for token in prefix}, "a prefix cannot be forbidden"
        longest = max(map(len, prefixes), default=0)
        rows = [[*prefix, *[FREE] * (longest - len(prefix))] for prefix in prefixes]
        prefix_BT = torch.tensor(rows, dtype=torch.long, device=max_length_B.device).view(len(prefixes), longest)
        max_length_B = max_length_B.maximum((prefix_BT != FREE).sum(dim=1))
        assert (max_length_B > 0).all(), "a sentence needs room for one token"
        first_B = torch.full_like(max_length_B, bos) if batch.first is None else max_length_B.new_tensor(batch.first)
        return Rules(eos, banned, first_B, max_length_B, prefix_BT)

    def normaliser(self, logits_RV: Tensor) -> Tensor:
        """log Σ exp of all logits of a row: log P(v) = logit(v) − normaliser."""
        normaliser_R = logsumexp(logits_RV)
        if not normaliser_R.isfinite().all():  # one logit that is no number makes all of its row none
            raise UserError("the model's outputs are not numbers: its training has diverged; use an earlier checkpoint")
        return normaliser_R

    def forbid(self, logits_RV: Tensor, t_B: Tensor, sentence_R: Tensor) -> None:
        """−∞, in place, for what may not be said at t (from 0)."""
        for token in self.banned:
            logits_RV[:, token] = -torch.inf
        if t_B.min() < self.prefix_BT.shape[1]:
            t_B1 = t_B.clamp(max=self.prefix_BT.shape[1])[:, None]
            forced_R1 = pad(self.prefix_BT, (0, 1), value=FREE).gather(1, t_B1).index_select(0, sentence_R)
            other_RV = torch.arange(logits_RV.shape[1], device=logits_RV.device) != forced_R1
            logits_RV.masked_fill_(other_RV & (forced_R1 != FREE), -torch.inf)

    def keep(self, sentences_B: Tensor) -> Rules:
        first_B, max_length_B = self.first_B[sentences_B], self.max_length_B[sentences_B]
        return replace(self, first_B=first_B, max_length_B=max_length_B, prefix_BT=self.prefix_BT[sentences_B])

    def join(self, other: Rules) -> Rules:
        longest = max(self.prefix_BT.shape[1], other.prefix_BT.shape[1])
        prefixes = [pad(x.prefix_BT, (0, longest - x.prefix_BT.shape[1]), value=FREE) for x in (self, other)]
        first_B = torch.cat([self.first_B, other.first_B])
        max_length_B = torch.cat([self.max_length_B, other.max_length_B])
        return replace(self, first_B=first_B, max_length_B=max_length_B, prefix_BT=torch.cat(prefixes))
