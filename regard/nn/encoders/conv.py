"""A small convolutional network: a picture becomes a row of columns, each of which has seen its surroundings.

Blocks of max(0, norm(convolution 3 × 3)) and a pooling that halves the height, and in the first two the width; then
each column of what is left is one place of the memory (after Shi et al. 2017, section 2.1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.nn import masks
from regard.nn.dropout import Noise, dropout
from regard.nn.encoders.pixels import Grid, PixelEncoder, Places, standardised
from regard.nn.memory import Memory
from regard.nn.positions.base import in_order
from regard.nn.products import Linear
from regard.nn.summaries.base import Summary
from regard.nn.summaries.mean import mean

NARROWING = 2  # blocks that halve the width as well


class PictureNorm(nn.Module):
    """g ⊙ (x − mean) / deviation + b of a whole picture: what is blank stays blank beside what is not."""

    def __init__(self, num_channels: int) -> None:
        super().__init__()
        self.gain_C = nn.Parameter(torch.ones(num_channels))
        self.bias_C = nn.Parameter(torch.zeros(num_channels))

    def forward(self, x_BWHC: Tensor, width_B: Tensor) -> Tensor:
        return standardised(x_BWHC, width_B) * self.gain_C + self.bias_C


class ConvEncoder(PixelEncoder):
    def __init__(
        self, height: int, *, channels: Sequence[int], size: int, dropout: float, summary: Summary | None
    ) -> None:
        super().__init__()
        self.grid = Grid(2 ** min(NARROWING, len(channels)), height, 1)
        self.positions = Places(self.grid)
        self.memory_size = size
        self.summary = summary
        self.dropout = dropout
        inputs = (1, *channels[:-1])
        self.blocks = nn.ModuleList(
            nn.Conv2d(before, after, 3, padding=1) for before, after in zip(inputs, channels, strict=True)
        )
        self.norms = nn.ModuleList(PictureNorm(after) for after in channels)
        rows = height
        for _ in channels:
            rows = math.ceil(rows / 2)
        self.column_map = Linear(rows * channels[-1], size)

    def forward(self, pixels_BWH: Tensor, width_B: Tensor, noise: Noise | None = None, *, look: bool = False) -> Memory:
        x_BCWH, width_B = self.filled(pixels_BWH, width_B)[:, None], self._whole(width_B)
        length_B = width_B
        for number, (block, norm) in enumerate(zip(self.blocks, self.norms, strict=True)):
            # beyond its own width a picture is blank in every block, as it is beyond the width of the batch
            real_BW11 = masks.real(length_B, x_BCWH.shape[2])[:, :, None, None]
            x_BWHC = functional.relu(norm(block(x_BCWH).permute(0, 2, 3, 1), length_B)) * real_BW11
            across = 2 if number < NARROWING else 1
            x_BCWH = functional.max_pool2d(x_BWHC.permute(0, 3, 1, 2), (across, 2), ceil_mode=True)
            length_B = length_B // across
        x_BSD = self.column_map(x_BCWH.permute(0, 2, 3, 1).flatten(2))
        x_BSD = self.positions.add(x_BSD, in_order(x_BSD))
        mask_BS = masks.real(length_B, x_BSD.shape[1])
        x_BSD = dropout(torch.tanh(x_BSD), self.dropout, noise, "encoder.columns") * mask_BS[:, :, None]
        return self.remember(x_BSD, mask_BS, length_B, mean(x_BSD, mask_BS))

    def _whole(self, width_B: Tensor) -> Tensor:
        """Widths up to the next whole place."""
        return (width_B + self.grid.across - 1) // self.grid.across * self.grid.across
