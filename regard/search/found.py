"""What a beam search has found so far."""

from __future__ import annotations

import torch
from torch import Tensor

from regard.search.hypothesis import Hypothesis
from regard.search.rows import Rows


class Found:
    """The hypotheses of all sentences that have ended, and for those still in the batch, how good they are."""

    def __init__(self, num_sentences: int, num_best: int, width: int, device: torch.device) -> None:
        self.num_best = num_best
        self.hypotheses: list[list[Hypothesis]] = [[] for _ in range(num_sentences)]
        self.sentence_B = torch.arange(num_sentences, device=device)
        self.best_BW = torch.full((num_sentences, width), -torch.inf, device=device)  # scores of the best finished

    def add_finished(self, rows: Rows, score_BW: Tensor) -> None:
        """Rows that end in EOS."""
        self.best_BW = torch.cat([self.best_BW, score_BW], dim=1).topk(self.best_BW.shape[1]).values
        self._add(rows, score_BW, rows.there_BW, slice(1, -1))

    def add_unfinished(self, rows: Rows, score_BW: Tensor, last_B: Tensor) -> None:
        """Rows of those sentences that have come to their maximum length."""
        self._add(rows, score_BW, rows.there_BW & last_B[:, None], slice(1, None))

    def enough(self, open_B: Tensor, bound_B: Tensor) -> Tensor:
        """Whether a sentence is done: W finished are better than its best open hypothesis is now (`open_B`), or its
        best finished are better than any open one can ever be (`bound_B`).

        W finished of any kind would not do: a smoothed model gives every early end a little probability, and W such
        stumps are soon found while the right output, far more probable, is still being written.
        """
        return (self.best_BW[:, -1] >= open_B) | (self.best_BW[:, self.num_best - 1] >= bound_B)

    def keep(self, sentences_B: Tensor) -> None:
        """Only these sentences stay in the batch."""
        self.sentence_B = self.sentence_B[sentences_B]
        self.best_BW = self.best_BW[sentences_B]

    def ranked(self) -> list[list[Hypothesis]]:
        """The best of each sentence: finished ones before unfinished ones, then by score."""
        return [sorted(some, key=_rank, reverse=True)[: self.num_best] for some in self.hypotheses]

    def _add(self, rows: Rows, score_BW: Tensor, which_BW: Tensor, said: slice) -> None:
        b_N, w_N = which_BW.nonzero(as_tuple=True)
        tokens_NT = rows.tokens_BWT[b_N, w_N, said].tolist()
        columns = (
            self.sentence_B[b_N].tolist(),
            tokens_NT,
            rows.logprob_BW[b_N, w_N].tolist(),
            score_BW[b_N, w_N].tolist(),
        )
        for sentence, tokens, logprob, score in zip(*columns, strict=True):
            self.hypotheses[sentence].append(Hypothesis(tuple(tokens), logprob, score, said.stop is not None))


def _rank(hypothesis: Hypothesis) -> tuple[bool, float]:
    return hypothesis.finished, hypothesis.score
