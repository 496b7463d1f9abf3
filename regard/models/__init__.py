"""Parts wired together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from regard.config import Choice, Meta, Table
from regard.errors import UserError
from regard.nn import around, decoders, encoders, trunks
from regard.nn.around import AloneSettings, AroundSettings
from regard.nn.summaries import StructuredSummarySettings
from regard.nn.windows import LocalMSettings

if TYPE_CHECKING:
    from regard.models.classifier import Classifier
    from regard.models.language_model import LanguageModel
    from regard.models.seq2seq import Seq2Seq
    from regard.nn.decoders.base import Decoder


class VectorSettings(Table, frozen=True):
    """How tokens become vectors."""

    size: Annotated[int, Meta(ge=1, description="width of the vectors")] = 128
    dropout: Annotated[float, Meta(ge=0, lt=1, description="share of units dropped")] = 0.1


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
    around: Annotated[AroundSettings, Meta(description="what is added to the vector of a source token")] = (
        AloneSettings()
    )


Fast = Annotated[bool, Meta(description="use the fast twins of parts, where there are any: the same numbers")]


class Seq2SeqSettings(Choice, frozen=True, tag="seq2seq"):
    """Any encoder, any decoder: one sequence becomes another."""

    embedding: Annotated[EmbeddingSettings, Meta(description="tokens as vectors")] = EmbeddingSettings()
    encoder: Annotated[encoders.EncoderSettings, Meta(description="reads the source")] = encoders.RnnEncoderSettings()
    decoder: Annotated[decoders.DecoderSettings, Meta(description="writes the target")] = decoders.RnnDecoderSettings()
    both_ways: Annotated[
        Literal["no", "shared", "apart"],
        Meta(
            description="learn to write targets from either end, by one decoder that both ways share or by one each; a "
            "beam then keeps what both ways find probable"
        ),
    ] = "no"
    fast: Fast = True


class ClassifierSettings(Choice, frozen=True, tag="classifier"):
    """Any encoder: a text becomes one of the labels."""

    embedding: Annotated[VectorSettings, Meta(description="tokens as vectors")] = VectorSettings()
    encoder: Annotated[
        encoders.TextEncoderSettings, Meta(description="reads the text; its summary tells the label")
    ] = encoders.RnnEncoderSettings(cell="lstm", summary=StructuredSummarySettings())
    hidden: Annotated[int, Meta(ge=1, description="width of the layer between summary and labels")] = 256
    dropout: Annotated[float, Meta(ge=0, lt=1, description="share dropped of the summary and of that layer")] = 0.3
    fast: Fast = True


class LanguageModelSettings(Choice, frozen=True, tag="language_model"):
    """A text goes on, token after token."""

    embedding: Annotated[VectorSettings, Meta(description="tokens as vectors, and the output layer")] = VectorSettings()
    trunk: Annotated[trunks.TrunkSettings, Meta(description="reads what is there and tells what comes next")] = (
        trunks.TransformerTrunkSettings()
    )
    unit: Annotated[Literal["text", "line"], Meta(description="a file is one running text, or each line is one")] = (
        "text"
    )
    context: Annotated[int, Meta(ge=2, description="tokens of a running text that are read at once")] = 256
    fast: Fast = True


ModelSettings = Seq2SeqSettings | ClassifierSettings | LanguageModelSettings


def build_seq2seq(
    settings: Seq2SeqSettings, *, num_source: int, num_target: int, joint: bool, height: int | None = None
) -> Seq2Seq:
    """The network for vocabularies of these sizes or pictures of this height; a UserError if its parts do not fit."""
    from regard.models.seq2seq import Seq2Seq
    from regard.nn.embedding import Embedding, OutputLayer

    size, share = settings.embedding.size, settings.embedding.share
    if isinstance(settings.encoder.summary, StructuredSummarySettings) and not isinstance(
        settings.decoder, decoders.RnnDecoderSettings
    ):
        raise UserError("model.encoder.summary = structured: only a decoder of kind rnn reads a summary")
    window = getattr(getattr(settings.decoder, "wiring", None), "window", None)
    if settings.both_ways != "no" and isinstance(window, LocalMSettings):
        raise UserError(
            "model.both_ways: a window of kind local_m moves from the first source position to the last, whichever end "
            "is written first: choose local_p or everywhere, or set both_ways=no"
        )
    if share == "all" and height:
        raise UserError("model.embedding.share = 'all': a picture has no tokens to share vectors with; set output")
    if share == "all" and not joint:
        raise UserError("model.embedding.share = 'all' needs one vocabulary for both sides: set text.joint=true")
    if height and not isinstance(settings.embedding.around, AloneSettings):
        raise UserError("model.embedding.around: a picture has no tokens around others; set none")
    source = None if height else Embedding(num_source, size)
    target = source if source is not None and share == "all" else Embedding(num_target, size)
    output = OutputLayer(Embedding(num_target, size).weight_VE if share == "none" else target.weight_VE)
    encoder = encoders.build(settings.encoder, size, height=height, fast=settings.fast)

    def decoder() -> Decoder:
        return decoders.build(settings.decoder, size, encoder.memory_size, encoder.summary_size, fast=settings.fast)

    return Seq2Seq(
        source,
        target,
        encoder,
        decoder(),
        output,
        around=around.build(settings.embedding.around, size),
        dropout=settings.embedding.dropout,
        both_ways=settings.both_ways != "no",
        backwards=decoder() if settings.both_ways == "apart" else None,
        fast=settings.fast,
    )


def build_classifier(settings: ClassifierSettings, *, num_tokens: int, num_classes: int) -> Classifier:
    from regard.models.classifier import Classifier
    from regard.nn.embedding import Embedding

    encoder = encoders.build(settings.encoder, settings.embedding.size, fast=settings.fast)
    return Classifier(
        Embedding(num_tokens, settings.embedding.size),
        encoder,
        num_classes,
        hidden=settings.hidden,
        embedding_dropout=settings.embedding.dropout,
        dropout=settings.dropout,
    )


def build_language_model(settings: LanguageModelSettings, *, num_tokens: int) -> LanguageModel:
    from regard.models.language_model import LanguageModel
    from regard.nn.embedding import Embedding, OutputLayer

    embedding = Embedding(num_tokens, settings.embedding.size)
    trunk = trunks.build(settings.trunk, settings.embedding.size, fast=settings.fast)
    output = OutputLayer(embedding.weight_VE)
    return LanguageModel(embedding, trunk, output, dropout=settings.embedding.dropout, fast=settings.fast)
