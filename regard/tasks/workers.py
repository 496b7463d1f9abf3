"""Batches, or parts of one, side by side, one core each.

Two threads inside each small product wait for each other more than they compute; two threads with a batch each do not
(docs/log.md). A batch is computed by one core alone, so that its bits do not depend on the number of workers.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import cache
from typing import TypeVar

import torch

from regard.errors import UserError

A = TypeVar("A")
B = TypeVar("B")
# of a part: with less, more workers are no faster than fewer (docs/log.md)
_LEAST_TOKENS, _LEAST_WORK = 384, 2_000_000_000
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # malloc.h


def choose(workers: int | None, device: torch.device) -> int:
    """As many as asked for, or as torch has threads: all cores, or OMP_NUM_THREADS. On no CPU there is only one."""
    if workers is not None and workers < 1:
        raise UserError(f"{workers} workers were asked for: ask for at least one")
    if device.type != "cpu":
        return 1
    return _single.outside() if workers is None else workers


def choose_parts(batch_tokens: int, num_parameters: int, device: torch.device) -> int:
    """How many parts of a batch are worth computing side by side: a part must keep a core busy between two waits."""
    work = 6 * num_parameters * batch_tokens  # two operations a weight, forward and twice backward
    return max(1, min(choose(None, device), batch_tokens // _LEAST_TOKENS, work // _LEAST_WORK))


def side_by_side(function: Callable[[A], B], items: Sequence[A], workers: int) -> list[B]:
    """The results in the order of the items. What goes wrong first is raised, and what has not begun is left.

    `function` must not come here itself: all threads would wait for one that is free.
    """
    keep_memory()
    with one_thread():
        if workers == 1 or len(items) < 2:
            return [function(item) for item in items]
        futures = [_pool(workers).submit(function, item) for item in items]
        try:
            return [future.result() for future in futures]
        finally:
            for future in futures:
                future.cancel()
            wait(futures)


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """Kept: a step of training asks four times, and new threads start with no memory of their own (docs/log.md)."""
    return ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads


def shares(sizes: Sequence[int], count: int) -> list[list[int]]:
    """Which items each of `count` workers takes, so that all have about as much to do."""
    taken: list[list[int]] = [[] for _ in range(count)]
    loads = [0] * count
    for number in sorted(range(len(sizes)), key=lambda number: -sizes[number]):
        lightest = loads.index(min(loads))
        taken[lightest].append(number)
        loads[lightest] += sizes[number]
    return [sorted(share) for share in taken if share]


@cache
def keep_memory() -> None:
    """Have malloc keep what is freed, up to half a gigabyte: the next step asks for as much again, and to get fresh
    pages from the kernel for each large tensor takes a twentieth of training and more of search (docs/log.md)."""
    with suppress(AttributeError, OSError, TypeError):  # glibc has it; where another library is, nothing changes
        libc = ctypes.CDLL(None)
        libc.mallopt(_MMAP_THRESHOLD, 32 << 20)
        libc.mallopt(_TRIM_THRESHOLD, 512 << 20)


class _Single(threading.local):
    """Who computes with one thread of torch's at the moment. How many it has is a number of the process and of the
    thread: somebody who asks while another is in here would be told 1."""

    lock = threading.Lock()
    inside = 0  # of all threads
    num_threads = 0  # before the first of them came
    depth = 0  # of this one

    def outside(self) -> int:
        """As many as torch has for those who are not in here."""
        with self.lock:
            return _Single.num_threads if _Single.inside else torch.get_num_threads()

    def enter(self) -> None:
        if self.depth == 0:
            with self.lock:
                if _Single.inside == 0:
                    _Single.num_threads = torch.get_num_threads()
                _Single.inside += 1
                torch.set_num_threads(1)
        self.depth += 1

    def leave(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            with self.lock:
                _Single.inside -= 1
                torch.set_num_threads(_Single.num_threads)


_single = _Single()


@contextmanager
def one_thread() -> Iterator[None]:
    """torch computes with one thread, and then with as many as before."""
    _single.enter()
    try:
        yield
    finally:
        _single.leave()
