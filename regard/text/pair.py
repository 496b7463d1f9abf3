"""What every reader yields, and what a Python program may bring instead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from regard.errors import UserError


@dataclass(frozen=True, slots=True)
class Pair:
    """A source, the target it should become, every target that would be right, and where it was read."""

    source: str
    target: str
    references: tuple[str, ...]  # all right answers, `target` first
    where: str = ""  # "train.tsv:17"

    @staticmethod
    def of(source: str, target: str, where: str = "") -> Pair:
        return Pair(source, target, (target,), where)


def as_pairs(items: Iterable[Pair | tuple[str, str]]) -> list[Pair]:
    """Pairs as they are, and (source, target) as pairs."""
    return [_pair(item, number) for number, item in enumerate(items)]


def _pair(item: Pair | tuple[str, str], number: int) -> Pair:
    if isinstance(item, Pair):
        return item
    if isinstance(item, str) or len(item) != 2 or not all(isinstance(side, str) for side in item):
        raise UserError(f"pair {number}: expected (source, target), two strings, not {item!r}")
    return Pair.of(*item, where=f"pair {number}")
