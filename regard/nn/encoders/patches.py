"""Patches of a picture as tokens: W x + b of each patch, where it stands, and layers of a Transformer
(Dosovitskiy et al. 2021, eq. 1 to 4)."""

from __future__ import annotations

from torch import Tensor

from regard.nn.dropout import Noise, dropout
from regard.nn.encoders.pixels import Grid, PixelEncoder
from regard.nn.encoders.transformer import EncoderLayer, TransformerEncoder
from regard.nn.frame import Frame
from regard.nn.memory import Memory
from regard.nn.products import Linear
from regard.nn.summaries.base import Summary


class PatchEncoder(TransformerEncoder, PixelEncoder):
    def __init__(
        self, grid: Grid, frame: Frame, layers: list[EncoderLayer], *, dropout: float, summary: Summary | None
    ) -> None:
        super().__init__(frame, layers, summary)
        self.grid = grid
        self.dropout = dropout
        self.patch_map = Linear(grid.across * grid.down, frame.size)

    def forward(self, pixels_BWH: Tensor, width_B: Tensor, noise: Noise | None = None, *, look: bool = False) -> Memory:
        grid = self.grid
        # [B, columns of patches, across, rows, down] → a patch a row, its pixels side by side
        cut = self.filled(pixels_BWH, width_B).unflatten(1, (-1, grid.across)).unflatten(3, (grid.rows, grid.down))
        patch_BSP = cut.transpose(2, 3).flatten(3).flatten(1, 2)
        x_BSD = dropout(self.patch_map(patch_BSP), self.dropout, noise, "encoder.patches")
        return super().forward(x_BSD, grid.num_places(width_B), noise, look=look)
