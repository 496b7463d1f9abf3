"""What training asks of every task."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, TypeVar

import numpy as np
import torch
from torch import nn

from regard.errors import TextError
from regard.evaluate.measure import Measure
from regard.nn.dropout import Noise
from regard.nn.loss import Loss
from regard.search import SearchSettings
from regard.tasks.measures import Kinds
from regard.tasks.workers import shares, side_by_side
from regard.text.batch import Example, Ids, fill
from regard.text.pair import Pair
from regard.text.tokenisers import Reader

T = TypeVar("T")
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


TaskName = Literal["transduce", "classify", "language"]
Side = Literal["source", "target"]


class Task(Protocol):
    name: ClassVar[TaskName]
    care: ClassVar[int]  # times the work of a validation, for as many texts, that a careful evaluation takes

    @property
    def network(self) -> nn.Module: ...

    @property
    def device(self) -> torch.device: ...

    @property
    def tokenisers(self) -> dict[str, Reader]:
        """By the names that their files have; each of them once."""
        ...

    @property
    def limits(self) -> dict[str, tuple[Side, int | None]]:
        """How many positions there are for each side, by the part that has them; None: any number."""
        ...

    def examples(self, pairs: Sequence[Pair]) -> list[Example]: ...

    def loss(
        self, examples: Sequence[Example], *, smoothing: float = 0.0, sampling: float = 0.0, noise: Noise | None = None
    ) -> Loss: ...

    def watched(
        self, pairs: Sequence[Pair], examples: Sequence[Example], nll: float, search: SearchSettings
    ) -> Measure:
        """The number that training watches, where all examples together have this −log p."""
        ...


@dataclass(frozen=True)
class Between:
    """A network that stands between two sides, each with its own tokeniser."""

    network: nn.Module
    source: Reader
    target: Reader

    @property
    def device(self) -> torch.device:
        return next(self.network.parameters()).device

    @property
    def tokenisers(self) -> dict[str, Reader]:
        return {"source": self.source, "target": self.target}

    @property
    def kinds(self) -> Kinds:
        return Kinds(self.source.kind, self.target.kind)


def check_lengths(texts: Sequence[str], ids: Sequence[Ids], most: int | None) -> None:
    """A text that is too long for learned positions is named, before any other is read."""
    for number, (text, tokens) in enumerate(zip(texts, ids, strict=True)):
        if most is not None and len(tokens) > most:
            begins = text if len(text) <= 40 else f"{text[:40]}…"
            raise TextError(
                number,
                f'"{begins}": has {len(tokens):,} tokens, and the model has learned {most:,} positions; give it in '
                "parts, or train with more (positions.most), or with sinusoidal or rotary positions",
            )


def in_batches(one: Callable[[Ids], list[T]], lengths: Sequence[int], tokens: int, workers: int) -> list[T]:
    """Apply `one` to batches of items of like length, `workers` at once on one core each; the results in the order of
    the items."""
    batches = batches_by_length(lengths, tokens)
    batches.reverse()  # the longest first, lest one worker end long after the others
    found = side_by_side(one, batches, workers)
    return _in_order(batches, [result for some in found for result in some])


def in_shares(walk: Callable[[list[Ids]], list[T]], lengths: Sequence[int], tokens: int, workers: int) -> list[T]:
    """Let `workers` go through shares of the batches, on one core each; the results in the order of the items.

    What is shared out depends on the machine and not on the number of workers, and neither do the bits of the results.
    """
    batches = batches_by_length(lengths, tokens)
    batches.reverse()  # the longest first: what is short fills the gaps that are left at the end
    sizes = [len(numbers) * lengths[numbers[-1]] for numbers in batches]
    # one a core of the machine, whoever walks them; more if there is so much to do that one core may fall behind
    num_cores = os.cpu_count() or 1
    num_shares = min(len(batches), num_cores * math.ceil(len(batches) / num_cores / 16))
    parts = [[batches[n] for n in share] for share in shares(sizes, num_shares)]
    found = side_by_side(walk, parts, workers)
    return _in_order([numbers for part in parts for numbers in part], [result for some in found for result in some])


def _in_order(batches: Sequence[Ids], found: Sequence[T]) -> list[T]:
    results = dict(zip((number for numbers in batches for number in numbers.tolist()), found, strict=True))
    return [results[number] for number in range(len(results))]


def batches_by_length(lengths: Sequence[int], tokens: int) -> list[Ids]:
    if not lengths:
        return []
    order = np.argsort(np.array(lengths), kind="stable")
    return [order[batch] for batch in fill(np.array(lengths)[order], tokens)]
