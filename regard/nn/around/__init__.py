"""What a source token's vector tells of the tokens around it, before any layer has read them.

| kind | vector of token s | from |
|---|---|---|
| none | E[x_s] | |
| ngrams | E[x_s] + W [t_n; …], t_n for the n tokens that s is in the middle of | Pagnoni et al. 2024 |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from regard.config import Choice, Meta
from regard.errors import UserError

if TYPE_CHECKING:
    from regard.nn.around.ngrams import Ngrams


class AloneSettings(Choice, frozen=True, tag="none"):
    """Each token by itself."""


class NgramSettings(Choice, frozen=True, tag="ngrams"):
    """The n-grams that a token is in the middle of have vectors of their own: for characters."""

    orders: Annotated[
        tuple[Annotated[int, Meta(ge=2, le=32)], ...],
        Meta(min_length=1, max_length=16, description="how many tokens they have"),
    ] = (3, 4, 5, 6)
    least: Annotated[int, Meta(ge=1, description="how often one must occur in the sources, to have a vector")] = 5
    most: Annotated[int, Meta(ge=1, description="how many of them have a vector, the frequent ones first")] = 100_000
    size: Annotated[int, Meta(ge=1, description="width of their vectors")] = 64
    dropout: Annotated[float, Meta(ge=0, lt=1, description="share of orders dropped, each for a whole source")] = 0.4


AroundSettings = AloneSettings | NgramSettings


def build(settings: AroundSettings, size: int) -> Ngrams | None:
    """For vectors of this size."""
    from regard.nn.around.ngrams import Ngrams

    match settings:
        case AloneSettings():
            return None
        case NgramSettings():
            if len(set(settings.orders)) < len(settings.orders):
                raise UserError(f"model.embedding.around.orders = {list(settings.orders)}: says one of them twice")
            return Ngrams(size, settings.orders, settings.least, settings.most, settings.size, settings.dropout)
