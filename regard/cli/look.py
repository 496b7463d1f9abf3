"""How output looks: tables, one line a text, and what the terminal can show."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

# C0 without the tab, DEL and C1 (U+0085 is a new line), and the separators of lines and paragraphs
_CONTROLS = dict.fromkeys((*range(9), *range(10, 32), *range(127, 160), 8232, 8233), " ")
NARROW = 80  # cells, where no terminal says how wide it is


def colour_wanted() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else NARROW


def aligned(rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> str:
    """Rows of equal length as lines, two spaces between columns; the columns named in `right` end at the same place."""
    sizes = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(size) if number in right else cell.ljust(size)
            for number, (cell, size) in enumerate(zip(row, sizes, strict=True))
        ).rstrip()
        for row in rows
    )


def warn_of_missing(path: Path, characters: str) -> None:
    """What a picture at `path` shows as boxes."""
    if characters:
        print(f"regard: warning: {path}: no font of this machine has {' '.join(characters)}", file=sys.stderr)


def one_line(text: str) -> str:
    """The text without the characters that would end its line, or tell a terminal what to do."""
    return text if text.isprintable() else text.translate(_CONTROLS)
