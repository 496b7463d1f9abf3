"""Digits in pictures to text."""

from __future__ import annotations

import statistics
from functools import partial
from itertools import pairwise

from measured.tools import ROOT, RUNS, Row, Rows, evaluated, facts, regard, train

PRESETS = {"conv": "image-small", "patches": "image-patches"}


def pictures() -> Rows:
    for encoder, preset in PRESETS.items():
        yield encoder, partial(digits, encoder, preset)


def digits(encoder: str, preset: str) -> Row:
    import regard as library
    from regard.text.readers import read

    place = RUNS / "digits"
    if not (place / "test.tsv").exists():
        regard("data", "make", "digits", "--out", str(place))
    run = train(
        f"pictures-{encoder}",
        *(str(place / "train.tsv"), "--valid", str(place / "valid.tsv"), "--preset", preset, "--minutes", "10"),
    )
    model = library.load(run)
    paths = [str(place / pair.source) for pair in read(str(place / "test.tsv"))]
    seen = [model.inspect(path) for path in paths]
    # the last piece is the end, which may be looked for anywhere
    rising = [one.centres()[:-1] for one in seen]
    moves = [all(a < b for a, b in pairwise(some)) for some in rising if len(some) > 1]
    longest = max(range(len(paths)), key=lambda number: len(rising[number]))
    regard("inspect", str(run), paths[longest], "--png", str(ROOT / "docs" / f"picture-{encoder}.png"))
    return {
        **facts(run),
        **evaluated(run, str(place / "test.tsv")),
        "left to right": 100.0 * statistics.mean(moves),
        "pictures of two characters or more": len(moves),
    }
