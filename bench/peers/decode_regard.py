"""regard translates: `Model.translate`, raw text in and raw text out, with batches of its own choice; and the same
search with batches of as many sentences as the others have, where it can be told so."""

from __future__ import annotations

import inspect
import time
from pathlib import Path

import torch
from pace import Pace

import regard
from regard.model import Model


def num_steps(model: Model, texts: list[str]) -> int:
    """How many steps an output takes on average, the one that ends it included."""
    found = [best[0] for best in model.search(texts, model.searching(beam=5))]
    return round(sum(len(one.tokens) + one.finished for one in found) / len(found))


def in_batches(model: Model, texts: list[str], beam: int, batch: int) -> None:
    sources = model.task.sources(texts)
    tokens = batch * beam * sum(map(len, sources)) // len(sources)
    for best in model.task.search(sources, model.searching(beam=beam), batch_tokens=tokens):
        model.task.target.decode(best[0].tokens)


def main() -> None:
    pace = Pace()
    job = pace.job
    model = regard.load(job["model"])
    texts = Path(job["test"]).read_text(encoding="utf-8").splitlines()[: job["num_sentences"]]
    if job["batch"] and "batch_tokens" not in inspect.signature(model.task.search).parameters:
        pace.say(absent="this regard cannot be told how large its batches shall be")
        return
    model.translate(texts[:100], beam=5)
    parameters = sum(p.numel() for p in model.task.network.parameters())
    pace.say(parameters=parameters, threads=torch.get_num_threads(), num_steps=num_steps(model, texts))
    while True:
        beam, begun = pace.wait()["beam"], time.monotonic()
        if job["batch"]:
            in_batches(model, texts, beam, job["batch"])
        else:
            model.translate(texts, beam=beam)
        pace.say(rate=len(texts) / (time.monotonic() - begun))


if __name__ == "__main__":
    main()
