"""Encoders: a source becomes a Memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from regard.config import Choice, Meta
from regard.nn import positions, summaries
from regard.nn.positions import PositionSettings, SinusoidalSettings, check_heads
from regard.nn.summaries import OwnSummarySettings, SummarySettings

if TYPE_CHECKING:
    from regard.nn.encoders.base import Encoder


class RnnEncoderSettings(Choice, frozen=True, tag="rnn"):
    """A recurrent encoder, in one or both directions (Bahdanau et al. 2015, section 3.2)."""

    cell: Annotated[Literal["tanh", "gru", "lstm"], Meta(description="kind of cell")] = "gru"
    size: Annotated[int, Meta(ge=1, description="width of each direction's state")] = 128
    num_layers: Annotated[int, Meta(ge=1, description="layers on top of each other")] = 1
    bidirectional: Annotated[bool, Meta(description="read from both ends; the memory is twice as wide")] = True
    dropout: Annotated[
        float, Meta(ge=0, lt=1, description="share of units dropped between layers and of the memory")
    ] = 0.1
    summary: Annotated[SummarySettings, Meta(description="one vector for the whole")] = OwnSummarySettings()


class AttentionEncoderSettings(Choice, frozen=True, tag="attention"):
    """An encoder of attention alone: each position looks at all others, nothing is recurrent."""

    size: Annotated[int, Meta(ge=1, description="width of the states")] = 256
    num_layers: Annotated[int, Meta(ge=1, description="layers on top of each other")] = 1
    num_heads: Annotated[int, Meta(ge=1, description="heads of attention; they share the width")] = 4
    norm: Annotated[Literal["pre", "post"], Meta(description="normalise before or after attention")] = "pre"
    positions: Annotated[PositionSettings, Meta(description="how it knows what stands where")] = SinusoidalSettings()
    dropout: Annotated[float, Meta(ge=0, lt=1, description="share of units dropped of what a layer adds")] = 0.1
    attention_dropout: Annotated[float, Meta(ge=0, lt=1, description="share of the weights dropped")] = 0.0
    summary: Annotated[SummarySettings, Meta(description="one vector for the whole")] = OwnSummarySettings()


class TransformerEncoderSettings(Choice, frozen=True, tag="transformer"):
    """Layers of self-attention and feed-forward (Vaswani et al. 2017, section 3.1)."""

    size: Annotated[int, Meta(ge=1, description="width of the states")] = 256
    num_layers: Annotated[int, Meta(ge=1, description="layers on top of each other")] = 3
    num_heads: Annotated[int, Meta(ge=1, description="heads of attention; they share the width")] = 4
    feedforward: Annotated[int, Meta(ge=1, description="width inside the feed-forward half")] = 512
    activation: Annotated[Literal["relu", "gelu", "gated"], Meta(description="inside the feed-forward half")] = "relu"
    norm: Annotated[Literal["pre", "post"], Meta(description="normalise before or after each half")] = "pre"
    positions: Annotated[PositionSettings, Meta(description="how it knows what stands where")] = SinusoidalSettings()
    dropout: Annotated[
        float, Meta(ge=0, lt=1, description="share of units dropped of what a half adds, and inside feed-forward")
    ] = 0.1
    attention_dropout: Annotated[float, Meta(ge=0, lt=1, description="share of the weights dropped")] = 0.0
    summary: Annotated[SummarySettings, Meta(description="one vector for the whole")] = OwnSummarySettings()


EncoderSettings = RnnEncoderSettings | AttentionEncoderSettings | TransformerEncoderSettings


def build(settings: EncoderSettings, input_size: int, *, fast: bool = True) -> Encoder:
    from regard.nn.encoders.rnn import RnnEncoder
    from regard.nn.encoders.transformer import TransformerEncoder

    match settings:
        case RnnEncoderSettings():
            return RnnEncoder(
                input_size,
                cell=settings.cell,
                size=settings.size,
                num_layers=settings.num_layers,
                bidirectional=settings.bidirectional,
                dropout=settings.dropout,
                summary=summaries.build(settings.summary, settings.size * (2 if settings.bidirectional else 1)),
                fast=fast,
            )
        case AttentionEncoderSettings() | TransformerEncoderSettings():
            feeds = settings if isinstance(settings, TransformerEncoderSettings) else None
            check_heads("model.encoder", settings.size, settings.num_heads, settings.positions)
            return TransformerEncoder(
                input_size,
                size=settings.size,
                num_layers=settings.num_layers,
                num_heads=settings.num_heads,
                feedforward=feeds.feedforward if feeds else 0,
                activation=feeds.activation if feeds else "relu",
                norm=settings.norm,
                positions=positions.build(settings.positions, settings.size),
                dropout=settings.dropout,
                attention_dropout=settings.attention_dropout,
                summary=summaries.build(settings.summary, settings.size),
                fast=fast,
            )
