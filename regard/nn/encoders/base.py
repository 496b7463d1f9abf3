"""What every encoder is."""

from __future__ import annotations

from torch import Tensor, nn

from regard.nn.dropout import Noise
from regard.nn.memory import Memory


class Encoder(nn.Module):
    memory_size: int  # M

    def forward(self, source_BSE: Tensor, length_B: Tensor, noise: Noise | None = None) -> Memory:
        raise NotImplementedError
