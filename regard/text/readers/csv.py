"""CSV (RFC 4180): fields separated by a comma; one in double quotes may hold commas, quotes (doubled) and newlines."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from regard.errors import UserError
from regard.text.pair import Pair
from regard.text.readers.columns import Columns
from regard.text.readers.lines import read_lines, title
from regard.text.readers.rows import Row, pairs_of


def read(name: str, columns: Columns | None) -> Iterator[Pair]:
    return pairs_of(_rows(name), columns, separator="comma")


def _rows(name: str) -> Iterator[Row]:
    """Rows, each with the number of its first line. Strict, so that an open quote does not swallow the file."""
    reader = csv.reader((line + "\n" for line in read_lines(name)), strict=True)
    while True:
        where = f"{title(name)}:{reader.line_num + 1}"
        try:
            fields = next(reader, None)
        except csv.Error as error:
            reason = str(error).partition(" - ")[0]  # what follows is advice to programmers
            raise UserError(
                f"{where}: is not CSV: {reason}; close every quote, double those inside, and quote line breaks"
            ) from None
        if fields is None:
            return
        if fields:  # an empty line holds no pair
            yield where, fields
