"""Decoders: a Memory and the target so far become features of the next token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from regard.config import Choice, Meta
from regard.nn import wirings

if TYPE_CHECKING:
    from regard.nn.decoders.base import Decoder


class RnnDecoderSettings(Choice, frozen=True, tag="rnn"):
    """A recurrent decoder. Its query is the top layer's state; what its wiring adds enters the bottom layer."""

    cell: Annotated[Literal["tanh", "gru", "lstm"], Meta(description="kind of cell")] = "gru"
    size: Annotated[int, Meta(ge=1, description="width of its state, the query")] = 256
    num_layers: Annotated[int, Meta(ge=1, description="layers on top of each other")] = 1
    dropout: Annotated[float, Meta(ge=0, lt=1, description="share of units dropped between layers and of features")] = (
        0.1
    )
    wiring: Annotated[wirings.WiringSettings, Meta(description="whether, when and how it attends")] = (
        wirings.BeforeSettings()
    )


DecoderSettings = RnnDecoderSettings


def build(settings: DecoderSettings, embedding_size: int, memory_size: int, *, fast: bool = True) -> Decoder:
    from regard.nn.decoders.rnn import RnnDecoder

    wiring = wirings.build(settings.wiring, embedding_size=embedding_size, memory_size=memory_size, size=settings.size)
    return RnnDecoder(
        embedding_size,
        memory_size,
        cell=settings.cell,
        size=settings.size,
        num_layers=settings.num_layers,
        dropout=settings.dropout,
        wiring=wiring,
        fast=fast,
    )
