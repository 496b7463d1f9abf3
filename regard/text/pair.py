"""What every reader yields."""

from __future__ import annotations

from dataclasses import dataclass


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
