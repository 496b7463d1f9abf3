"""What every decoder is: two functions that must agree."""

from __future__ import annotations

from torch import Tensor, nn

from regard.nn.dropout import Noise
from regard.nn.embedding import Embedding
from regard.nn.fast.steps import Steps
from regard.nn.memory import Memory, Output, State


class Decoder(nn.Module):
    attends: bool  # whether there are weights to look at
    sums_to_one: bool  # whether those weights are a distribution
    looks_back = False  # whether it attends to its own past as well
    most: int | None = None  # tokens that a target can have; None: any number

    def start(self, memory: Memory) -> State:
        """One row a sentence, before the first token."""
        raise NotImplementedError

    def step(self, y_RE: Tensor, state: State, *, look: bool = False) -> tuple[Output, State]:
        """The next position of each row (T = 1), from the embedding of the token before it."""
        raise NotImplementedError

    def twin(self, embedding: Embedding, *, width: int, num_rows: int) -> Steps | None:
        """A fast twin of `start` and `step` for one search with `width` rows a sentence, if there is one."""
        return None

    def forward(
        self, y_BTE: Tensor, memory: Memory, noise: Noise | None = None, *, look: bool = False, back: bool = False
    ) -> Output:
        """All positions of known targets, at once where the mathematics allows it.

        The weights are those over the memory (`look`), or those over its own past (`back`, if it looks back).
        """
        raise NotImplementedError
