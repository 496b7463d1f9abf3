"""What every summary is."""

from __future__ import annotations

from torch import Tensor, nn


class Summary(nn.Module):
    penalty = 0.0  # what hops that look at the same places cost
    size: int  # of the vector that it gives

    def forward(self, states_BSM: Tensor, mask_BS: Tensor) -> tuple[Tensor, Tensor | None]:
        """The vector, and the weights_BRS of its hops, if it has such."""
        raise NotImplementedError
