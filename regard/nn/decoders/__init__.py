"""Decoders: a Memory and the target so far become features of the next token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from regard.config import Choice, Meta
from regard.errors import UserError
from regard.nn import past, positions, wirings
from regard.nn.fields import Activation, AttentionDropout, HiddenSize, NumHeads, NumLayers, StateSize, WhatStandsWhere
from regard.nn.past import PastSettings, SelfAttentionSettings
from regard.nn.positions import NoPositionsSettings, RotarySettings, SinusoidalSettings, check_heads

if TYPE_CHECKING:
    from regard.nn.decoders.base import Decoder


class RnnDecoderSettings(Choice, frozen=True, tag="rnn"):
    """A recurrent decoder. Its query is the top layer's state; what its wiring adds enters the bottom layer."""

    cell: Annotated[Literal["tanh", "gru", "lstm"], Meta(description="kind of cell")] = "gru"
    size: Annotated[int, Meta(ge=1, description="width of its state, the query")] = 256
    num_layers: NumLayers = 1
    dropout: Annotated[float, Meta(ge=0, lt=1, description="share of units dropped between layers and of features")] = (
        0.1
    )
    wiring: Annotated[wirings.WiringSettings, Meta(description="whether, when and how it attends")] = (
        wirings.BeforeSettings()
    )


class TransformerDecoderSettings(Choice, frozen=True, tag="transformer"):
    """Layers that look at their own past and at the memory (Vaswani et al. 2017, section 3.1)."""

    size: StateSize = 256
    num_layers: NumLayers = 3
    num_heads: NumHeads = 4
    feedforward: HiddenSize = 512
    activation: Activation = "relu"
    norm: Annotated[Literal["pre", "post"], Meta(description="normalise before or after each part")] = "pre"
    positions: WhatStandsWhere = SinusoidalSettings()
    past: Annotated[PastSettings, Meta(description="how it looks at what it has written")] = SelfAttentionSettings()
    dropout: Annotated[
        float, Meta(ge=0, lt=1, description="share of units dropped of what a part adds, and inside feed-forward")
    ] = 0.1
    attention_dropout: AttentionDropout = 0.0
    rotate_memory: Annotated[
        bool,
        Meta(
            description="rotary positions also where it looks at the memory: for outputs that follow their inputs in "
            "order"
        ),
    ] = False


DecoderSettings = RnnDecoderSettings | TransformerDecoderSettings


def build(
    settings: DecoderSettings, embedding_size: int, memory_size: int, summary_size: int, *, fast: bool = True
) -> Decoder:
    match settings:
        case RnnDecoderSettings():
            return _rnn(settings, embedding_size, memory_size, summary_size, fast)
        case TransformerDecoderSettings():
            return _transformer(settings, embedding_size, memory_size, fast)


def _rnn(settings: RnnDecoderSettings, embedding_size: int, memory_size: int, summary_size: int, fast: bool) -> Decoder:
    from regard.nn.decoders.rnn import RnnDecoder

    wiring = wirings.build(
        settings.wiring,
        embedding_size=embedding_size,
        memory_size=memory_size,
        summary_size=summary_size,
        size=settings.size,
    )
    return RnnDecoder(
        embedding_size,
        summary_size,
        cell=settings.cell,
        size=settings.size,
        num_layers=settings.num_layers,
        dropout=settings.dropout,
        wiring=wiring,
        fast=fast,
    )


def _transformer(settings: TransformerDecoderSettings, embedding_size: int, memory_size: int, fast: bool) -> Decoder:
    from regard.nn.decoders.transformer import DecoderLayer, TransformerDecoder
    from regard.nn.feedforward import FeedForward
    from regard.nn.frame import Frame
    from regard.nn.multihead import MultiHead

    size, num_heads, drop = settings.size, settings.num_heads, settings.attention_dropout
    across = RotarySettings() if settings.rotate_memory else NoPositionsSettings()
    for told_by in (settings.positions, across):
        check_heads("model.decoder", size, num_heads, told_by)
    if isinstance(settings.positions, RotarySettings) and not isinstance(settings.past, SelfAttentionSettings):
        raise UserError("model.decoder.positions = rotary: only queries and keys are turned, and this past has none")
    told, told_across = (positions.build(one, size, fast=fast) for one in (settings.positions, across))
    layers = [
        DecoderLayer(
            size,
            past.build(settings.past, size, num_heads, positions=told, dropout=drop, fast=fast),
            MultiHead(size, memory_size, size, num_heads, positions=told_across, dropout=drop, fast=fast),
            FeedForward(size, settings.feedforward, settings.activation, settings.dropout),
            settings.norm,
            settings.dropout,
        )
        for _ in range(settings.num_layers)
    ]
    return TransformerDecoder(Frame(embedding_size, size, embedding_size, norm=settings.norm, positions=told), layers)
