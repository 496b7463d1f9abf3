"""bAbI: stories with questions to answers."""

from __future__ import annotations

from functools import partial
from typing import Any

from measured.tools import ONE_CORE, SEEDS, Row, Rows, data, evaluated, facts, mean, sets, train

BABI = {1: "qa1_single-supporting-fact", 2: "qa2_two-supporting-facts", 6: "qa6_yes-no-questions"}
BABI_LONGEST = 10_000  # characters: no story is too long
# One thing differs. A low rate and no dropout: with others it learns the stories by heart before it finds the rule
# (docs/log.md).
_GENTLE = {f"model.{part}.dropout": 0 for part in ("embedding", "encoder", "decoder")} | {
    "train.label_smoothing": 0,
    "train.optimiser.learning_rate": 0.0003,
}
READERS: dict[str, dict[str, Any]] = {
    "without attention": {**_GENTLE, "model.decoder.wiring.kind": "once"},
    "with attention": {**_GENTLE, "model.decoder.wiring.kind": "before"},
}


def babi() -> Rows:
    for task in BABI:
        for number, (reader, settings) in enumerate(READERS.items(), start=1):
            yield f"task {task}, {reader}", partial(stories, task, number, settings)


def stories(task: int, number: int, settings: dict[str, Any]) -> Row:
    runs = [
        train(
            f"babi-{task}-{number}-{seed}",
            *(data(f"babi/seq2seq/{BABI[task]}.train.tsv"), "--preset", "small", "--steps", "3000"),
            *("--seed", str(seed), *sets({**ONE_CORE, **settings})),
            *("--set", "train.patience=20", "--set", f"data.filter.max_length={BABI_LONGEST}"),
        )
        for seed in SEEDS[:3]
    ]
    test = data(f"babi/seq2seq/{BABI[task]}.test.tsv")
    return {**facts(runs[0]), "accuracy": mean([evaluated(run, test, "--beam", "1")["test"]["exact"] for run in runs])}
