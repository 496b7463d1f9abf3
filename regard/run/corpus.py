"""The pairs of a run: read, filtered, split, and known again by their digest."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from regard.errors import UserError
from regard.run.settings import DataSettings
from regard.text import readers
from regard.text.corpus import default_valid_size, filter_pairs, leaks, split
from regard.text.pair import Pair


@dataclass(frozen=True)
class Corpus:
    train: list[Pair]
    valid: list[Pair]
    dropped: dict[str, int]
    held_back: bool  # valid was taken from the training pairs
    num_leaks: int  # sources of valid that also stand in train

    @property
    def digest(self) -> str:
        """Of what training sees: a resumed run must see the same."""
        hashed = hashlib.sha256()
        for pair in [*self.train, *self.valid]:
            hashed.update(f"{pair.source}\n\t{pair.target}\n\n".encode())
        return hashed.hexdigest()


def read_train(settings: DataSettings) -> list[Pair]:
    """The pairs to learn from."""
    return list(readers.read(settings.train, columns=settings.columns, format=settings.format))


def read_valid(settings: DataSettings) -> list[Pair] | None:
    """The pairs to validate with, if they are given."""
    if settings.valid is None:
        return None
    if two_files(settings.valid):  # they have no columns to choose from
        return list(readers.read(settings.valid))
    return list(readers.read(settings.valid, columns=settings.columns, format=settings.format))


def assemble(pairs: list[Pair], valid: list[Pair] | None, settings: DataSettings, *, seed: int) -> Corpus:
    """Drop what cannot be learnt from; hold some back to validate with if nothing was given for that."""
    filtered = filter_pairs(pairs, settings.filter)
    if not filtered.pairs:
        raise UserError(f"no pair is left of {len(pairs):,}: dropped {said(filtered.dropped)}")
    if valid is not None:
        if not valid:
            raise UserError("there are no pairs to validate with: leave them out to hold back some of the others")
        return Corpus(filtered.pairs, valid, filtered.dropped, False, leaks(filtered.pairs, valid))
    size = settings.valid_pairs or default_valid_size(len(filtered.pairs))
    train, held_back = split(filtered.pairs, size=size, seed=seed)
    return Corpus(train, held_back, filtered.dropped, True, 0)


def absolute(spec: str) -> str:
    """The same PAIRS from any directory, with the variables in it ($REGARD_DATA) replaced by what they hold."""
    spec = os.path.expandvars(spec)
    unset = re.search(r"\$\{?(\w+)", spec)
    if unset and not Path(spec).exists():
        raise UserError(f"{spec}: the environment variable {unset[1]} is not set: export {unset[1]}=DIRECTORY")
    if two_files(spec):
        return ",".join(absolute(part.strip()) for part in spec.split(","))
    return spec if spec == "-" else str(Path(spec).absolute())


def two_files(spec: str) -> bool:
    """A comma may also be a part of one file's name."""
    return "," in spec and not Path(spec).exists()


def from_stdin(spec: str | None) -> bool:
    return spec is not None and "-" in spec.split(",")


def to_jsonl(pairs: Iterable[Pair]) -> bytes:
    """Pairs as a file of ours, for those that came from nowhere one could read again."""
    rows = ({"source": p.source, "target": p.target, "references": list(p.references)} for p in pairs)
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def said(dropped: dict[str, int]) -> str:
    """'3 empty, 1 too long'"""
    return ", ".join(f"{count:,} {reason}" for reason, count in dropped.items() if count) or "none"


def spread(pairs: Sequence[Pair], count: int) -> list[Pair]:
    """At most `count` pairs, evenly over the whole."""
    if len(pairs) <= count:
        return list(pairs)
    return [pairs[number * len(pairs) // count] for number in range(count)]


def to_pairs(items: Iterable[tuple[str, str]]) -> list[Pair]:
    """Pairs that a Python program brings."""
    pairs = []
    for number, item in enumerate(items):
        if isinstance(item, str) or len(item) != 2 or not all(isinstance(side, str) for side in item):
            raise UserError(f"pair {number}: expected (source, target), two strings, not {item!r}")
        pairs.append(Pair.of(*item, where=f"pair {number}"))
    return pairs
