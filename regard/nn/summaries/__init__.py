"""One vector for a whole sequence: what a decoder starts from, what a classifier reads, what `embed` gives.

| kind | the summary | from |
|---|---|---|
| own | the encoder's: the last state of each direction (rnn), the mean (all others) | |
| mean | the mean of the states | |
| structured | the rows of M = AH side by side, A = softmax(W₂ tanh(W₁Hᵀ)): r hops | Lin et al. 2017, eq. 6 and 7 |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from regard.config import Choice, Meta

if TYPE_CHECKING:
    from regard.nn.summaries.base import Summary


class OwnSummarySettings(Choice, frozen=True, tag="own"):
    """As the encoder does it by itself."""


class MeanSummarySettings(Choice, frozen=True, tag="mean"):
    """The mean of the states."""


class StructuredSummarySettings(Choice, frozen=True, tag="structured"):
    """Structured self-attention (Lin et al. 2017): several hops of attention, side by side."""

    size: Annotated[int, Meta(ge=1, description="width of the layer that scores positions (d_a)")] = 128
    num_hops: Annotated[int, Meta(ge=1, description="rows of the embedding (r)")] = 4
    penalty: Annotated[float, Meta(ge=0, description="what hops that look at the same places cost: · ‖AAᵀ − I‖²")] = 1.0


SummarySettings = OwnSummarySettings | MeanSummarySettings | StructuredSummarySettings


def build(settings: SummarySettings, memory_size: int) -> Summary | None:
    """None is the encoder's own."""
    from regard.nn.summaries.mean import MeanSummary
    from regard.nn.summaries.structured import StructuredSummary

    match settings:
        case OwnSummarySettings():
            return None
        case MeanSummarySettings():
            return MeanSummary(memory_size)
        case StructuredSummarySettings():
            return StructuredSummary(
                memory_size, size=settings.size, num_hops=settings.num_hops, penalty=settings.penalty
            )
