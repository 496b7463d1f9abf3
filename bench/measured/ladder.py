"""Multi30k en→de, 20 minutes for each step from no attention to the Transformer."""

from __future__ import annotations

from functools import partial
from typing import Any

from measured.tools import ROOT, Row, Rows, data, evaluated, facts, sets, train

_ATTENTION = {"kind": "attention", "size": 256, "num_layers": 2, "num_heads": 4, "dropout": 0.3}
# the same, and a feed-forward half
_TRANSFORMER = {"kind": "transformer", "size": 256, "num_layers": 2, "num_heads": 4, "feedforward": 512, "dropout": 0.3}
# what each step changes in the recipe, which attends after the cell and feeds back
LADDER: dict[str, dict[str, Any]] = {
    "once": {"model.decoder.wiring": {"kind": "once"}},
    "always": {"model.decoder.wiring": {"kind": "always"}},
    "additive before the cell": {
        "model.decoder.wiring": {"kind": "before", "score": {"kind": "additive", "size": 160}}
    },
    "dot after the cell": {
        "model.decoder.size": 512,
        "model.decoder.wiring": {"kind": "after", "score": {"kind": "dot"}, "feed": False},
    },
    "additive after the cell, fed back": {},
    "attention alone reads, no positions": {"model.encoder": {**_ATTENTION, "positions": {"kind": "none"}}},
    "attention alone reads": {"model.encoder": _ATTENTION},
    "a Transformer reads": {"model.encoder": _TRANSFORMER},
    "a Transformer reads, an SSRU writes": {
        "model.encoder": _TRANSFORMER,
        "model.decoder": {**_TRANSFORMER, "past": {"kind": "ssru"}},
    },
    "Transformer": {"model.encoder": _TRANSFORMER, "model.decoder": _TRANSFORMER},
}


def ladder() -> Rows:
    for number, (name, settings) in enumerate(LADDER.items(), start=1):
        yield name, partial(rung, number, settings)


def rung(number: int, settings: dict[str, Any]) -> Row:
    test = data("multi30k/tok/test_2016_flickr.lc.norm.tok.en,multi30k/tok/test_2016_flickr.lc.norm.tok.de")
    recipe = str(ROOT / "recipes" / "multi30k-ende-rnn.toml")
    run = train(f"ladder-{number:02d}", "--settings", recipe, "--minutes", "20", *sets(settings))
    return {**facts(run), "settings": settings, **evaluated(run, test, "--tokenize", "none")}
