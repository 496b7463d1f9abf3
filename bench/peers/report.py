"""Numbers as tables, for a terminal and for Markdown alike."""

from __future__ import annotations

from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return "| " + " | ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]) + " |"

    rule = "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])])
    return "\n".join([line(heads), f"|{rule}|", *map(line, rows)])


def number(value: float) -> str:
    return f"{value:,.0f}"


def spread(values: Sequence[float], unit: float = 1.0) -> str:
    return f"{number(min(values) / unit)}–{number(max(values) / unit)}"
