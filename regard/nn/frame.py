"""What stands around the layers of a Transformer: their width, where vectors stand, and the last norm."""

from __future__ import annotations

from torch import Tensor, nn

from regard.nn.feedforward import Norm
from regard.nn.positions.base import Positions, in_order
from regard.nn.products import Linear


class Frame(nn.Module):
    """`enter`, then layers of width `size`, then `leave`. Where the widths are the same, nothing is mapped."""

    def __init__(self, input_size: int, size: int, output_size: int, *, norm: Norm, positions: Positions) -> None:
        super().__init__()
        self.size = size
        self.input_map = nn.Identity() if input_size == size else Linear(input_size, size)
        self.output_map = nn.Identity() if size == output_size else Linear(size, output_size)
        self.positions = positions
        # a layer that normalises what it reads leaves its sums as they are: once, at the end, they are normalised
        self.norm = nn.LayerNorm(size) if norm == "pre" else nn.Identity()

    def enter(self, x_BTE: Tensor, position_BT: Tensor | None = None) -> Tensor:
        """Vectors of the layers' width that know where they stand: at 0 … T − 1, if nothing else is said."""
        if position_BT is None:
            position_BT = in_order(x_BTE)
        return self.positions.add(self.input_map(x_BTE), position_BT)

    def leave(self, x_BTD: Tensor) -> Tensor:
        features_BTE: Tensor = self.output_map(self.norm(x_BTD))
        return features_BTE
