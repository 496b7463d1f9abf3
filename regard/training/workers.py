"""The parts of a step side by side, one core each.

Two threads inside each small product wait for each other more than they compute; two threads with a part of the batch
each do not (docs/log.md). A part is computed by one core alone, so that its bits do not depend on the machine's number
of cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import torch

A = TypeVar("A")
B = TypeVar("B")
Map = Callable[[Callable[[A], B], Sequence[A]], Iterator[B]]

_LEAST_TOKENS = 1024  # with less than this in a part, more workers are slower than fewer


def choose(batch_tokens: int, device: torch.device) -> int:
    """As many workers as there are cores and as the batch feeds."""
    cores = torch.get_num_threads() if device.type == "cpu" else 1
    return max(1, min(cores, batch_tokens // _LEAST_TOKENS))


@contextmanager
def side_by_side(num_workers: int) -> Iterator[Map]:  # type: ignore[type-arg]
    """A `map` that gives its results in order. One worker is the caller, with as many threads as torch has."""
    if num_workers == 1:
        yield map
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with ThreadPoolExecutor(num_workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            yield pool.map
    finally:
        torch.set_num_threads(before)
