"""Classifiers: structured self-attention on TREC, with its penalty and without, and on SST-2."""

from __future__ import annotations

import statistics
from functools import partial
from pathlib import Path

from measured.tools import ROOT, SEEDS, Row, Rows, data, evaluated, facts, mean, train


def trec() -> Rows:
    for name, penalty in (("with the penalty", 1.0), ("without", 0.0)):
        yield name, partial(questions, penalty)


def questions(penalty: float) -> Row:
    test = data("classification/trec.test.tsv")
    texts = [line.split("\t", 1)[1] for line in Path(test).read_text(encoding="utf-8").splitlines()]
    runs = [
        train(
            f"trec-{'with' if penalty else 'without'}-{seed}",
            *("--settings", str(ROOT / "recipes" / "trec.toml"), "--seed", str(seed)),
            *("--set", f"model.encoder.summary.penalty={penalty}"),
        )
        for seed in SEEDS
    ]
    return {
        **facts(runs[0]),
        "accuracy": mean([evaluated(run, test)["test"]["accuracy"] for run in runs]),
        "overlap": mean([overlap_of(run, texts) for run in runs]),
    }


def overlap_of(run: Path, texts: list[str]) -> float:
    """The mean over texts of how much two hops look at the same places."""
    import torch

    import regard as library
    from regard.nn.summaries.structured import overlap

    model = library.load(run)
    found = model.task.label(model.task.sources(texts))  # type: ignore[attr-defined]
    return float(statistics.mean(overlap(torch.from_numpy(one.hops_RS)[None]).item() for one in found))


def sst() -> Rows:
    yield "SST-2", reviews


def reviews() -> Row:
    run = train(
        "sst",
        *("--settings", str(ROOT / "recipes" / "trec.toml"), "--minutes", "4"),
        *("--set", f"data.train={data('classification/sst_binary.train.tsv')}"),
        *("--set", f"data.valid={data('classification/sst_binary.dev.tsv')}"),
    )
    return {**facts(run), **evaluated(run, data("classification/sst_binary.test.tsv"))}
