"""A map as a picture: PNG, or SVG whose text stays text."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from regard.explain import canvas
from regard.explain.labels import label, printable
from regard.explain.map import Map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST = 32  # characters of a name


def save(map_: Map, path: Path, *, title: str | None = None) -> str:
    """Write the map to `path`; returns the characters that no font of this machine can show ("" if there are none)."""
    rows, columns = _names(map_.rows), _names(map_.columns)
    heading = printable(title or "")
    text = "".join([heading, *rows, *columns])
    return canvas.save(path, text, lambda: _figure(map_, rows, columns, heading))


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
