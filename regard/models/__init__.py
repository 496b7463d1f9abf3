"""Parts wired together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from regard.config import Choice, Meta, Table
from regard.errors import UserError
from regard.nn import decoders, encoders
from regard.nn.summaries import StructuredSummarySettings

if TYPE_CHECKING:
    from regard.models.seq2seq import Seq2Seq


class EmbeddingSettings(Table, frozen=True):
    """How tokens become vectors."""

    size: Annotated[
        int, Meta(ge=1, description="width of the vectors, and of the features that the output layer reads")
    ] = 128
    share: Annotated[
        Literal["none", "output", "all"],
        Meta(description="one matrix for: nothing; target and output layer; source too (needs text.joint)"),
    ] = "output"
    dropout: Annotated[float, Meta(ge=0, lt=1, description="share of units dropped")] = 0.1


class Seq2SeqSettings(Choice, frozen=True, tag="seq2seq"):
    """Any encoder, any decoder."""

    embedding: Annotated[EmbeddingSettings, Meta(description="tokens as vectors")] = EmbeddingSettings()
    encoder: Annotated[encoders.EncoderSettings, Meta(description="reads the source")] = encoders.RnnEncoderSettings()
    decoder: Annotated[decoders.DecoderSettings, Meta(description="writes the target")] = decoders.RnnDecoderSettings()
    fast: Annotated[bool, Meta(description="use the fast twins of parts, where there are any: the same numbers")] = True


ModelSettings = Seq2SeqSettings


def build(settings: ModelSettings, *, num_source: int, num_target: int, joint: bool) -> Seq2Seq:
    """The network for vocabularies of these sizes, or a UserError if its parts do not fit."""
    from regard.models.seq2seq import Seq2Seq
    from regard.nn.embedding import Embedding, OutputLayer

    size, share = settings.embedding.size, settings.embedding.share
    if isinstance(settings.encoder.summary, StructuredSummarySettings) and not isinstance(
        settings.decoder, decoders.RnnDecoderSettings
    ):
        raise UserError("model.encoder.summary = structured: only a decoder of kind rnn reads a summary")
    if share == "all" and not joint:
        raise UserError("model.embedding.share = 'all' needs one vocabulary for both sides: set text.joint=true")
    source = Embedding(num_source, size)
    target = source if share == "all" else Embedding(num_target, size)
    output = OutputLayer(Embedding(num_target, size).weight_VE if share == "none" else target.weight_VE)
    encoder = encoders.build(settings.encoder, size, fast=settings.fast)
    decoder = decoders.build(settings.decoder, size, encoder.memory_size, encoder.summary_size, fast=settings.fast)
    return Seq2Seq(source, target, encoder, decoder, output, dropout=settings.embedding.dropout, fast=settings.fast)
