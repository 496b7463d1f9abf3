"""What every way to look at one's own past is: two functions that must agree."""

from __future__ import annotations

from torch import Tensor, nn

from regard.nn.dropout import Noise

Rows = dict[str, Tensor]  # what is remembered between two steps, rows first


class Past(nn.Module):
    def forward(self, x_BTD: Tensor, noise: Noise | None, place: str) -> Tensor:
        """All positions of a known text; position t sees 1 … t."""
        raise NotImplementedError

    def first(self, like_RD: Tensor) -> Rows:
        """Nothing is written yet."""
        raise NotImplementedError

    def step(self, x_RD: Tensor, rows: Rows, position_R: Tensor) -> tuple[Tensor, Rows]:
        """The next position of each row."""
        raise NotImplementedError
