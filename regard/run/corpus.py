"""What a run learns from: read, filtered, split, and known again by its digest."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import msgspec

from regard.errors import UserError
from regard.models import ClassifierSettings, LanguageModelSettings, ModelSettings
from regard.run.settings import Settings
from regard.text import readers
from regard.text.corpus import FilterSettings, default_valid_size, filter_pairs, leaks, split
from regard.text.labelled import labelled
from regard.text.pair import Pair, as_pairs, check_utf8
from regard.text.pictures import beside
from regard.text.readers import files_of, two_files
from regard.text.readers.lines import BOM, title
from regard.text.tokenisers import ImageSettings

MOST_HELD_BACK = 200_000  # characters of a running text


@dataclass(frozen=True)
class Corpus:
    train: list[Pair]
    valid: list[Pair]
    first: Pair  # of all that were read to learn from, and not dropped
    dropped: dict[str, int]
    held_back: bool  # valid was taken from the training pairs
    num_leaks: int  # sources of valid that also stand in train
    pictures: bool = False  # sources are the paths of pictures

    @cached_property
    def digest(self) -> str:
        """Of what training sees: a resumed run must see the same."""
        hashed = hashlib.sha256()
        for pair in [*self.train, *self.valid]:
            source = _bytes(pair) if self.pictures else pair.source.encode()
            hashed.update(source + f"\n\t{pair.target}\n\n".encode())
        return hashed.hexdigest()


def _bytes(pair: Pair) -> bytes:
    try:
        return Path(pair.source).read_bytes()
    except OSError as error:
        raise UserError(f"{pair.where}: {pair.source}: cannot be read: {error.strerror}") from None


def read_train(settings: Settings) -> list[Pair]:
    """What there is to learn from."""
    data, model = settings.data, settings.model
    if isinstance(model, LanguageModelSettings):
        if data.columns is not None or data.format is not None:
            raise UserError("--columns and --format are for pairs: a language model learns from plain text")
        return texts(data.train, model)
    return _located(list(readers.read(data.train, columns=data.columns, format=data.format)), data.train, settings)


def read_valid(settings: Settings) -> list[Pair] | None:
    """What there is to validate with, if that is given."""
    data, model = settings.data, settings.model
    if data.valid is None:
        return None
    if isinstance(model, LanguageModelSettings):
        return texts(data.valid, model)
    if two_files(data.valid):  # they have no columns to choose from
        return _located(list(readers.read(data.valid)), data.valid, settings)
    return _located(list(readers.read(data.valid, columns=data.columns, format=data.format)), data.valid, settings)


def _located(pairs: list[Pair], spec: str, settings: Settings) -> list[Pair]:
    """Pictures are named from where the table that names them stands."""
    if not isinstance(settings.text.source, ImageSettings):
        return pairs
    return [replace(pair, source=beside(spec, pair.source)) for pair in pairs]


def texts(name: str, model: LanguageModelSettings) -> list[Pair]:
    """A file of plain text: as one text, or its lines but for blank ones, each with where it was read."""
    if model.unit == "text":
        whole = readers.read_text(name)
        found = [Pair.of(whole, whole, title(name))] if whole.strip() else []
    else:
        lines = enumerate(readers.read_lines(name), start=1)
        found = [Pair.of(line, line, f"{title(name)}:{number}") for number, line in lines if line.strip()]
    if not found:
        raise UserError(f"{title(name)}: there is no text in it")
    return found


def to_pairs(items: Iterable[tuple[str, str]] | Iterable[str], settings: Settings) -> list[Pair]:
    """What a Python program brings: pairs, or texts for a language model."""
    model = settings.model
    if isinstance(model, LanguageModelSettings):
        texts = [_to_text(item, number, model) for number, item in enumerate(items)]
        # as of a file, too: a blank line is no text
        return [text for text in texts if text.target.strip()] if model.unit == "line" else texts
    pairs = as_pairs(items)  # type: ignore[arg-type]
    if isinstance(settings.text.source, ImageSettings):
        return [replace(pair, source=str(Path(pair.source).absolute())) for pair in pairs]
    return pairs


def _to_text(item: object, number: int, model: LanguageModelSettings) -> Pair:
    if not isinstance(item, str):
        raise UserError(f"text {number}: expected a string, not {item!r}")
    check_utf8(item, f"text {number}")
    if model.unit == "line" and not item.isprintable() and len(item.splitlines()) > 1:
        raise UserError(f"text {number}: has several lines, and each line shall be a text: give them one by one")
    # as a file of it would be read
    text = item.replace("\r\n", "\n").removeprefix("\ufeff")
    text = text if model.unit == "text" else text.rstrip("\r\n")
    return Pair.of(text, text, where=f"text {number}")


def assemble(pairs: list[Pair], valid: list[Pair] | None, settings: Settings) -> Corpus:
    """Drop what cannot be learnt from; hold some back to validate with if nothing was given for that."""
    data, model = settings.data, settings.model
    if isinstance(model, LanguageModelSettings) and model.unit == "text":
        if data.valid_pairs is not None or data.filter != FilterSettings():
            raise UserError(
                "data.valid_pairs and data.filter are for pairs and lines: of a running text the last twentieth is "
                "held back; give --valid FILE for another"
            )
        return _running(pairs, valid)
    if isinstance(model, LanguageModelSettings) and data.filter.max_ratio:
        raise UserError("data.filter.max_ratio: a line has no other side to compare with; leave it out")
    if isinstance(model, ClassifierSettings) and data.columns is None:
        pairs = labelled(pairs)
        valid = None if valid is None else labelled(valid, [pair.target for pair in pairs])
    pictures = isinstance(settings.text.source, ImageSettings)
    filtered = filter_pairs(pairs, data.filter, pictures=pictures)
    if not filtered.pairs:
        raise UserError(f"no pair is left of {len(pairs):,}: dropped {said(filtered.dropped, data.filter)}")
    first = filtered.pairs[0]
    if valid is not None:
        if data.valid_pairs is not None:
            raise UserError("data.valid_pairs: says how many to hold back, and others are given to validate with")
        if not valid:
            raise UserError("there are no pairs to validate with: leave them out to hold back some of the others")
        return Corpus(filtered.pairs, valid, first, filtered.dropped, False, leaks(filtered.pairs, valid), pictures)
    size = data.valid_pairs or default_valid_size(len(filtered.pairs))
    train, held_back = split(filtered.pairs, size=size, seed=settings.seed)
    return Corpus(train, held_back, first, filtered.dropped, True, 0, pictures)


def _running(pairs: list[Pair], valid: list[Pair] | None) -> Corpus:
    """Running texts are one text; of its end, a twentieth is held back if nothing else is given to validate with."""
    whole = _one_text(pairs)
    held = None if valid is None else _one_text(valid)
    if held is None:
        cut = len(whole) - min(MOST_HELD_BACK, max(1, len(whole) // 20))
        whole, held = whole[:cut], whole[cut:]
    if not whole or not held:
        raise UserError("the text is too short to learn from and to validate with")
    text = Pair.of(whole, whole)
    return Corpus([text], [Pair.of(held, held)], text, {}, valid is None, 0)


def _one_text(pairs: Sequence[Pair]) -> str:
    """Texts one after the other, each beginning on a new line."""
    *others, last = [pair.target for pair in pairs] or [""]
    return "".join(text if text.endswith("\n") else text + "\n" for text in others) + last


def spread(pairs: Sequence[Pair], count: int, model: ModelSettings) -> list[Pair]:
    """At most `count` pairs, evenly over the whole; of a running text, what about so many windows hold."""
    if isinstance(model, LanguageModelSettings) and model.unit == "text":
        (pair,) = pairs
        begun = pair.target[: count * model.context]
        return [Pair.of(begun, begun, pair.where)]
    if len(pairs) <= count:
        return list(pairs)
    return [pairs[number * len(pairs) // count] for number in range(count)]


def amount(model: ModelSettings, pairs: Sequence[Pair]) -> int:
    """How many pairs, or how many characters of a running text."""
    if isinstance(model, LanguageModelSettings) and model.unit == "text":
        return sum(len(pair.target) for pair in pairs)
    return len(pairs)


def absolute(spec: str) -> str:
    """The same PAIRS from any directory, with the variables in it ($REGARD_DATA) replaced by what they hold."""
    spec = os.path.expandvars(spec)
    try:
        spec.encode()  # as the settings of a run are, which hold it
    except UnicodeEncodeError:
        raise UserError(f"{spec!r}: its name is not UTF-8; rename it") from None
    unset = re.search(r"\$\{?(\w+)", spec)
    if unset and not Path(spec).exists():
        raise UserError(f"{spec}: the environment variable {unset[1]} is not set: export {unset[1]}=DIRECTORY")
    if two_files(spec):
        return ",".join(map(absolute, files_of(spec)))
    return spec if spec == "-" else str(Path(spec).absolute())


def from_stdin(spec: str | None) -> bool:
    return spec is not None and "-" in files_of(spec)


def kept(pairs: Sequence[Pair], model: ModelSettings) -> bytes:
    """Pairs as a file that can be read again: for those that came from nowhere one could read a second time.

    Who reads plain text takes a BOM off, and a "\\r" before each "\\n": those are put there to be taken.
    """
    if not isinstance(model, LanguageModelSettings):
        return _to_jsonl(pairs)
    text = "".join(pair.target + ("\n" if model.unit == "line" else "") for pair in pairs)
    return BOM + text.replace("\r\n", "\r\r\n").encode()


def _to_jsonl(pairs: Iterable[Pair]) -> bytes:
    rows = ({"source": p.source, "target": p.target, "references": list(p.references)} for p in pairs)
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def said(dropped: dict[str, int], settings: FilterSettings) -> str:
    """'3 empty, 1 too long (data.filter.max_length = 1000)'"""
    why = {
        "too long": f" (data.filter.max_length = {settings.max_length})",
        "ratio": f" (data.filter.max_ratio = {settings.max_ratio})",
    }
    return ", ".join(f"{count:,} {reason}{why.get(reason, '')}" for reason, count in dropped.items() if count) or "none"
