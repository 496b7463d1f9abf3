"""What every wiring is: one step, and all steps, which must agree."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn

from regard.nn.attention import Attended, Attention
from regard.nn.cells import Cells, Stack
from regard.nn.dropout import Noise
from regard.nn.memory import Memory, State

PLACE = "decoder"  # where the masks between the layers of the stack are drawn


class Stepped(NamedTuple):
    """What one step gives: features, where it looked, the new cells, and the new features to feed, if any."""

    features_RE: Tensor
    weights_RS: Tensor | None
    cells: Cells
    fed_RE: Tensor | None = None


class Wiring(nn.Module):
    input_size: int  # what the cells read beside the embedding
    sums_to_one = True

    def prepare(self, memory: Memory) -> Tensor | None:
        """The keys of the memory, if there is attention."""
        return None

    def first_fed(self, memory: Memory) -> Tensor | None:
        """What is fed before anything was produced."""
        return None

    def step(self, y_RE: Tensor, stack: Stack, cells: Cells, state: State) -> Stepped:
        raise NotImplementedError

    def forward(
        self, y_BTE: Tensor, stack: Stack, cells: Cells, state: State, noise: Noise | None
    ) -> tuple[Tensor, Tensor | None]:
        """features_BTE and weights_BTS for a whole target."""
        raise NotImplementedError


def attend(attention: Attention, query_RD: Tensor, state: State) -> Attended:
    """Rows of a sentence are queries to the same keys."""
    assert state.keys is not None
    query_BWD, position_BW = state.side_by_side(query_RD), state.side_by_side(state.position_R)
    context_BWM, weights_BWS = attention(query_BWD, state.keys, state.memory, position_BW)
    return Attended(state.row_by_row(context_BWM), state.row_by_row(weights_BWS))
