"""What encoders give and decoders read; what decoders give; what search carries from step to step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from regard.nn import masks


class Memory(NamedTuple):
    """An encoded source: a state for each position, and one summary of the whole."""

    states_BSM: Tensor
    mask_BS: Tensor  # True = a real position
    length_B: Tensor
    summary_BM: Tensor
    hops_BRS: Tensor | None = None  # where a structured summary looked
    weights_BLHSS: Tensor | None = None  # where positions looked at each other, if that was asked for

    def keep(self, sentences_B: Tensor) -> Memory:
        """Only these sentences, with no more padding than they need."""
        length_B = self.length_B.index_select(0, sentences_B)
        num_source = int(length_B.max())
        return Memory(
            fit(self.states_BSM, num_source).index_select(0, sentences_B),
            masks.real(length_B, num_source),
            length_B,
            self.summary_BM.index_select(0, sentences_B),
        )

    def join(self, other: Memory) -> Memory:
        """The sentences of both, with no more padding than they need."""
        length_B = torch.cat([self.length_B, other.length_B])
        num_source = int(length_B.max())
        return Memory(
            torch.cat([fit(self.states_BSM, num_source), fit(other.states_BSM, num_source)]),
            masks.real(length_B, num_source),
            length_B,
            torch.cat([self.summary_BM, other.summary_BM]),
        )


def nothing(num_sentences: int, like: Tensor) -> Memory:
    """The memory of a language model: no source, no position."""
    none_BS = like.new_zeros(num_sentences, 0)
    length_B = none_BS.sum(1).long()
    return Memory(none_BS[:, :, None], none_BS.bool(), length_B, none_BS)


class Output(NamedTuple):
    """What a decoder gives at T positions: features for the output layer, and where it looked, if it was asked."""

    features_BTE: Tensor
    weights_BLHTS: Tensor | None


class Uneven(NamedTuple):
    """Where rows belong if one sentence has more of them than another."""

    sentence_R: Tensor
    place_R: Tensor  # b · W + w, with W as large as the sentence with the most rows needs it
    width: int

    @staticmethod
    def of(sentence_R: Tensor, num_sentences: int) -> Uneven | None:
        """None if all sentences have as many rows."""
        count_B = torch.bincount(sentence_R, minlength=num_sentences)
        width = int(count_B.max())
        if len(sentence_R) == num_sentences * width:
            return None
        first_B = count_B.cumsum(0) - count_B
        w_R = torch.arange(len(sentence_R), device=sentence_R.device) - first_B[sentence_R]
        return Uneven(sentence_R, sentence_R * width + w_R, width)


@dataclass(frozen=True)
class State:
    """A decoder between two steps.

    The part for each sentence (memory, keys) is never copied: the rows of a sentence are queries to the same keys. The
    part for each row (cells, fed vector, position) is what search reorders.
    """

    memory: Memory
    keys: Tensor | None  # positions are its last dimension but one
    # each has R rows first, sentence by sentence; what grows step by step does so along its last dimension but one, and
    # begins with zeros where a sentence has made fewer steps than others
    rows: dict[str, Tensor]
    uneven: Uneven | None = None

    @property
    def position_R(self) -> Tensor:
        return self.rows["position"]

    @property
    def sentence_R(self) -> Tensor:
        """The sentence of each row."""
        if self.uneven is not None:
            return self.uneven.sentence_R
        num_rows, num_sentences = len(self.position_R), len(self.memory.length_B)
        return torch.arange(num_rows, device=self.position_R.device) // (num_rows // num_sentences)

    def side_by_side(self, x_RX: Tensor) -> Tensor:
        """x_BWX: the rows of each sentence as its queries; zeros where it has fewer than another."""
        num_sentences, width = len(self.memory.length_B), -1
        if self.uneven is not None:
            _, place_R, width = self.uneven
            x_RX = x_RX.new_zeros(num_sentences * width, *x_RX.shape[1:]).index_copy_(0, place_R, x_RX)
        x_BWX: Tensor = x_RX.unflatten(0, (num_sentences, width))
        return x_BWX

    def row_by_row(self, x_BWX: Tensor) -> Tensor:
        """x_RX: the same backwards."""
        x_NX = x_BWX.flatten(0, 1)
        return x_NX if self.uneven is None else x_NX.index_select(0, self.uneven.place_R)

    def select(self, rows_R: Tensor) -> State:
        """The rows in another order, some perhaps several times."""
        sentence_R = self.sentence_R.index_select(0, rows_R)
        return replace(
            self,
            rows={name: part.index_select(0, rows_R) for name, part in self.rows.items()},
            uneven=Uneven.of(sentence_R, len(self.memory.length_B)),
        )

    def keep(self, sentences_B: Tensor) -> State:
        """Only these sentences, each with all of its rows."""
        memory = self.memory.keep(sentences_B)
        number_B = torch.full_like(self.memory.length_B, -1)
        number_B[sentences_B] = torch.arange(len(sentences_B), device=sentences_B.device)
        sentence_R = number_B.index_select(0, self.sentence_R)
        rows_R = (sentence_R >= 0).nonzero()[:, 0]
        # of what has grown, the zeros that only others needed
        cut = int(self.position_R.max() - self.position_R.index_select(0, rows_R).max())
        return State(
            memory,
            None if self.keys is None else fit(self.keys, memory.states_BSM.shape[1]).index_select(0, sentences_B),
            {
                name: (part if part.dim() < 3 else part[..., cut:, :]).index_select(0, rows_R)
                for name, part in self.rows.items()
            },
            Uneven.of(sentence_R.index_select(0, rows_R), len(sentences_B)),
        )

    def join(self, other: State) -> State:
        """The sentences of both."""
        memory = self.memory.join(other.memory)
        keys = None
        if self.keys is not None and other.keys is not None:
            keys = torch.cat([fit(part, memory.states_BSM.shape[1]) for part in (self.keys, other.keys)])
        sentence_R = torch.cat([self.sentence_R, other.sentence_R + len(self.memory.length_B)])
        rows = {name: torch.cat(_level(part, other.rows[name])) for name, part in self.rows.items()}
        return State(memory, keys, rows, Uneven.of(sentence_R, len(memory.length_B)))


def _level(*parts: Tensor) -> list[Tensor]:
    """What has grown less begins with zeros."""
    if parts[0].dim() < 3:
        return list(parts)
    longest = max(part.shape[-2] for part in parts)
    return [functional.pad(part, (0, 0, longest - part.shape[-2], 0)) for part in parts]


def fit(x_SX: Tensor, num_positions: int) -> Tensor:
    """More positions, of zeros, or a view of fewer: the last but one dimension."""
    num_more = num_positions - x_SX.shape[-2]
    return functional.pad(x_SX, (0, 0, 0, num_more)) if num_more > 0 else x_SX[..., :num_positions, :]
