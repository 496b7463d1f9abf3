"""Any measures, for short and for long sequences apart: the curve that attention was invented to hold up."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil

from regard.evaluate.measure import Measure

NUM_BUCKETS = 8


@dataclass(frozen=True, slots=True)
class Bucket:
    """What was measured on the sequences of `low` to `high` units, both included."""

    low: int
    high: int | None  # None: and longer
    count: int
    measures: tuple[Measure, ...]


def by_length(
    lengths: Sequence[int],
    measure: Callable[[Sequence[int]], Sequence[Measure]],
    edges: Sequence[int] | None = None,
) -> list[Bucket]:
    """`measure` of the items of each bucket, which it is given by their numbers; buckets without items are left out.

    The bucket of an edge holds lengths up to it and above the edge before; the last bucket all that are longer.
    Edges that are not given follow from the data.
    """
    edges = edges_for(lengths) if edges is None else edges
    assert list(edges) == sorted(set(edges)), "edges rise"
    items: dict[int, list[int]] = defaultdict(list)
    for item, length in enumerate(lengths):
        items[bisect_left(edges, length)].append(item)
    lows = [min([1, *lengths]), *(edge + 1 for edge in edges)]
    highs = [*edges, None]
    return [Bucket(lows[i], highs[i], len(items[i]), tuple(measure(items[i]))) for i in sorted(items)]


def edges_for(lengths: Sequence[int]) -> list[int]:
    """At most eight steps of 1, 2, 5, 10, 20, … that hold 95 of 100 items: a few long ones do not blur the others."""
    longest = sorted(lengths)[ceil(0.95 * len(lengths)) - 1] if lengths else 1
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if longest <= NUM_BUCKETS * step)
    return list(range(step, longest + step, step))
