"""Examples in batches: bucketed by length, counted in tokens, in an order that is a pure function of (seed, epoch)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[Any]  # of int64: tokens; or of uint8: the columns of a picture


@dataclass(frozen=True, slots=True)
class Example:
    """A pair as numbers. The source ends with EOS, a place to look when there is nothing to look at."""

    source: Ids
    target: Ids  # BOS … EOS

    @property
    def num_tokens(self) -> int:
        """Those that are predicted: all but BOS."""
        return len(self.target) - 1


Epochs = Callable[[int], Sequence[Example]]
"""epoch -> the examples of that epoch: a pure function, so that a run can be taken up anywhere."""


@dataclass(frozen=True, slots=True)
class Batch:
    source_BS: Ids
    source_length_B: Ids
    target_BT: Ids
    target_length_B: Ids  # number of predicted tokens, EOS included

    @property
    def num_tokens(self) -> int:
        return int(self.target_length_B.sum())


def pad(rows: Sequence[Ids], padding: int) -> tuple[Ids, Ids]:
    """Rows of different lengths as one array, and the lengths. A row may hold more than a number at each position."""
    length_B = np.array([len(row) for row in rows], dtype=np.int64)
    padded = np.full((len(rows), int(length_B.max()), *rows[0].shape[1:]), padding, dtype=rows[0].dtype)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    return padded, length_B


def collate(examples: Sequence[Example], padding: int) -> Batch:
    source_BS, source_length_B = pad([example.source for example in examples], padding)
    target_BT, target_length_B = pad([example.target for example in examples], padding)
    return Batch(source_BS, source_length_B, target_BT, target_length_B - 1)


def plan(examples: Sequence[Example], *, tokens: int, seed: int, epoch: int) -> list[Ids]:
    """The batches of one epoch, as numbers of examples: neighbours in length, at random among equals, then shuffled.

    A batch has sources of one length where that leaves it full enough, so that next to no time goes to padding.
    """
    generator = np.random.Generator(np.random.SFC64(np.random.SeedSequence((seed, epoch))))
    source = np.array([len(example.source) for example in examples])
    target = np.array([example.num_tokens for example in examples])
    # targets go up and down in turn: where a batch does hold two lengths of sources, its targets are still neighbours
    order = np.lexsort((generator.random(len(examples)), np.where(source % 2, target, -target), source))
    batches = fill(np.maximum(source, target)[order], tokens, kinds=source[order])
    shuffled = [order[batch] for batch in batches]
    generator.shuffle(shuffled)
    return shuffled


def split(batch: Sequence[Example], count: int) -> list[Sequence[Example]]:
    """At most `count` parts, as like each other as can be: neighbours in length go to different ones."""
    return [batch[first::count] for first in range(min(count, len(batch)))]


def fill(lengths: Ids, tokens: int, kinds: Ids | None = None) -> list[Ids]:
    """Cut a sequence of items into batches whose rows × longest stay within `tokens` (one item always fits).

    Where an item of another kind comes, a batch that is a quarter full ends.
    """
    batches: list[Ids] = []
    start, longest = 0, 0
    for number, length in enumerate(lengths):
        held, longest = (number - start) * longest, max(longest, int(length))
        other = kinds is not None and number > 0 and kinds[number] != kinds[number - 1]
        if number > start and ((number - start + 1) * longest > tokens or (other and 4 * held >= tokens)):
            batches.append(np.arange(start, number))
            start, longest = number, int(length)
    batches.append(np.arange(start, len(lengths)))
    return batches
