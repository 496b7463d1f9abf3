"""A map as lines of text: target words down, source words across, folded into panels where they are too many.

A column's name starts above its cells and runs to the right; it stands as many lines up as it needs to be clear of
the names that it would run into, and a line leads down from it. So names are read as they are written, in any script.
"""

from __future__ import annotations

from collections.abc import Iterator

from regard.explain.labels import isolated, label, printable
from regard.explain.map import Map

CELL = 3  # "100" fits; names start above the second, where most numbers do
NOTHING = " · "
SHADES = ((0.3, "▓▓▓"), (0.15, "▒▒▒"), (0.05, "░░░"))  # nothing but the heaviest is over a half
LEAST = 0.01
# black on bright blue to white on dark blue, of the 256 colours; light weights stay on the ground of the terminal
COLOURS = (
    (0.8, "38;5;16;48;5;51"),
    (0.6, "38;5;16;48;5;45"),
    (0.4, "38;5;16;48;5;39"),
    (0.2, "38;5;255;48;5;26"),
    (0.1, "38;5;255;48;5;19"),
    (0.0, "39"),
)
LEGEND = "░ from 5 %, ▒ from 15 %, ▓ from 30 %; a number is the heaviest of its row, in %"
COLOUR_LEGEND = "numbers are %, from 1 % on; the heaviest of its row is underlined"
NOT_ONE = "rows need not sum to 100 %"


def draw(map_: Map, *, width: int = 80, colour: bool = False, title: str | None = None) -> str:
    """The map in lines of at most `width` cells. The heaviest weight of each row is marked."""
    width = max(width, 24)
    rows = [shortened(label(row), width // 4) for row in map_.rows]
    margin = max((_cells(row) for row in rows), default=0) + 1
    columns = [shortened(label(column), width - margin - 1) for column in map_.columns]
    lines = [isolated(shortened(printable(title), width))] if title else []
    for panel in _panels(columns, width - margin - 1):
        if len(panel) < len(columns):
            name = f" columns {panel.start + 1} to {panel.stop} of {len(columns)} "
            lines += ["", f"{name:─^{width}.{width}}"]
        lines += [" " * (margin + 1) + line for line in _header([columns[column] for column in panel])]
        for row, name in enumerate(rows):
            marked = map_.heaviest(row)
            cells = [_cell(float(map_.weights_TS[row, column]), column == marked, colour) for column in panel]
            lines.append(" " * (margin - 1 - _cells(name)) + isolated(name) + " " + "".join(cells).rstrip())
    notes = [COLOUR_LEGEND if colour else LEGEND, *([] if map_.sums_to_one else [NOT_ONE])]
    return "\n".join([*lines, "", *(shortened(note, width) for note in notes)])


def _panels(columns: list[str], width: int) -> Iterator[range]:
    """The columns in as few stretches as can be, each of at least one, in which every name ends within the width."""
    start = 0
    while start < len(columns):
        stop = start + 1
        while stop < len(columns) and (stop - start) * CELL + max(CELL, _cells(columns[stop])) <= width:
            stop += 1
        yield range(start, stop)
        start = stop


def _header(names: list[str]) -> Iterator[str]:
    """The lines of names above the cells, the highest first."""
    heights = _heights(names)
    for height in range(max(heights, default=-1), -1, -1):
        line, at = "", 0
        for column, name in enumerate(names):
            if heights[column] >= height:
                sign = name if heights[column] == height else "│"
                line += " " * (column * CELL - at) + isolated(sign)
                at = column * CELL + _cells(sign)
        yield line


def _heights(names: list[str]) -> list[int]:
    """The line of each name: the lowest on which it runs into no name to the right of it, nor into a line from one."""
    heights = [0] * len(names)
    for column in reversed(range(len(names))):
        # one cell stays free, so that two names on a line are told apart
        reach = column + 1 + _cells(names[column]) // CELL
        heights[column] = max((height + 1 for height in heights[column + 1 : reach]), default=0)
    return heights


def _cell(weight: float, heaviest: bool, colour: bool) -> str:
    number = f"{100 * weight:{CELL}.0f}"
    if colour and (heaviest or weight >= LEAST):
        codes = ["1;4"] if heaviest else []
        codes += [code for least, code in COLOURS if weight >= least][:1]
        return f"\x1b[{';'.join(codes)}m{number}\x1b[0m"
    if heaviest:
        return number
    return NOTHING if colour else next((shade for least, shade in SHADES if weight >= least), NOTHING)


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def shortened(text: str, size: int) -> str:
    """The text in at most `size` cells, with an ellipsis where something is left out."""
    from rich.cells import set_cell_size

    return text if _cells(text) <= size else set_cell_size(text, size - 1).rstrip() + "…"
