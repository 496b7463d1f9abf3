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

    def keep(self, sentences_B: Tensor) -> Memory:
        return Memory(*(x if x is None else x.index_select(0, sentences_B) for x in self))  # type: ignore[arg-type]

    def join(self, other: Memory) -> Memory:
        """The sentences of both, and no more padding than the longest needs."""
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


@dataclass(frozen=True)
class State:
    """A decoder between two steps.

    The part for each sentence (memory, keys) is never copied: the W rows of a sentence are W queries to the same keys.
    The part for each row (cells, fed vector, position) is what search reorders.
    """

    memory: Memory
    keys: Tensor | None  # positions are its last dimension but one
    # each has R rows first, sentence by sentence; what grows step by step does so along its last dimension but one, and
    # begins with zeros where a sentence has made fewer steps than others
    rows: dict[str, Tensor]

    @property
    def position_R(self) -> Tensor:
        return self.rows["position"]

    def select(self, rows_R: Tensor) -> State:
        """The rows in another order, some perhaps several times."""
        return replace(self, rows={name: part.index_select(0, rows_R) for name, part in self.rows.items()})

    def keep(self, sentences_B: Tensor) -> State:
        """Only these sentences, each with all of its rows."""
        num_sentences = self.memory.length_B.shape[0]
        return State(
            self.memory.keep(sentences_B),
            None if self.keys is None else self.keys.index_select(0, sentences_B),
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
        rows = {name: torch.cat(_level(part, other.rows[name])) for name, part in self.rows.items()}
        return State(memory, keys, rows)


def _level(*parts: Tensor) -> list[Tensor]:
    """What has grown less begins with zeros."""
    if parts[0].dim() < 3:
        return list(parts)
    longest = max(part.shape[-2] for part in parts)
    return [functional.pad(part, (0, 0, longest - part.shape[-2], 0)) for part in parts]


def fit(x_SX: Tensor, num_positions: int) -> Tensor:
    """More positions, of zeros, or fewer: the last but one dimension."""
    return functional.pad(x_SX, (0, 0, 0, num_positions - x_SX.shape[-2]))
