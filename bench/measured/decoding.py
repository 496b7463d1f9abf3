"""Sentences a second, beam 5, of the Transformer and of the hybrid, in turn (their recipes come first)."""

from __future__ import annotations

import os
import statistics
import time
from functools import cache, partial
from pathlib import Path

from measured.tools import ROOT, Row, Rows, data, evaluated, facts


def decoding() -> Rows:
    for name in ("multi30k-ende-transformer", "multi30k-ende-hybrid"):
        yield name, partial(rate, name)


def rate(name: str) -> Row:
    return rates()[name]


@cache
def rates() -> dict[str, Row]:
    """Each model in turn, both cores."""
    import regard as library

    place = Path(os.environ.get("REGARD_RUNS", ROOT / "runs" / "recipes"))
    models = {name: library.load(place / name) for name, _ in decoding()}
    test = data("multi30k/tok/test_2016_flickr.lc.norm.tok.en,multi30k/tok/test_2016_flickr.lc.norm.tok.de")
    texts = Path(test.split(",")[0]).read_text(encoding="utf-8").splitlines()
    found: dict[str, list[float]] = {name: [] for name in models}
    for turn in range(6):
        for name, model in models.items():
            begun = time.monotonic()
            model.translate(texts, beam=5)
            if turn:  # the first time of anything is slow
                found[name].append(len(texts) / (time.monotonic() - begun))
    return {
        name: {
            **facts(place / name),
            **evaluated(place / name, test, "--tokenize", "none", "--beam", "5"),
            "sentences a second": statistics.median(some),
            "all": some,
        }
        for name, some in found.items()
    }
