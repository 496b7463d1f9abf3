"""Encoders: a source becomes a Memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from regard.config import Choice, Meta

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


EncoderSettings = RnnEncoderSettings


def build(settings: EncoderSettings, input_size: int, *, fast: bool = True) -> Encoder:
    from regard.nn.encoders.rnn import RnnEncoder

    return RnnEncoder(
        input_size,
        cell=settings.cell,
        size=settings.size,
        num_layers=settings.num_layers,
        bidirectional=settings.bidirectional,
        dropout=settings.dropout,
        fast=fast,
    )
