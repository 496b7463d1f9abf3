"""The model card: what a model is, how it was trained, how good it is, how to use it."""

from __future__ import annotations

from typing import Any

from regard import config
from regard.evaluate.measure import shown
from regard.model import Config
from regard.models import ClassifierSettings, LanguageModelSettings, ModelSettings, Seq2SeqSettings
from regard.nn.around import NgramSettings
from regard.nn.decoders import DecoderSettings, TransformerDecoderSettings
from regard.nn.encoders import (
    AttentionEncoderSettings,
    ConvEncoderSettings,
    EncoderSettings,
    PatchEncoderSettings,
    RnnEncoderSettings,
    TransformerEncoderSettings,
)
from regard.nn.summaries import MeanSummarySettings, StructuredSummarySettings, SummarySettings
from regard.nn.trunks import LookBackSettings, TransformerTrunkSettings, TrunkSettings

USES = {
    "transduce": ("Turns one text into another", "translate THIS_DIRECTORY < texts", 'translate(["…"])'),
    "classify": ("Gives a text one of some labels", "classify THIS_DIRECTORY < texts", 'classify(["…"])'),
    "language": ("Goes on with a text", 'generate THIS_DIRECTORY "…"', 'generate("…")'),
}


def write(model: Config) -> str:
    training = model.training
    settings: dict[str, Any] = training["settings"]
    does, command, call = USES[model.task]
    unit = units(model.model)
    kinds = ", ".join(f"{name} {settings['text'][name]['kind']}" for name in ("source", "target"))
    if model.task == "language":
        kinds = str(settings["text"]["target"]["kind"])
    lines = [
        "# A regard model",
        "",
        f"{does}: {describe(model.model)}.",
        "",
        f"- trained on {training['pairs']:,} {unit}: {training['steps']:,} steps, "
        f"{training['seconds'] / 60:.1f} minutes, on {training['cores']} of the cores, seed {settings['seed']}",
        f"- {training['parameters']:,} parameters; tokenisers: {kinds}",
        *_memory(settings["text"].get("similar", 0), settings["text"].get("similar_dropout", 0)),
        f"- written by regard {model.regard}, torch {training['torch']}",
        "",
        f"## Scores on {training['valid_pairs']:,} validation {unit}",
        "",
        "| measure | value | signature |",
        "|---|---|---|",
        *[_row(measure) for measure in model.measures],
        "",
        f"These {unit} chose the model, so a test set that it has never met may give lower scores.",
        "",
        "## Use",
        "",
        "```",
        f"regard {command}",
        f"python -c 'import regard; print(regard.load(\"THIS_DIRECTORY\").{call})'",
        "```",
        "",
        "## Settings",
        "",
        "```toml",
        config.to_toml(settings),
        "```",
        "",
    ]
    return "\n".join(lines)


def _memory(count: int, dropout: float) -> list[str]:
    """Who gives a model away should know what is in it."""
    if not count:
        return []
    twice = "; it reads a text with them and without, and writes what both say" if dropout else ""
    shown = "that of the pair" if count == 1 else f"those of the {count} pairs"
    return [
        f"- beside a text it reads targets of its training pairs, {shown} most like it: **these pairs are in it**, in "
        f"`tokeniser.source.json`{twice}"
    ]


def describe(model: ModelSettings) -> str:
    """'bidirectional gru 128 → gru 256, additive attention before the cell'"""
    match model:
        case Seq2SeqSettings():
            grams = "n-grams, " if isinstance(model.embedding.around, NgramSettings) else ""
            ways = {"no": "", "shared": ", from either end", "apart": ", and another one from the end"}[model.both_ways]
            return f"{grams}{_reader(model.encoder)} → {_writer(model.decoder)}{ways}"
        case ClassifierSettings():
            return f"{_reader(model.encoder)}{_summary(model.encoder.summary)} → label"
        case LanguageModelSettings():
            return _trunk(model.trunk)


def units(model: ModelSettings) -> str:
    """What it learns from is counted in."""
    match model:
        case Seq2SeqSettings():
            return "pairs"
        case ClassifierSettings():
            return "texts"
        case LanguageModelSettings():
            return "characters" if model.unit == "text" else "lines"


def _summary(settings: SummarySettings) -> str:
    if isinstance(settings, StructuredSummarySettings):
        return f", {settings.num_hops} hops of attention"
    return ", mean of the states" if isinstance(settings, MeanSummarySettings) else ""


def _trunk(settings: TrunkSettings) -> str:
    if isinstance(settings, TransformerTrunkSettings):
        return f"transformer {settings.size}{_layers(settings.num_layers)}, {settings.num_heads} heads"
    look = settings.attention
    back = (
        f", {config.to_table(look.score)['kind']} attention to its past" if isinstance(look, LookBackSettings) else ""
    )
    return f"{settings.cell} {settings.size}{_layers(settings.num_layers)}{back}"


def _reader(settings: EncoderSettings) -> str:
    match settings:
        case RnnEncoderSettings():
            direction = "bidirectional " if settings.bidirectional else ""
            return f"{direction}{settings.cell} {settings.size}{_layers(settings.num_layers)}"
        case AttentionEncoderSettings():
            return f"attention {settings.size}{_layers(settings.num_layers)}"
        case TransformerEncoderSettings():
            return f"transformer {settings.size}{_layers(settings.num_layers)}"
        case PatchEncoderSettings():
            patch = f"{settings.patch_width}×{settings.patch_height}"
            return f"patches of {patch} pixels, transformer {settings.size}{_layers(settings.num_layers)}"
        case ConvEncoderSettings():
            return f"convolutions {'-'.join(map(str, settings.channels))}, {settings.size}"


def _writer(settings: DecoderSettings) -> str:
    if isinstance(settings, TransformerDecoderSettings):
        past = config.to_table(settings.past)["kind"]
        light = "" if past == "attention" else f", {past} in the place of self-attention"
        return f"transformer {settings.size}{_layers(settings.num_layers)}, {settings.num_heads} heads{light}"
    wiring = config.to_table(settings.wiring)
    look = f"no attention (summary given {wiring['kind']})"
    if "score" in wiring:
        window = "" if wiring["window"]["kind"] == "everywhere" else f" within {wiring['window']['kind']}"
        feed = ", fed back" if wiring.get("feed") else ""
        look = f"{wiring['score']['kind']} attention{window} {wiring['kind']} the cell{feed}"
    return f"{settings.cell} {settings.size}{_layers(settings.num_layers)}, {look}"


def _layers(count: int) -> str:
    return f" × {count} layers" if count > 1 else ""


def _row(measure: dict[str, Any]) -> str:
    # a bar would end the cell
    signature = str(measure["signature"]).replace("|", "\\|")
    return f"| {measure['name']} | {shown(measure['name'], measure['value'])} | `{signature}` |"
