"""SCAN: commands to actions."""

from __future__ import annotations

from functools import partial
from typing import Any

from measured.tools import ONE_CORE, Row, Rows, data, evaluated, facts, sets, train

SCAN_LONGEST = 64  # tokens; the longest action sequence has 48
# what reads and writes in SCAN: a preset, and what is changed in it; as many words for both, in smaller batches for one
ACTORS: dict[str, tuple[str, dict[str, Any]]] = {
    "recurrent": ("small", {"train.steps": 4000}),
    "Transformer": (
        "transformer-small",
        {
            "train.steps": 8000,
            "train.batch_tokens": 1024,
            "model.encoder.positions": {"kind": "rotary"},
            "model.decoder.positions": {"kind": "rotary"},
        },
    ),
}


def scan() -> Rows:
    for split in ("simple", "length", "addprim_jump"):
        for family in ACTORS:
            yield f"{split}, {family}", partial(commands, split, family)


def commands(split: str, family: str) -> Row:
    preset, settings = ACTORS[family]
    run = train(
        f"scan-{split}-{family}",
        *(data(f"scan/{split}.train.tsv.gz"), "--preset", preset),
        *sets({**ONE_CORE, **settings}),
    )
    suffix = "" if split == "simple" else ".gz"
    # outputs of the test may be longer than any in training: what could not be said could not be right
    long = ["--set", f"max_length={SCAN_LONGEST}"]
    return {**facts(run), **evaluated(run, data(f"scan/{split}.test.tsv{suffix}"), "--beam", "1", *long)}
