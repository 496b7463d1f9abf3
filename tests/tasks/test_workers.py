"""Work side by side: in order, on one thread each, and over at once when something goes wrong."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest
import torch

from regard.errors import UserError
from regard.tasks.workers import choose, one_thread, shares, side_by_side

CPU = torch.device("cpu")


@pytest.fixture(params=[1, 2])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_are_in_order_and_threads_as_before(threads: int, workers: int) -> None:
    seen = set()

    def late(number: int) -> int:
        seen.add(torch.get_num_threads())
        time.sleep(0.002 * (5 - number))
        return number * number

    assert side_by_side(late, range(6), workers) == [0, 1, 4, 9, 16, 25]
    assert seen == {1}
    assert torch.get_num_threads() == threads
    assert side_by_side(late, [], workers) == []


def test_who_computes_with_one_thread_still_has_all_cores_to_give(threads: int) -> None:
    """Validation searches inside of the loop, which computes with one thread."""
    with one_thread():
        assert torch.get_num_threads() == 1
        assert choose(None, CPU) == threads
        with one_thread():
            assert choose(None, CPU) == threads
        assert torch.get_num_threads() == 1
        found: list[int] = []
        other = threading.Thread(target=lambda: found.append(choose(None, CPU)))
        other.start()
        other.join()
        assert found == [threads], "and so has another thread"
    assert torch.get_num_threads() == threads


def test_no_workers_are_refused() -> None:
    with pytest.raises(UserError, match="0 workers were asked for"):
        choose(0, CPU)


@pytest.mark.parametrize("error", [UserError("a"), KeyboardInterrupt()], ids=["error", "ctrl-c"])
@pytest.mark.parametrize("workers", [1, 2])
def test_what_goes_wrong_is_raised_and_the_rest_is_left(threads: int, workers: int, error: BaseException) -> None:
    done = []

    def some(number: int) -> None:
        if number == 1:
            raise error
        time.sleep(0.01)
        done.append(number)

    with pytest.raises(type(error)) as raised:
        side_by_side(some, range(50), workers)
    assert raised.value is error
    assert len(done) < 10
    assert torch.get_num_threads() == threads


def test_workers_are_at_work_at_once() -> None:
    both = threading.Barrier(2, timeout=20)
    assert len(side_by_side(lambda _: both.wait(), range(2), 2)) == 2


def test_as_many_workers_as_torch_has_threads(threads: int) -> None:
    assert choose(None, CPU) == threads
    assert choose(7, CPU) == 7
    assert choose(7, torch.device("meta")) == 1


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_shares_are_all_items_once_and_of_like_size(count: int) -> None:
    sizes = [8, 8, 8, 1, 2, 3, 1, 1]
    found = shares(sizes, count)
    assert sorted(number for share in found for number in share) == list(range(len(sizes)))
    loads = [sum(sizes[number] for number in share) for share in found]
    assert len(found) == count and max(loads) <= max(8, sum(sizes) / count + max(sizes) / 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_has_threads_of_its_own() -> None:
    assert side_by_side(str, range(4), 2) == ["0", "1", "2", "3"]
    child = os.fork()
    if child == 0:
        os._exit(0 if side_by_side(str, range(4), 2) == ["0", "1", "2", "3"] else 1)
    deadline = time.monotonic() + 20
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    if ended == (0, 0):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert ended == (child, 0)
