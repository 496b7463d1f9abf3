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


class Output(NamedTuple):
    """What a decoder gives at T positions: features for the output layer, and where it looked, if it was asked."""

    features_BTE: Tensor
    weights_BLHTS: Tensor | None


@dataclass(frozen=True)
class State:
    """A decoder between two steps.

    The part for each sentence (memory, keys) is never copied: the W rows of a sentence are W queries to the same keys.
    The part for each row (cells, fed vector, position) is what search reorders.
    """

    memory: Memory
    keys: Tensor | None  # positions are its last dimension but one
    rows: dict[str, Tensor]  # each has R rows first, sentence by sentence

    @property
    def position_R(self) -> Tensor:
        return self.rows["position"]

    def select(self, rows_R: Tensor) -> State:
        """The rows in another order, some perhaps several times."""
        return replace(self, rows={name: part.index_select(0, rows_R) for name, part in self.rows.items()})

    def keep(self, sentences_B: Tensor) -> State:
        """Only these sentences, each with all of its rows."""
        num_sentences, memory = self.memory.length_B.shape[0], self.memory.keep(sentences_B)
        num_source = memory.states_BSM.shape[1]
        return State(
            memory,
            None if self.keys is None else fit(self.keys, num_source).index_select(0, sentences_B),
            {
                name: part.unflatten(0, (num_sentences, -1)).index_select(0, sentences_B).flatten(0, 1)
                for name, part in self.rows.items()
            },
        )

    def join(self, other: State) -> State:
        """The sentences of both, which have as many rows each."""
        memory = self.memory.join(other.memory)
        keys = None
        if self.keys is not None and other.keys is not None:
            keys = torch.cat([fit(part, memory.states_BSM.shape[1]) for part in (self.keys, other.keys)])
        return State(memory, keys, {name: torch.cat([part, other.rows[name]]) for name, part in self.rows.items()})


def fit(x_SX: Tensor, num_positions: int) -> Tensor:
    """More positions, of zeros, or a view of fewer: the last but one dimension."""
    num_more = num_positions - x_SX.shape[-2]
    return functional.pad(x_SX, (0, 0, 0, num_more)) if num_more > 0 else x_SX[..., :num_positions, :]
