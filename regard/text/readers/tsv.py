"""TSV: one pair a line, columns separated by a tab. There is no quoting: a quote is a character."""

from __future__ import annotations

from collections.abc import Iterator

from regard.text.pair import Pair
from regard.text.readers.columns import Columns
from regard.text.readers.lines import read_lines, title
from regard.text.readers.rows import Row, pairs_of


def read(name: str, columns: Columns | None) -> Iterator[Pair]:
    return pairs_of(_rows(name), columns, separator="tab")


def _rows(name: str) -> Iterator[Row]:
    for number, line in enumerate(read_lines(name), start=1):
        if line:  # an empty line holds no pair; files often end with one
            yield f"{title(name)}:{number}", line.split("\t")
