"""Rows of fields to pairs: what TSV and CSV have in common.

The first row is a header if the columns are chosen by name, or if it is exactly `source`, `target` (in any case).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from regard.errors import UserError, suggest
from regard.text.pair import Pair
from regard.text.readers.columns import Columns, make_pair

Row = tuple[str, list[str]]  # where it stands ("train.tsv:17"), and its fields


def pairs_of(rows: Iterable[Row], columns: Columns | None, separator: str) -> Iterator[Pair]:
    """Each row as a pair; without `columns` it must have two fields, the source and the target."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return
    where, fields = first
    positions = _positions(columns, fields, where)
    if not _is_header(columns, fields):
        yield _pair(where, fields, columns, positions, separator)
    for where, fields in rows:
        yield _pair(where, fields, columns, positions, separator)


def _is_header(columns: Columns | None, fields: list[str]) -> bool:
    named = columns is not None and not columns.numbered
    return named or [field.strip().lower() for field in fields] == ["source", "target"]


def _positions(columns: Columns | None, fields: list[str], where: str) -> list[int]:
    """Where the chosen columns stand in a row, from 0; for names, `fields` is the header."""
    if columns is None:
        return [0, 1]
    if columns.numbered:
        return [int(name) - 1 for name in columns.names]
    header = [field.strip() for field in fields]
    for name in columns.names:
        if name not in header:
            hint = suggest(name, header) or f"; its columns are {', '.join(map(repr, header))}"
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
