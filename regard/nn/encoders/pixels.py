"""What encoders of pictures share: pixels in, a memory of places in the picture out.

A picture comes as pixels_BWH, its columns from left to right, with its true width in `length_B`. Each place of the
memory is a box of the picture; the boxes go from left to right, and within a column from top to bottom.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from regard.nn import masks
from regard.nn.encoders.base import Encoder
from regard.nn.positions.rotary import Rotary
from regard.nn.positions.sinusoidal import angles


class Grid(NamedTuple):
    """How a picture is cut: `across` and `down` pixels a box, `rows` boxes in a column."""

    across: int
    down: int
    rows: int

    def num_places(self, width_B: Tensor) -> Tensor:
        return (width_B + self.across - 1) // self.across * self.rows

    def boxes(self, width: int) -> list[tuple[int, int, int, int]]:
        """(left, top, right, bottom) of each place."""
        return [
            (x * self.across, y * self.down, min(width, (x + 1) * self.across), (y + 1) * self.down)
            for x in range(math.ceil(width / self.across))
            for y in range(self.rows)
        ]


class PixelEncoder(Encoder):
    grid: Grid

    def filled(self, pixels_BWH: Tensor, width_B: Tensor) -> Tensor:
        """Standardised, with zeros to the right, so that whole boxes fit.

        Whether a picture is dark or light, and how strongly it is drawn, is not for the network to find out.
        """
        x_BWH = standardised(pixels_BWH[..., None], width_B)[..., 0]
        return torch.nn.functional.pad(x_BWH, (0, 0, 0, -x_BWH.shape[1] % self.grid.across))


def standardised(x_BWHC: Tensor, width_B: Tensor) -> Tensor:
    """(x − mean) / deviation over all that is real of each picture, and zeros beyond: none depends on the others."""
    real_BW11 = masks.real(width_B, x_BWHC.shape[1])[:, :, None, None]
    count_B111 = (width_B * x_BWHC.shape[2] * x_BWHC.shape[3])[:, None, None, None]
    mean_B111 = (x_BWHC * real_BW11).sum((1, 2, 3), keepdim=True) / count_B111
    x_BWHC = (x_BWHC - mean_B111) * real_BW11
    variance_B111 = x_BWHC.square().sum((1, 2, 3), keepdim=True) / count_B111
    return x_BWHC * variance_B111.clamp(min=1e-4).rsqrt()  # of a picture that is all the same nothing is left


class Places(Rotary):
    """Where a place stands: across in the first half and down in the second (sinusoids of each), and queries and keys
    turned by how far across, so that strokes are put together alike wherever they are (docs/log.md)."""

    def __init__(self, grid: Grid, *, fast: bool = True) -> None:
        super().__init__(fast=fast)
        self.grid = grid

    def add(self, x_BTD: Tensor, position_BT: Tensor) -> Tensor:
        size = x_BTD.shape[-1]
        across_BTF = angles(position_BT // self.grid.rows, math.ceil(size / 4), x_BTD)
        down_BTF = angles(position_BT % self.grid.rows, math.ceil(size / 4), x_BTD)
        waves = [across_BTF.sin(), across_BTF.cos(), down_BTF.sin(), down_BTF.cos()]
        return x_BTD + torch.cat(waves, dim=-1)[..., :size]

    def rotate(self, x_BHTK: Tensor, position_BT: Tensor) -> Tensor:
        return super().rotate(x_BHTK, position_BT // self.grid.rows)
