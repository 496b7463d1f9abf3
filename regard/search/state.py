"""What search asks of a model: a state that can be reordered, and a function that makes one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

from torch import Tensor


class State(Protocol):
    """All that a model remembers between two steps.

    It has R rows, sentence by sentence. One sentence may have more of them than another, and may have come farther.
    """

    def select(self, rows_R: Tensor) -> Self:
        """The state whose rows are these rows of this one: reordered, repeated, dropped, each within its sentence."""
        ...

    def keep(self, sentences_B: Tensor) -> Self:
        """The state of these sentences alone (their indices, rising), with all their rows."""
        ...

    def join(self, other: Self) -> Self:
        """The state of the sentences of both, these first."""
        ...


S = TypeVar("S", bound=State)


class Sentences(NamedTuple, Generic[S]):
    """What search begins with, for the sentences of a batch."""

    state: S  # one row a sentence
    max_length_B: Tensor
    first: Sequence[int] | None = None  # what each is read after, in the place of BOS
    prefixes: Sequence[Sequence[int]] | None = None  # what is said first: nothing in particular
    numbers: Sequence[int] | None = None  # tell the sentences apart in sampling: 0, 1, …
    source_mask_BS: Tensor | None = None  # for a beam's coverage penalty


class Step(NamedTuple, Generic[S]):
    """What the model says of the next token of each row, having read one more."""

    logits_RV: Tensor  # search's own from here on: it writes on them
    weights_RS: Tensor | None  # where each row looked: for the coverage penalty
    state: S


StepFunction = Callable[[Tensor, S], Step[S]]
"""(token_R, state) -> Step"""
