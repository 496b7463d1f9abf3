"""The model card: what a model is, how it was trained, how good it is, how to use it."""

from __future__ import annotations

from typing import Any

from regard import config
from regard.model import Config
from regard.models import ModelSettings


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
    encoder, decoder = model.encoder, model.decoder
    wiring = config.to_table(decoder)["wiring"]
    layers = lambda part: f" × {part.num_layers} layers" if part.num_layers > 1 else ""  # noqa: E731
    look = f"no attention (summary given {wiring['kind']})"
    if "score" in wiring:
        window = "" if wiring["window"]["kind"] == "everywhere" else f" within {wiring['window']['kind']}"
        feed = ", fed back" if wiring.get("feed") else ""
        look = f"{wiring['score']['kind']} attention{window} {wiring['kind']} the cell{feed}"
    direction = "bidirectional " if encoder.bidirectional else ""
    reader = f"{direction}{encoder.cell} {encoder.size}{layers(encoder)}"
    return f"{reader} → {decoder.cell} {decoder.size}{layers(decoder)}, {look}"


def _row(measure: dict[str, Any]) -> str:
    # a bar would end the cell
    signature = str(measure["signature"]).replace("|", "\\|")
    return f"| {measure['name']} | {measure['value']:.2f} | `{signature}` |"
