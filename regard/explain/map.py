"""A map of where the model looked: target down, source across."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Groups: TypeAlias = Sequence[tuple[str, list[int]]]  # the name of each group and the positions that it holds


@dataclass(frozen=True, eq=False, slots=True)
class Map:
    """The weight that each row (of the target) gave to each column (of the source)."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights_TS: Array
    sums_to_one: bool = True  # each row, up to rounding

    def __post_init__(self) -> None:
        assert self.weights_TS.shape == (len(self.rows), len(self.columns))

    def heaviest(self, row: int) -> int | None:
        """The column with the heaviest weight of a row, the first of equals; None where all are zero."""
        weights_S = self.weights_TS[row]
        return int(weights_S.argmax()) if weights_S.any() else None


def merge(map_: Map, rows: Groups, columns: Groups) -> Map:
    """The map of groups: what a group of columns got is the sum over them, what a group of rows gave is their mean.

    A row that sums to one still does: w[g, h] = 1/|g| Σ_{t in g} Σ_{s in h} w[t, s].
    """
    mean_of_rows, sum_of_columns = _members(rows, len(map_.rows), mean=True), _members(columns, len(map_.columns))
    weights_TS = (mean_of_rows @ map_.weights_TS @ sum_of_columns.T).astype(np.float32)
    return Map(tuple(name for name, _ in rows), tuple(name for name, _ in columns), weights_TS, map_.sums_to_one)


def _members(groups: Groups, size: int, *, mean: bool = False) -> Array:
    """A matrix [groups, size] that sums (or averages) the members of each group."""
    matrix = np.zeros((len(groups), size), dtype=np.float32)
    for row, (_, members) in enumerate(groups):
        matrix[row, members] = 1 / len(members) if mean and members else 1
    return matrix
