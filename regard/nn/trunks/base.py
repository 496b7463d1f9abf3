"""What every trunk is: two functions that must agree."""

from __future__ import annotations

from torch import Tensor, nn

from regard.nn.dropout import Noise
from regard.nn.memory import Output, State


class Trunk(nn.Module):
    attends: bool  # whether there are weights to look at
    most: int | None = None  # positions that there are; None: any number
    looks_before = False  # a column of weights stands for the position before it, the first one for nothing

    def start(self, num_rows: int) -> State:
        """Nothing is written yet."""
        raise NotImplementedError

    def step(self, x_RE: Tensor, state: State, *, look: bool = False) -> tuple[Output, State]:
        """The next position of each row (T = 1)."""
        raise NotImplementedError

    def forward(self, x_BTE: Tensor, noise: Noise | None = None, *, look: bool = False) -> Output:
        """All positions of a known text; position t sees 1 … t."""
        raise NotImplementedError
