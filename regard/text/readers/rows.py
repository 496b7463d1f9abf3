"""Rows of fields to pairs: what TSV and CSV have in common.

The first row is a header if the columns are chosen by name, or if it holds nothing but names that such columns have
(`source`, `target`; `text`, `label`; in any case); a header that names the target first is believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from regard.errors import UserError, suggest
from regard.text.pair import Pair
from regard.text.readers.columns import Columns, make_pair

SOURCES = {"source", "src", "input", "text", "sentence", "question", "word", "image", "path"}
TARGETS = {"target", "tgt", "trg", "output", "translation", "label", "class", "category", "answer", "pronunciation"}

Row = tuple[str, list[str]]  # where it stands ("train.tsv:17"), and its fields


def pairs_of(rows: Iterable[Row], columns: Columns | None, separator: str) -> Iterator[Pair]:
    """Each row as a pair; without `columns` it must have two fields, the source and the target."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return
    where, fields = first
    columns = columns and columns.found([field.strip() for field in fields])
    positions = _positions(columns, fields, where)
    if not _is_header(columns, fields, positions):
        yield _pair(where, fields, columns, positions, separator)
    for where, fields in rows:
        yield _pair(where, fields, columns, positions, separator)


def _is_header(columns: Columns | None, fields: list[str], positions: list[int]) -> bool:
    if columns is not None and not columns.numbered:
        return True
    chosen = [fields[position].strip().lower() for position in positions if position < len(fields)]
    return len(chosen) == 2 and set(chosen) <= SOURCES | TARGETS


def _positions(columns: Columns | None, fields: list[str], where: str) -> list[int]:
    """Where the chosen columns stand in a row, from 0; for names, `fields` is the header."""
    header = [field.strip() for field in fields]
    if columns is None:
        names = [field.lower() for field in header]
        return [1, 0] if len(names) == 2 and names[0] in TARGETS and names[1] in SOURCES else [0, 1]
    if columns.numbered:
        return [int(name) - 1 for name in columns.names]
    for name in columns.names:
        if name not in header:
            hint = (
                suggest(name, header) or f"; its first line, which has to name them, is {', '.join(map(repr, header))}"
            )
            raise UserError(f"{where}: has no column `{name}` (--columns {columns.said}){hint}")
    return [header.index(name) for name in columns.names]


def _pair(where: str, fields: list[str], columns: Columns | None, positions: list[int], separator: str) -> Pair:
    if columns is None:
        _expect_two(fields, where, separator)
    elif len(fields) <= max(positions):
        raise UserError(
            f"{where}: has {len(fields)} column{'s' * (len(fields) != 1)} separated by a {separator}, "
            f"--columns {columns.said} needs {max(positions) + 1}"
        )
    source, *targets = [fields[position] for position in positions]
    if columns is not None and columns.rest:
        targets += fields[positions[-1] + 1 :]
    return make_pair(source, targets, where)


def _expect_two(fields: list[str], where: str, separator: str) -> None:
    if len(fields) == 1:
        raise UserError(f"{where}: has one column, expected two separated by a {separator}")
    if len(fields) > 2:
        raise UserError(
            f"{where}: has {len(fields)} columns, expected two: choose with --columns 1,2 "
            "(or 1,2- if the further columns are further references)"
        )
