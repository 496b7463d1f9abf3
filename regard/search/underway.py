"""The sentences that a beam search has in hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic

import torch
from torch import Tensor

from regard.search.rows import Rows
from regard.search.rules import Rules
from regard.search.state import S


@dataclass(frozen=True)
class Underway(Generic[S]):
    """Some may have come farther than others."""

    state: S
    rules: Rules
    rows: Rows
    sentence_B: Tensor  # their numbers
    length_B: Tensor  # how many tokens their hypotheses have
    best_BW: Tensor  # the scores of their best finished ones

    def __len__(self) -> int:
        return len(self.length_B)

    def select(self, number_BW: Tensor) -> Underway[S]:
        """With those of the state's rows that the hypotheses continue: their parents have these numbers."""
        return replace(self, state=self.state.select(self.rows.in_state(number_BW)))

    def keep(self, sentences_B: Tensor) -> Underway[S]:
        return Underway(
            self.state.keep(sentences_B),
            self.rules.keep(sentences_B),
            self.rows.keep(sentences_B),
            self.sentence_B[sentences_B],
            self.length_B[sentences_B],
            self.best_BW[sentences_B],
        )

    def join(self, other: Underway[S]) -> Underway[S]:
        length_B = torch.cat([self.length_B, other.length_B])
        return Underway(
            self.state.join(other.state),
            self.rules.join(other.rules),
            self.rows.join(other.rows, 1 + int(length_B.max())),
            torch.cat([self.sentence_B, other.sentence_B]),
            length_B,
            torch.cat([self.best_BW, other.best_BW]),
        )
