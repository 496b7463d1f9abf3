"""Language models of tiny Shakespeare, 10 minutes each."""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path
from typing import Any

from measured.tools import ROOT, RUNS, Row, Rows, data, evaluated, facts, regard, sets, train

# language models of like size: what each changes in the recipe, which is the Transformer
_LSTM = {"kind": "rnn", "cell": "lstm", "num_layers": 1, "dropout": 0.25}
_RATE = {"train.optimiser.learning_rate": 0.006}
_PAST = {"kind": "past", "score": {"kind": "scaled_bilinear"}}
WRITERS: dict[str, dict[str, Any]] = {
    "recurrent": {"model.trunk": {**_LSTM, "size": 320}, **_RATE},
    "recurrent, attention to its past": {"model.trunk": {**_LSTM, "size": 288, "attention": _PAST}, **_RATE},
    "Transformer": {},
}
HELD_BACK = 20_000  # characters before the test, to validate with


def shakespeare() -> Rows:
    for number, (name, settings) in enumerate(WRITERS.items(), start=1):
        yield name, partial(writer, number, settings)


def writer(number: int, settings: dict[str, Any]) -> Row:
    text = gzip.decompress(Path(data("lm/tinyshakespeare.txt.gz")).read_bytes()).decode()
    cut = len(text) * 9 // 10
    place = RUNS / "shakespeare"
    place.mkdir(parents=True, exist_ok=True)
    parts = {"train": text[: cut - HELD_BACK], "valid": text[cut - HELD_BACK : cut], "test": text[cut:]}
    for part, its_text in parts.items():
        (place / f"{part}.txt").write_text(its_text, encoding="utf-8")
    files = sets({f"data.{part}": place / f"{part}.txt" for part in ("train", "valid")})
    recipe = str(ROOT / "recipes" / "shakespeare.toml")
    run = train(f"shakespeare/{number}", "--settings", recipe, *files, *sets(settings))
    sample = regard("generate", str(run), "ROMEO:", "--length", "300", "--temperature", "0.8")
    return {**facts(run), **evaluated(run, str(place / "test.txt")), "sample": sample}
