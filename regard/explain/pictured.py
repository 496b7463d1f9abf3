"""Where a model looked in a picture for each character that it wrote: as lines of text, and as PNG."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.explain import canvas
from regard.explain.inspection import Piece, alone
from regard.explain.labels import label, printable
from regard.explain.map import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHADES = " ░▒▓█"
Box = tuple[int, int, int, int]  # left, top, right, bottom


@dataclass(frozen=True, eq=False, slots=True)
class Pictured:
    """A picture, what the model read in it, and where it looked for each piece of that."""

    path: str
    pixels_HW: Any  # uint8, the background dark
    boxes: list[Box]
    target: str
    pieces: tuple[Piece, ...]
    weights_LHTS: Array
    logprobs: tuple[float, ...]

    def of(self, layer: int | None, head: int | None) -> Pictured:
        """The same, of one layer or one head alone."""
        return replace(self, weights_LHTS=alone(self.weights_LHTS, layer, head))

    @property
    def weights_TS(self) -> Array:
        """The mean of all layers and heads."""
        mean: Array = self.weights_LHTS.mean((0, 1))
        return mean

    def over_pixels(self) -> Array:
        """weights_THW: the weight of the box that each pixel lies in.

        All boxes are of one size, though the edge may cut the last ones: a narrow one is not looked at more closely.
        """
        weights_TS = self.weights_TS
        spread = np.zeros((len(weights_TS), *self.pixels_HW.shape), dtype=np.float32)
        for place, (left, top, right, bottom) in enumerate(self.boxes):
            spread[:, top:bottom, left:right] = weights_TS[:, place, None, None]
        return spread

    def centres(self) -> list[float]:
        """The centre of the weights of each piece, in pixels from the left."""
        middle_S = np.array([(left + right) / 2 for left, _, right, _ in self.boxes], dtype=np.float32)
        return [float(x) for x in self.weights_TS @ middle_S]

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "target": self.target,
            "pieces": [piece.text for piece in self.pieces],
            "logprobs": list(self.logprobs),
            "centres": [round(x, 2) for x in self.centres()],
            "boxes": [list(box) for box in self.boxes],
            "weights_LHTS": self.weights_LHTS.astype(float).round(5).tolist(),
        }


def draw(found: Pictured, *, width: int) -> str:
    """The picture as a few lines of shades, and below it a line a piece: where it was looked for."""
    margin = max(len(label(piece.text)) for piece in found.pieces) + 2
    room = max(8, min(width - margin - 2, found.pixels_HW.shape[1]))
    rows = math.ceil(room * found.pixels_HW.shape[0] / found.pixels_HW.shape[1] / 2)
    picture = _shrunk(found.pixels_HW.astype(np.float32), max(1, rows), room)
    lines = [" " * margin + "│" + _shades(row, picture.max()) + "│" for row in picture]
    for piece, weights_HW in zip(found.pieces, found.over_pixels(), strict=True):
        across = _shrunk(weights_HW.sum(0, keepdims=True), 1, room)[0]
        lines.append(f"{label(piece.text):>{margin - 1}} │{_shades(across, across.max())}│")
    return "\n".join(lines)


def save(found: Pictured, path: Path) -> str:
    """Write the picture once for each piece, the weights over it; returns characters that no font here can show."""
    title = printable(found.target)
    return canvas.save(path, title, lambda: _figure(found))


def _figure(found: Pictured) -> Figure:
    from matplotlib.figure import Figure

    height, width = found.pixels_HW.shape
    columns = max(1, min(len(found.pieces), round(8 * height / width) or 1))
    rows = math.ceil(len(found.pieces) / columns)
    figure = Figure(figsize=(2.2 * columns * max(1.0, width / height / 4), 0.9 * rows + 0.3))
    spread = found.over_pixels()
    for number, piece in enumerate(found.pieces):
        axes = figure.add_subplot(rows, columns, number + 1)
        axes.imshow(255 - found.pixels_HW, cmap="gray", vmin=0, vmax=255)
        heat = spread[number] / max(float(spread[number].max()), 1e-9)
        axes.imshow(np.ones_like(heat), cmap="autumn", vmin=0, vmax=2, alpha=0.65 * heat)
        axes.set_ylabel(label(piece.text), rotation=0, ha="right", va="center")
        axes.set_xticks([])
        axes.set_yticks([])
    return figure


def _shrunk(values: Any, rows: int, columns: int) -> Any:
    """The means of boxes."""
    cuts = [
        np.linspace(0, size, count + 1).round().astype(int)
        for size, count in zip(values.shape, (rows, columns), strict=True)
    ]
    down = np.add.reduceat(values, np.minimum(cuts[0][:-1], values.shape[0] - 1), axis=0)
    both = np.add.reduceat(down, np.minimum(cuts[1][:-1], values.shape[1] - 1), axis=1)
    return both / np.maximum(1, np.outer(np.diff(cuts[0]), np.diff(cuts[1])))


def _shades(row: Any, most: float) -> str:
    levels = (np.asarray(row) / max(float(most), 1e-9) * (len(SHADES) - 0.01)).astype(int).clip(0, len(SHADES) - 1)
    return "".join(SHADES[level] for level in levels)
