"""What a beam search has found so far."""

from __future__ import annotations

import torch
from torch import Tensor

from regard.search.hypothesis import Hypothesis
from regard.search.rows import Rows


class Found:
    """The hypotheses of all sentences that have ended: so many are searched for, and at most so many are kept."""

    def __init__(self, num_best: int, num_kept: int) -> None:
        self.num_best = num_best
        self.num_kept = num_kept
        self.hypotheses: list[list[Hypothesis]] = []

    def begin(self, like_B: Tensor) -> Tensor:
        """The numbers of as many sentences more."""
        first = len(self.hypotheses)
        self.hypotheses += [[] for _ in like_B]
        return torch.arange(first, len(self.hypotheses), device=like_B.device)

    def add(
        self, sentence_B: Tensor, length_B: Tensor, rows: Rows, score_BW: Tensor, which_BW: Tensor, *, finished: bool
    ) -> None:
        """Some rows of `length_B` tokens, which end in EOS if they are finished."""
        b_N, w_N = which_BW.nonzero(as_tuple=True)
        columns = (
            sentence_B[b_N].tolist(),
            length_B[b_N].tolist(),
            rows.tokens_BWT[b_N, w_N].tolist(),
            rows.logprob_BW[b_N, w_N].tolist(),
            score_BW[b_N, w_N].tolist(),
        )
        for sentence, length, tokens, logprob, score in zip(*columns, strict=True):
            said = tokens[len(tokens) - length : len(tokens) - finished]
            self.hypotheses[sentence].append(Hypothesis(tuple(said), logprob, score, finished))

    def ranked(self) -> list[list[Hypothesis]]:
        """The best of each sentence: finished ones before unfinished ones, then by score."""
        return [sorted(some, key=_rank, reverse=True)[: self.num_kept] for some in self.hypotheses]


def _rank(hypothesis: Hypothesis) -> tuple[bool, float]:
    return hypothesis.finished, hypothesis.score
