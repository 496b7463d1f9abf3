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


def check_utf8(text: str, where: str) -> None:
    """A program, or an escape in JSON, can bring half of a surrogate pair, which no text can hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UserError(f"{where}: holds a lone surrogate \\u{ord(text[error.start]):x}") from None


def as_pairs(items: Iterable[Pair | tuple[str, str]]) -> list[Pair]:
    """Pairs as they are, and (source, target) as pairs."""
    return [_pair(item, number) for number, item in enumerate(items)]


def _pair(item: Pair | tuple[str, str], number: int) -> Pair:
    if isinstance(item, Pair):
        return item
    if not isinstance(item, tuple | list) or len(item) != 2 or not all(isinstance(side, str) for side in item):
        raise UserError(f"pair {number}: expected (source, target), two strings, not {item!r}")
    for side in item:
        check_utf8(side, f"pair {number}")
    return Pair.of(*item, where=f"pair {number}")
