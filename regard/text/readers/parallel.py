"""Two files, line n of one being the translation of line n of the other. An empty line is an empty sentence.

The second may be a TSV: then its columns are several references for the line.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from regard.errors import UserError
from regard.text.pair import Pair
from regard.text.readers.columns import make_pair
from regard.text.readers.lines import read_lines, title


def read(source_name: str, target_name: str, *, many_references: bool) -> Iterator[Pair]:
    lines = enumerate(zip_longest(read_lines(source_name), read_lines(target_name)), start=1)
    for number, (source, target) in lines:
        if source is None or target is None:
            fewer, more = number - 1, number + sum(1 for _ in lines)
            num_sources, num_targets = (fewer, more) if source is None else (more, fewer)
            raise UserError(
                f"{title(source_name)} has {num_sources:,} lines, {title(target_name)} has {num_targets:,}: "
                "line n of one must be the translation of line n of the other"
            )
        targets = target.split("\t") if many_references else [target]
        yield make_pair(source, targets, f"{title(source_name)}:{number}")
