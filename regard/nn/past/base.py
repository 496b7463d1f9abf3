"""What every way to look at one's own past is: two functions that must agree."""

from __future__ import annotations

from torch import Tensor, nn

from regard.nn.dropout import Noise

Rows = dict[str, Tensor]  # what is remembered between two steps, rows first


def rows_of(rows: Rows, layer: int) -> Rows:
    """What one of several layers remembers, by its own names."""
    begins = f"{layer}."
    return {name.removeprefix(begins): part for name, part in rows.items() if name.startswith(begins)}


def named(rows: Rows, layer: int) -> Rows:
    """What one layer remembers, by names that tell it from the others."""
    return {f"{layer}.{name}": part for name, part in rows.items()}


class Past(nn.Module):
    attends = False  # whether there are weights to be shown

    def forward(
        self, x_BTD: Tensor, noise: Noise | None, place: str, *, look: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """All positions of a known text; position t sees 1 … t. And the weights_BHTS, if there are any to be shown."""
        raise NotImplementedError

    def first(self, like_RD: Tensor) -> Rows:
        """Nothing is written yet."""
        raise NotImplementedError

    def step(
        self, x_RD: Tensor, rows: Rows, position_R: Tensor, *, look: bool = False
    ) -> tuple[Tensor, Tensor | None, Rows]:
        """The next position of each row, and its weights_RHS."""
        raise NotImplementedError
