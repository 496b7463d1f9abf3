"""Trunks: what stands between the embedding and the output layer of a language model.

A decoder reads a Memory; a trunk has only its own past to look at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from regard.config import Choice, Meta
from regard.nn import positions, scores
from regard.nn.fields import Activation, AttentionDropout, HiddenSize, NumHeads, NumLayers, StateSize, WhatStandsWhere
from regard.nn.positions import SinusoidalSettings, check_heads

if TYPE_CHECKING:
    from regard.nn.trunks.base import Trunk


class NoLookSettings(Choice, frozen=True, tag="none"):
    """What the cells remember is all."""


class LookBackSettings(Choice, frozen=True, tag="past"):
    """Attention to all states before this one (after Cheng et al. 2016 and Daniluk et al. 2017)."""

    score: Annotated[scores.ScoreSettings, Meta(description="how states are compared")] = (
        scores.ScaledBilinearSettings()
    )


LookSettings = NoLookSettings | LookBackSettings


class RnnTrunkSettings(Choice, frozen=True, tag="rnn"):
    """A recurrent language model, with or without attention to its own past."""

    cell: Annotated[Literal["tanh", "gru", "lstm"], Meta(description="kind of cell")] = "lstm"
    size: Annotated[int, Meta(ge=1, description="width of its state")] = 256
    num_layers: NumLayers = 1
    dropout: Annotated[float, Meta(ge=0, lt=1, description="share of units dropped between layers and of features")] = (
        0.1
    )
    attention: Annotated[LookSettings, Meta(description="whether it looks back at its own states")] = NoLookSettings()


class TransformerTrunkSettings(Choice, frozen=True, tag="transformer"):
    """A decoder-only Transformer."""

    size: StateSize = 256
    num_layers: NumLayers = 4
    num_heads: NumHeads = 4
    feedforward: HiddenSize = 1024
    activation: Activation = "gelu"
    norm: Annotated[Literal["pre", "post"], Meta(description="normalise before or after each half")] = "pre"
    positions: WhatStandsWhere = SinusoidalSettings()
    dropout: Annotated[float, Meta(ge=0, lt=1, description="share of units dropped of what a half adds")] = 0.1
    attention_dropout: AttentionDropout = 0.0


TrunkSettings = RnnTrunkSettings | TransformerTrunkSettings


def build(settings: TrunkSettings, embedding_size: int, *, fast: bool = True) -> Trunk:
    match settings:
        case RnnTrunkSettings():
            from regard.nn.trunks.rnn import RnnTrunk

            size, look = settings.size, settings.attention
            score = scores.build(look.score, size, size) if isinstance(look, LookBackSettings) else None
            return RnnTrunk(
                embedding_size,
                cell=settings.cell,
                size=size,
                num_layers=settings.num_layers,
                dropout=settings.dropout,
                score=score,
            )
        case TransformerTrunkSettings():
            from regard.nn.feedforward import FeedForward
            from regard.nn.frame import Frame
            from regard.nn.past.self_attention import SelfAttention
            from regard.nn.trunks.transformer import TransformerTrunk, TrunkLayer

            size, num_heads, drop = settings.size, settings.num_heads, settings.attention_dropout
            check_heads("model.trunk", size, num_heads, settings.positions)
            told = positions.build(settings.positions, size, fast=fast)
            layers = [
                TrunkLayer(
                    size,
                    SelfAttention(size, num_heads, positions=told, dropout=drop, fast=fast),
                    FeedForward(size, settings.feedforward, settings.activation, settings.dropout),
                    settings.norm,
                    settings.dropout,
                )
                for _ in range(settings.num_layers)
            ]
            frame = Frame(embedding_size, size, embedding_size, norm=settings.norm, positions=told)
            return TransformerTrunk(frame, layers)
