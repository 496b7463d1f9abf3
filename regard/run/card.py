"""The model card: what a model is, how it was trained, how good it is, how to use it."""

from __future__ import annotations

from typing import Any

from regard import config
from regard.model import Config
from regard.models import ModelSettings
from regard.nn.decoders import DecoderSettings, TransformerDecoderSettings
from regard.nn.encoders import (
    AttentionEncoderSettings,
    EncoderSettings,
    RnnEncoderSettings,
    TransformerEncoderSettings,
)


def write(model: Config) -> str:
    training = model.training
    settings: dict[str, Any] = training["settings"]
    lines = [
        "# A regard model",
        "",
        f"Turns one text into another: {describe(model.model)}.",
        "",
        f"- trained on {training['pairs']:,} pairs: {training['steps']:,} steps, "
        f"{training['seconds'] / 60:.1f} minutes, on {training['cores']} of the cores, seed {settings['seed']}",
        f"- {training['parameters']:,} parameters; tokenisers: source {settings['text']['source']['kind']}, "
        f"target {settings['text']['target']['kind']}",
        f"- written by regard {model.regard}, torch {training['torch']}",
        "",
        f"## Scores on {training['valid_pairs']:,} validation pairs",
        "",
        "| measure | value | signature |",
        "|---|---|---|",
        *[_row(measure) for measure in model.measures],
        "",
        "These pairs chose the model, so a test set that it has never met may give lower scores.",
        "",
        "## Use",
        "",
        "```",
        "regard translate THIS_DIRECTORY < texts",
        'python -c \'import regard; print(regard.load("THIS_DIRECTORY").translate(["…"]))\'',
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


def describe(model: ModelSettings) -> str:
    """'bidirectional gru 128 → gru 256, additive attention before the cell'"""
    return f"{_reader(model.encoder)} → {_writer(model.decoder)}"


def _reader(settings: EncoderSettings) -> str:
    match settings:
        case RnnEncoderSettings():
            direction = "bidirectional " if settings.bidirectional else ""
            return f"{direction}{settings.cell} {settings.size}{_layers(settings.num_layers)}"
        case AttentionEncoderSettings():
            return f"attention {settings.size}{_layers(settings.num_layers)}"
        case TransformerEncoderSettings():
            return f"transformer {settings.size}{_layers(settings.num_layers)}"


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
    return f"| {measure['name']} | {measure['value']:.2f} | `{signature}` |"
