"""Files to pairs: one file a format, and `read`, the one door.

PAIRS is one file (`train.tsv`, `train.csv.gz`, `train.jsonl.xz`), two joined by a comma (`train.en,train.de`), or `-`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import PurePath

from regard.errors import UserError, suggest
from regard.text.pair import Pair
from regard.text.readers import csv, jsonl, parallel, tsv
from regard.text.readers.columns import Columns
from regard.text.readers.lines import read_lines, read_text, title

__all__ = ["FORMATS", "files_of", "read", "read_lines", "read_text", "two_files"]

FORMATS: dict[str, Callable[[str, Columns | None], Iterator[Pair]]] = {
    "tsv": tsv.read,
    "csv": csv.read,
    "jsonl": jsonl.read,
}
SUFFIXES = {".tsv": "tsv", ".tab": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def read(
    spec: str, *, columns: str | None = None, usual: str | None = None, format: str | None = None
) -> Iterator[Pair]:
    """The pairs of `spec`, one after the other as they are read; a UserError if there are none.

    `usual` are columns that are chosen by their names where a table has them, if `columns` says nothing.
    """
    if two_files(spec):
        if columns is not None or format is not None:
            raise UserError(f"{spec}: --columns and --format are for one file, not for two joined by a comma")
        return _some(_read_two(spec), spec)
    if format is not None and format not in FORMATS:
        raise UserError(f"--format {format}: is not one of {', '.join(FORMATS)}{suggest(format, FORMATS)}")
    chosen = Columns.remembered(usual) if columns is None else Columns.parse(columns)
    return _some(FORMATS[format or _format(spec)](spec, chosen), title(spec))


def two_files(spec: str) -> bool:
    """A comma may also be a part of one file's name."""
    # unlike Path.exists, os.path.exists never raises
    return "," in spec and not os.path.exists(spec)  # noqa: PTH110


def files_of(spec: str) -> list[str]:
    """The names in `spec`: one, or those joined by a comma; if names hold commas themselves, two that are there."""
    if not two_files(spec):
        return [spec]
    parts = spec.split(",")
    cuts = [(",".join(parts[:n]).strip(), ",".join(parts[n:]).strip()) for n in range(1, len(parts))]
    there = (cut for cut in cuts if all(name == "-" or os.path.exists(name) for name in cut))  # noqa: PTH110
    return list(next(there, ())) or [part.strip() for part in parts]


def _format(name: str) -> str:
    if name == "-" or _suffix(name) == ".txt":
        return "tsv"
    if _suffix(name) not in SUFFIXES:
        if not os.path.exists(name):  # noqa: PTH110
            raise UserError(f"{name}: there is no such file")
        if os.path.isdir(name):  # noqa: PTH112
            raise UserError(f"{name}: is a directory, and pairs are in files")
        raise UserError(
            f"{name}: its name does not say what it holds: one of {' '.join(SUFFIXES)} .txt (and .gz or .xz after it), "
            f"or say --format {'|'.join(FORMATS)}"
        )
    return SUFFIXES[_suffix(name)]


def _suffix(name: str) -> str:
    path = PurePath(name.lower())
    return (path.with_suffix("") if path.suffix in (".gz", ".xz") else path).suffix


def _read_two(spec: str) -> Iterator[Pair]:
    names = files_of(spec)
    if len(names) != 2 or not all(names):
        raise UserError(f"{spec}: expected one file, or two joined by a comma: SOURCE,TARGET")
    if names == ["-", "-"]:
        raise UserError(f"{spec}: standard input can be one of the two files, not both")
    source, target = names
    # plain text is read whatever its suffix (.en, .txt); tables would be taken for sentences
    for name, allowed in (source, [None]), (target, [None, "tsv"]):
        if SUFFIXES.get(_suffix(name)) not in allowed:
            raise UserError(f"{spec}: {name} is not plain text with one sentence a line; give tables one at a time")
    return parallel.read(source, target, many_references=_suffix(target) in SUFFIXES)


def _some(pairs: Iterator[Pair], name: str) -> Iterator[Pair]:
    empty = True
    for pair in pairs:
        empty = False
        yield pair
    if empty:
        raise UserError(f"{name}: has no pairs")
