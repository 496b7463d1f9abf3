"""bAbI: stories with questions to answers."""

from __future__ import annotations

from functools import partial
from typing import Any

from measured.tools import ONE_CORE, SEEDS, Row, Rows, data, evaluated, facts, mean, sets, train

BABI = {1: "qa1_single-supporting-fact", 2: "qa2_two-supporting-facts", 6: "qa6_yes-no-questions"}
BABI_LONGEST = 10_000  # characters: no story is too long
# what answers the questions of bAbI: steps, and what is changed in the preset. Only the wiring tells two of them apart;
# they find what is general sooner without dropout (docs/log.md)
_PLAIN = {f"model.{part}.dropout": 0 for part in ("embedding", "encoder", "decoder")} | {"train.label_smoothing": 0}
_HOPS = {"kind": "transformer", "size": 64, "num_layers": 3, "num_heads": 4, "feedforward": 128, "dropout": 0.1}
READERS: dict[str, tuple[int, dict[str, Any]]] = {
    "without attention": (2000, {**_PLAIN, "model.decoder.wiring.kind": "once"}),
    "with attention": (2000, {**_PLAIN, "model.decoder.wiring.kind": "before"}),
    "with attention in three layers": (
        3600,
        {
            "model.embedding.size": 64,
            "model.encoder.size": 64,
            "model.decoder": _HOPS,
            "train.batch_tokens": 1024,
            "train.optimiser.learning_rate": 0.002,
        },
    ),
}


def babi() -> Rows:
    for task in BABI:
        for number, reader in enumerate(READERS, start=1):
            yield f"task {task}, {reader}", partial(stories, task, number, *READERS[reader])


def stories(task: int, number: int, steps: int, settings: dict[str, Any]) -> Row:
    runs = [
        train(
            f"babi-{task}-{number}-{seed}",
            *(data(f"babi/seq2seq/{BABI[task]}.train.tsv"), "--preset", "small", "--steps", str(steps)),
            *("--seed", str(seed), *sets({**ONE_CORE, **settings})),
            *("--set", "train.patience=20", "--set", f"data.filter.max_length={BABI_LONGEST}"),
        )
        for seed in SEEDS[:3]
    ]
    test = data(f"babi/seq2seq/{BABI[task]}.test.tsv")
    return {**facts(runs[0]), "accuracy": mean([evaluated(run, test, "--beam", "1")["test"]["exact"] for run in runs])}
