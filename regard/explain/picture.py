"""A map as a picture: PNG, or SVG whose text stays text."""

from __future__ import annotations

import contextlib
import io
import logging
import textwrap
import unicodedata
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from regard import files
from regard.errors import UserError
from regard.explain.labels import label, printable
from regard.explain.map import Map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FONT = "DejaVu Sans"  # comes with matplotlib
LONGEST = 32  # characters of a name
METADATA = {"png": {"Software": None}, "svg": {"Date": None}}  # the same map is the same file


def save(map_: Map, path: Path, *, title: str | None = None) -> str:
    """Write the map to `path`; returns the characters that no font of this machine can show ("" if there are none)."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in METADATA:
        raise UserError(f"{path}: a picture is written as .png or .svg: give it a name that ends in one of them")
    rows, columns = _names(map_.rows), _names(map_.columns)
    heading = printable(title or "")
    with _quiet():
        import matplotlib

        families, missing = _fonts("".join([heading, *rows, *columns]))
        options = {"font.family": families, "text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "regard"}
        with matplotlib.rc_context(options):  # type: ignore[arg-type]
            content = io.BytesIO()
            figure = _figure(map_, rows, columns, heading)
            figure.savefig(content, format=kind, dpi=150, bbox_inches="tight", metadata=METADATA[kind])
    files.write(path, content.getvalue())
    return missing


def _figure(map_: Map, rows: list[str], columns: list[str], title: str) -> Figure:
    from matplotlib.figure import Figure

    num_rows, num_columns = max(len(rows), 1), max(len(columns), 1)
    cell = min(0.36, 60 / max(num_rows, num_columns))  # inches
    size = min(10.0, cell * 40)  # points
    width = cell * num_columns + 1
    figure = Figure(figsize=(width, cell * num_rows + 0.5))
    axes = figure.add_subplot()
    # cells are drawn one by one, not as an image: an SVG stays sharp at any size
    mesh = axes.pcolormesh(map_.weights_TS, cmap="Blues", vmin=0, vmax=1, edgecolors="#dddddd", linewidth=0.4)
    axes.set_aspect("equal")
    _label(axes, rows, columns, size)
    marked = [(column, row) for row in range(len(rows)) if (column := map_.heaviest(row)) is not None]
    axes.scatter([c + 0.5 for c, _ in marked], [r + 0.5 for _, r in marked], s=(cell * 16) ** 2, c="#f28e2b")
    bar = figure.colorbar(mesh, ax=axes, fraction=0.3 / width, pad=0.25 / width, shrink=min(1.0, 8 / num_rows))
    bar.set_label("weight" if map_.sums_to_one else "weight (rows need not sum to one)", fontsize=size)
    bar.ax.tick_params(labelsize=size * 0.8)
    if title:
        axes.set_title(textwrap.fill(title, max(24, int(width * 100 / size))), fontsize=size, pad=size)
    return figure


def _label(axes: Axes, rows: list[str], columns: list[str], size: float) -> None:
    """Names to the left and above, slanted where they are longer than a cell."""
    axes.invert_yaxis()
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns, fontsize=size)
    for name in axes.get_xticklabels():
        if len(name.get_text()) > 2:
            name.set(rotation=45, ha="left", rotation_mode="anchor")
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize=size)


def _names(names: tuple[str, ...]) -> list[str]:
    return [name if len(name) <= LONGEST else name[: LONGEST - 1] + "…" for name in map(label, names)]


def _fonts(text: str) -> tuple[list[str], str]:
    """Families that together show the text, those that show most of the rest first, and what none of them can."""
    from matplotlib import font_manager, get_data_path

    def shown(path: str, characters: set[str]) -> set[str]:
        font = font_manager.get_font(path)
        return {character for character in characters if font.get_char_index(ord(character))}

    missing = {character for character in text if not _is_mark(character)}
    missing -= shown(font_manager.findfont(FONT), missing)
    families = [FONT]
    if missing:
        # matplotlib's other fonts are of formulas, or have a box for every character
        others = {
            entry.name: shown(entry.fname, missing)
            for entry in sorted(font_manager.fontManager.ttflist, key=lambda entry: (entry.name, entry.fname))
            if entry.style == "normal"
            and not entry.fname.startswith(get_data_path())
            and "LastResort" not in entry.name
        }
        while missing and others:
            best = max(others, key=lambda name: len(others[name] & missing))
            if not others[best] & missing:
                break
            families.append(best)
            missing -= others.pop(best)
    return families, "".join(sorted(missing))


def _is_mark(character: str) -> bool:
    """Joiners and selectors of variants, which a font need not have."""
    return unicodedata.category(character) == "Cf" or "\ufe00" <= character <= "\ufe0f" or character.isspace()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without matplotlib's own words about fonts and layout: the caller is told by what `save` returns."""
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
