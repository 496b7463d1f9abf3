"""Patches of a picture as tokens: W x + b of each patch, where it stands, and layers of a Transformer
(Dosovitskiy et al. 2021, eq. 1 to 4)."""

from __future__ import annotations

from torch import Tensor, nn

from regard.nn import masks
from regard.nn.dropout import Noise, dropout
from regard.nn.encoders.pixels import Grid, PixelEncoder, places
from regard.nn.encoders.transformer import EncoderLayer
from regard.nn.memory import Memory
from regard.nn.summaries.base import Summary
from regard.nn.summaries.mean import mean


class PatchEncoder(PixelEncoder):
    def __init__(
        self,
        grid: Grid,
        *,
        size: int,
        layers: list[EncoderLayer],
        pre_norm: bool,
        dropout: float,
        summary: Summary | None,
    ) -> None:
        super().__init__()
        self.grid = grid
        self.memory_size = size
        self.summary = summary
        self.dropout = dropout
        self.patch_map = nn.Linear(grid.across * grid.down, size)
        self.layers = nn.ModuleList(layers)
        self.norm = nn.LayerNorm(size) if pre_norm else nn.Identity()

    def forward(self, pixels_BWH: Tensor, width_B: Tensor, noise: Noise | None = None) -> Memory:
        grid = self.grid
        # [B, columns of patches, across, rows, down] → a patch a row, its pixels side by side
        cut = self.filled(pixels_BWH).unflatten(1, (-1, grid.across)).unflatten(3, (grid.rows, grid.down))
        patch_BSP = cut.transpose(2, 3).flatten(3).flatten(1, 2)
        x_BSD = self.patch_map(patch_BSP)
        x_BSD = x_BSD + places(grid, x_BSD.shape[1], self.memory_size, x_BSD)
        x_BSD = dropout(x_BSD, self.dropout, noise, "encoder.patches")
        length_B = grid.num_places(width_B)
        mask_BS = masks.real(length_B, x_BSD.shape[1])
        for number, layer in enumerate(self.layers):
            x_BSD = layer(x_BSD, masks.unless_all(mask_BS), None, noise, f"encoder.{number}")
        x_BSD = self.norm(x_BSD) * mask_BS[:, :, None]
        return self.remember(x_BSD, mask_BS, length_B, mean(x_BSD, mask_BS))
