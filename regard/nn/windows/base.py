"""What every window is."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn


class View(NamedTuple):
    """Where each query may look, and how much weights count there after the softmax. None means: everywhere, fully."""

    mask_BTS: Tensor | None
    gain_BTS: Tensor | None


class Window(nn.Module):
    sums_to_one = True  # whether the weights it leaves are a distribution

    def forward(self, query_BTD: Tensor, length_B: Tensor, position_BT: Tensor, num_source: int) -> View:
        """`length_B` are the true lengths; `num_source` is S, padding included; `position_BT` are the queries' t."""
        raise NotImplementedError
