"""Buckets by length: every item is in the one bucket that its length says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest

from regard.evaluate.by_length import by_length, edges_for
from regard.evaluate.measure import Measure


def count(items: Sequence[int]) -> list[Measure]:
    return [Measure("items", float(sum(items)), "", True)]


@pytest.mark.parametrize("edges", [None, [10, 20, 30], [0, 1, 2, 50], []])
@pytest.mark.parametrize("longest", [0, 1, 7, 65, 900])
def test_buckets_are_a_partition(edges, longest):
    generator = random.Random(longest)
    lengths = [generator.randint(0, longest) for _ in range(200)]
    seen: list[int] = []

    def measure(items: Sequence[int]) -> list[Measure]:
        seen.extend(items)
        return count(items)

    buckets = by_length(lengths, measure, edges)
    assert sorted(seen) == list(range(200))
    assert all(bucket.count > 0 for bucket in buckets)
    position = 0
    for bucket in buckets:
        items = seen[position : position + bucket.count]
        assert all(bucket.low <= lengths[i] <= (longest if bucket.high is None else bucket.high) for i in items)
        assert bucket.measures == tuple(count(items))
        position += bucket.count
    for before, after in pairwise(buckets):
        assert before.high is not None
        assert before.high < after.low


def test_by_hand():
    buckets = by_length([10, 11, 3, 45], count, [10, 20, 30])
    assert [(b.low, b.high, b.count, b.measures[0].value) for b in buckets] == [
        (1, 10, 2, 0 + 2),
        (11, 20, 1, 1),
        (31, None, 1, 3),  # 21 to 30 has nothing to measure
    ]
    assert by_length([], count) == []


def test_edges_follow_the_data():
    assert edges_for([1, 2, 3, 4, 5, 6]) == [1, 2, 3, 4, 5, 6]
    assert edges_for(range(1, 81)) == [10, 20, 30, 40, 50, 60, 70, 80]
    assert edges_for([30]) == [5, 10, 15, 20, 25, 30]
    assert edges_for([5] * 99 + [1000]) == [1, 2, 3, 4, 5], "one long item has the last bucket to itself"
    assert len(by_length([5] * 99 + [1000], count)) == 2
