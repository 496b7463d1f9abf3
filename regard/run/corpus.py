"""The pairs of a run: read, filtered, split, and known again by their digest."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from regard.errors import UserError
from regard.models import ClassifierSettings, LanguageModelSettings, ModelSettings
from regard.run.settings import DataSettings
from regard.text import readers
from regard.text.corpus import default_valid_size, filter_pairs, leaks, split
from regard.text.labelled import labelled
from regard.text.pair import Pair
from regard.text.pictures import beside
from regard.text.readers.lines import title
from regard.text.tokenisers import ImageSettings, SourceSettings


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


def read(settings: DataSettings, model: ModelSettings, source: SourceSettings) -> tuple[list[Pair], list[Pair] | None]:
    """What there is to learn from, and to validate with if that is given."""
    if isinstance(model, LanguageModelSettings):
        if settings.columns is not None or settings.format is not None:
            raise UserError("--columns and --format are for pairs: a language model learns from plain text")
        names = [name for name in (settings.train, settings.valid) if name is not None]
        train, *valid = (texts(name, model.unit) for name in names)
        return train, valid[0] if valid else None
    return _pairs(settings.train, settings, source), (
        None if settings.valid is None else _pairs(settings.valid, settings, source)
    )


def _pairs(name: str, settings: DataSettings, source: SourceSettings) -> list[Pair]:
    if two_files(name) and name != settings.train:  # they have no columns to choose from
        found = list(readers.read(name))
    else:
        found = list(readers.read(name, columns=settings.columns, format=settings.format))
    if isinstance(source, ImageSettings):
        found = [replace(pair, source=beside(name.split(",")[0], pair.source)) for pair in found]
    return found


def texts(name: str, unit: str) -> list[Pair]:
    """A file of plain text: as one text, or its lines but for blank ones, each with where it was read."""
    if unit == "text":
        whole = readers.read_text(name)
        found = [Pair.of(whole, whole, title(name))] if whole.strip() else []
    else:
        lines = enumerate(readers.read_lines(name), start=1)
        found = [Pair.of(line, line, f"{title(name)}:{number}") for number, line in lines if line.strip()]
    if not found:
        raise UserError(f"{title(name)}: there is no text in it")
    return found


def assemble(
    pairs: list[Pair], valid: list[Pair] | None, settings: DataSettings, model: ModelSettings, *, seed: int
) -> Corpus:
    """Drop what cannot be learnt from; hold some back to validate with if nothing was given for that."""
    if isinstance(model, LanguageModelSettings) and model.unit == "text":
        return _running(pairs, valid)
    if isinstance(model, ClassifierSettings):
        pairs = labelled(pairs)
        valid = None if valid is None else labelled(valid, [pair.target for pair in pairs])
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


def _running(pairs: list[Pair], valid: list[Pair] | None) -> Corpus:
    """Running texts are one text; its last twentieth is held back if nothing else is given to validate with."""
    whole = "".join(pair.target for pair in pairs)
    held = None if valid is None else "".join(pair.target for pair in valid)
    if held is None:
        cut = len(whole) - max(1, len(whole) // 20)
        whole, held = whole[:cut], whole[cut:]
    if not whole or not held:
        raise UserError("the text is too short to learn from and to validate with")
    return Corpus([Pair.of(whole, whole)], [Pair.of(held, held)], {}, valid is None, 0)


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


def kept(pairs: Sequence[Pair], model: ModelSettings) -> bytes:
    """Pairs as a file that `read` reads again: for those that came from nowhere one could read a second time."""
    if isinstance(model, LanguageModelSettings):
        return "".join(pair.target + ("\n" if model.unit == "line" else "") for pair in pairs).encode()
    return _to_jsonl(pairs)


def _to_jsonl(pairs: Iterable[Pair]) -> bytes:
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


def amount(model: ModelSettings, pairs: Sequence[Pair]) -> int:
    """How many pairs, or how many characters of a running text."""
    if isinstance(model, LanguageModelSettings) and model.unit == "text":
        return sum(len(pair.target) for pair in pairs)
    return len(pairs)


def to_pairs(items: Iterable[tuple[str, str]] | Iterable[str], model: ModelSettings) -> list[Pair]:
    """Pairs that a Python program brings; of a language model, texts."""
    pairs = []
    for number, item in enumerate(items):
        if isinstance(model, LanguageModelSettings):
            if not isinstance(item, str):
                raise UserError(f"text {number}: expected a string, not {item!r}")
            if model.unit == "line" and "\n" in item:
                raise UserError(
                    f"text {number}: has several lines, and each line shall be a text: give them one by one"
                )
            pairs.append(Pair.of(item, item, where=f"text {number}"))
            continue
        if isinstance(item, str) or len(item) != 2 or not all(isinstance(side, str) for side in item):
            raise UserError(f"pair {number}: expected (source, target), two strings, not {item!r}")
        source, target = item
        pairs.append(Pair.of(source, target, where=f"pair {number}"))
    return pairs
