"""Encoders: a source becomes a Memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from regard.config import Choice, Meta
from regard.errors import UserError
from regard.nn import positions, summaries
from regard.nn.fields import Activation, AttentionDropout, HiddenSize, NumHeads, NumLayers, StateSize, WhatStandsWhere
from regard.nn.positions import RotarySettings, SinusoidalSettings, check_heads
from regard.nn.summaries import OwnSummarySettings, SummarySettings

if TYPE_CHECKING:
    from regard.nn.encoders.base import Encoder
    from regard.nn.encoders.transformer import EncoderLayer
    from regard.nn.positions.base import Positions


class RnnEncoderSettings(Choice, frozen=True, tag="rnn"):
    """A recurrent encoder, in one or both directions (Bahdanau et al. 2015, section 3.2)."""

    cell: Annotated[Literal["tanh", "gru", "lstm"], Meta(description="kind of cell")] = "gru"
    size: Annotated[int, Meta(ge=1, description="width of each direction's state")] = 128
    num_layers: NumLayers = 1
    bidirectional: Annotated[bool, Meta(description="read from both ends; the memory is twice as wide")] = True
    dropout: Annotated[
        float, Meta(ge=0, lt=1, description="share of units dropped between layers and of the memory")
    ] = 0.1
    summary: Annotated[SummarySettings, Meta(description="one vector for the whole")] = OwnSummarySettings()


class AttentionEncoderSettings(Choice, frozen=True, tag="attention"):
    """An encoder of attention alone: each position looks at all others, nothing is recurrent."""

    size: StateSize = 256
    num_layers: NumLayers = 1
    num_heads: NumHeads = 4
    norm: Annotated[Literal["pre", "post"], Meta(description="normalise before or after attention")] = "pre"
    positions: WhatStandsWhere = SinusoidalSettings()
    dropout: Annotated[float, Meta(ge=0, lt=1, description="share of units dropped of what a layer adds")] = 0.1
    attention_dropout: AttentionDropout = 0.0
    summary: Annotated[SummarySettings, Meta(description="one vector for the whole")] = OwnSummarySettings()


class TransformerEncoderSettings(Choice, frozen=True, tag="transformer"):
    """Layers of self-attention and feed-forward (Vaswani et al. 2017, section 3.1)."""

    size: StateSize = 256
    num_layers: NumLayers = 3
    num_heads: NumHeads = 4
    feedforward: HiddenSize = 512
    activation: Activation = "relu"
    norm: Annotated[Literal["pre", "post"], Meta(description="normalise before or after each half")] = "pre"
    positions: WhatStandsWhere = SinusoidalSettings()
    dropout: Annotated[
        float, Meta(ge=0, lt=1, description="share of units dropped of what a half adds, and inside feed-forward")
    ] = 0.1
    attention_dropout: AttentionDropout = 0.0
    summary: Annotated[SummarySettings, Meta(description="one vector for the whole")] = OwnSummarySettings()


class PatchEncoderSettings(Choice, frozen=True, tag="patches"):
    """Patches of a picture, and layers of self-attention and feed-forward over them (Dosovitskiy et al. 2021)."""

    patch_width: Annotated[int, Meta(ge=1, description="of a patch, in pixels")] = 4
    patch_height: Annotated[int, Meta(ge=1, description="of a patch; the height of pictures is a multiple of it")] = 32
    size: StateSize = 128
    num_layers: NumLayers = 2
    num_heads: NumHeads = 4
    feedforward: HiddenSize = 256
    activation: Activation = "relu"
    norm: Annotated[Literal["pre", "post"], Meta(description="normalise before or after each half")] = "pre"
    dropout: Annotated[
        float, Meta(ge=0, lt=1, description="share of units dropped of what a half adds, and inside feed-forward")
    ] = 0.1
    attention_dropout: AttentionDropout = 0.0
    summary: Annotated[SummarySettings, Meta(description="one vector for the whole")] = OwnSummarySettings()


class ConvEncoderSettings(Choice, frozen=True, tag="conv"):
    """A small convolutional network: each column of what it makes of a picture is a place to look at."""

    channels: Annotated[
        Annotated[tuple[Annotated[int, Meta(ge=1)], ...], Meta(min_length=1, max_length=6)],
        Meta(description="of each block; a block halves the height, the first two the width as well"),
    ] = (16, 32, 64)
    size: StateSize = 128
    dropout: Annotated[float, Meta(ge=0, lt=1, description="share of units dropped of the memory")] = 0.1
    summary: Annotated[SummarySettings, Meta(description="one vector for the whole")] = OwnSummarySettings()


TextEncoderSettings = RnnEncoderSettings | AttentionEncoderSettings | TransformerEncoderSettings
PixelEncoderSettings = PatchEncoderSettings | ConvEncoderSettings
EncoderSettings = (
    RnnEncoderSettings
    | AttentionEncoderSettings
    | TransformerEncoderSettings
    | PatchEncoderSettings
    | ConvEncoderSettings
)


def build(settings: EncoderSettings, input_size: int, *, height: int | None = None, fast: bool = True) -> Encoder:
    """An encoder of vectors of this size, or of pictures of this height."""
    if isinstance(settings, PatchEncoderSettings | ConvEncoderSettings) != (height is not None):
        if height:
            raise UserError(
                "model.encoder: this one reads tokens, and text.source gives pictures: choose patches or conv"
            )
        raise UserError("model.encoder: this one reads pictures: set text.source.kind=image, or choose another")
    from regard.nn.encoders.rnn import RnnEncoder

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
            from regard.nn.encoders.transformer import TransformerEncoder
            from regard.nn.frame import Frame

            size = settings.size
            check_heads("model.encoder", size, settings.num_heads, settings.positions)
            told = positions.build(settings.positions, size, fast=fast)
            frame = Frame(input_size, size, size, norm=settings.norm, positions=told)
            return TransformerEncoder(frame, _layers(settings, told, fast), summaries.build(settings.summary, size))
        case PatchEncoderSettings():
            return _patches(settings, height or 0, fast)
        case ConvEncoderSettings():
            from regard.nn.encoders.conv import ConvEncoder

            return ConvEncoder(
                height or 0,
                channels=settings.channels,
                size=settings.size,
                dropout=settings.dropout,
                summary=summaries.build(settings.summary, settings.size),
            )


def _patches(settings: PatchEncoderSettings, height: int, fast: bool) -> Encoder:
    from regard.nn.encoders.patches import PatchEncoder
    from regard.nn.encoders.pixels import Grid, Places
    from regard.nn.frame import Frame

    size = settings.size
    check_heads("model.encoder", size, settings.num_heads, RotarySettings())
    if height % settings.patch_height:
        raise UserError(
            f"model.encoder.patch_height = {settings.patch_height}: pictures are {height} pixels high "
            "(text.source.height), which is no multiple of it"
        )
    grid = Grid(settings.patch_width, settings.patch_height, height // settings.patch_height)
    told = Places(grid, fast=fast)
    return PatchEncoder(
        grid,
        Frame(size, size, size, norm=settings.norm, positions=told),
        _layers(settings, told, fast),
        dropout=settings.dropout,
        summary=summaries.build(settings.summary, size),
    )


def _layers(
    settings: AttentionEncoderSettings | TransformerEncoderSettings | PatchEncoderSettings, told: Positions, fast: bool
) -> list[EncoderLayer]:
    from regard.nn.encoders.transformer import EncoderLayer
    from regard.nn.feedforward import FeedForward
    from regard.nn.multihead import MultiHead

    size, num_heads, drop = settings.size, settings.num_heads, settings.dropout
    return [
        EncoderLayer(
            size,
            MultiHead(size, size, size, num_heads, positions=told, dropout=settings.attention_dropout, fast=fast),
            None
            if isinstance(settings, AttentionEncoderSettings)
            else FeedForward(size, settings.feedforward, settings.activation, drop),
            settings.norm,
            drop,
        )
        for _ in range(settings.num_layers)
    ]
