"""Pairs before they are numbers: drop what cannot be learnt from, and hold some back to measure with."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from regard.config import Meta, Table
from regard.errors import UserError
from regard.text.pair import Pair

SHORT = 10  # characters; between two sides this short a ratio says nothing: "Go." and "去"


class FilterSettings(Table, frozen=True):
    """Which pairs are dropped before anything is learnt from them; those with an empty side always are."""

    max_length: Annotated[int, Meta(description="longest source or target that is kept, in characters", ge=1)] = 1_000
    max_ratio: Annotated[
        float,
        Meta(description="largest ratio of the longer side to the shorter one, in characters; 0: no limit", ge=0),
    ] = 0.0


@dataclass(frozen=True, slots=True)
class Filtered:
    """The pairs that were kept, in their order, and how many were dropped for each reason."""

    pairs: list[Pair]
    dropped: dict[str, int]  # "empty", "too long", "ratio"


def filter_pairs(pairs: Iterable[Pair], settings: FilterSettings, *, pictures: bool = False) -> Filtered:
    """Keep the pairs with two sides that are not blank, not too long, and not too different in length.

    If sources are the paths of pictures, how long those are says nothing.
    """
    if 0 < settings.max_ratio < 1:
        raise UserError(
            f"data.filter.max_ratio = {settings.max_ratio}: is of the longer side to the shorter; say 1 or more, or 0"
        )
    if pictures and settings.max_ratio:
        raise UserError("data.filter.max_ratio: a picture has no characters to compare with; leave it out")
    kept: list[Pair] = []
    dropped = {"empty": 0, "too long": 0, "ratio": 0}
    for pair in pairs:
        sides = (pair.target, pair.target) if pictures else (pair.source, pair.target)
        reason = _reason_to_drop(*sides, settings)
        if reason is None:
            kept.append(pair)
        else:
            dropped[reason] += 1
    return Filtered(kept, dropped)


def _reason_to_drop(source: str, target: str, settings: FilterSettings) -> str | None:
    shorter, longer = sorted((len(source.strip()), len(target.strip())))
    if shorter == 0:
        return "empty"
    if longer > settings.max_length:
        return "too long"
    if settings.max_ratio and longer >= SHORT and longer > settings.max_ratio * shorter:
        return "ratio"
    return None


def default_valid_size(num_pairs: int) -> int:
    """A twentieth of the pairs, at least 1 if there are two, at most 1,000."""
    return min(1_000, max(1, num_pairs // 20)) if num_pairs > 1 else 0


def split(pairs: Sequence[Pair], *, size: int, seed: int) -> tuple[list[Pair], list[Pair]]:
    """(train, valid), both in their old order, valid of about `size` pairs; no source stands on both sides.

    All pairs with the same source go together: valid holds the groups that fit, or the smallest one if none does.
    Sources are drawn in the order of a keyed hash: the same everywhere, and nearly the same when pairs are added.
    """
    counts = Counter(map(_source, pairs))
    if len(counts) < 2:
        raise UserError(f"holding back pairs for validation needs at least 2 distinct sources, not {len(counts)}")
    if not 1 <= size < len(pairs):
        raise UserError(
            f"cannot hold back {size:,} of {len(pairs):,} pairs for validation: say 1 to {len(pairs) - 1:,}"
        )
    order = sorted(counts, key=lambda source: _draw(source, seed))
    held: set[str] = set()
    room = size
    for source in order:
        if counts[source] <= room:
            held.add(source)
            room -= counts[source]
    held = held or {min(order, key=counts.__getitem__)}
    train = [pair for pair in pairs if _source(pair) not in held]
    valid = [pair for pair in pairs if _source(pair) in held]
    return train, valid


def leaks(train: Iterable[Pair], valid: Iterable[Pair]) -> int:
    """How many distinct sources of `valid` also stand in `train`."""
    return len(set(map(_source, train)) & set(map(_source, valid)))


def _source(pair: Pair) -> str:
    """What makes two sources the same: space around them does not make them different."""
    return pair.source.strip()


def _draw(source: str, seed: int) -> bytes:
    return hashlib.blake2b(f"{seed}\n{source}".encode(), digest_size=16).digest()
