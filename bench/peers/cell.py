"""One cell of the table of lengths: a process that trains or translates with sentences of one length, and says how long
a batch took and how much memory the process has ever held."""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from pace import Pace

from regard import models
from regard.config import read
from regard.models import Seq2SeqSettings
from regard.search import GreedySettings
from regard.tasks.transduce import LengthRule, Transducer
from regard.text import tokenisers
from regard.text.batch import Example, split
from regard.text.tokenisers.base import EOS, NUM_SPECIALS
from regard.training import TrainSettings, loop
from regard.training.optimiser import Optimiser

LONG = 10  # seconds: what takes longer is done once


def megabytes() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def offer() -> None:
    """If memory runs out, this process goes and no other: a lost cell is a result."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def main() -> None:
    pace = Pace()
    offer()
    job, shape = pace.job, pace.job["shape"]
    at_rest, length, num_sentences = megabytes(), job["length"], job["num_sentences"]
    dropout, score = shape["dropout"], {"kind": "additive", "size": shape["attention"]}
    wiring = {"kind": shape["wiring"], "score": score, "window": {"kind": job["window"]}}
    model = {
        "kind": "seq2seq",
        "embedding": {"size": shape["embedding"], "share": "none", "dropout": dropout},
        "encoder": {"kind": "rnn", "size": shape["encoder"], "dropout": dropout},
        "decoder": {"kind": "rnn", "size": shape["decoder"], "dropout": dropout, "wiring": wiring},
    }
    torch.manual_seed(1)
    network = models.build_seq2seq(
        read(model, Seq2SeqSettings, "cell"), num_source=job["vocabulary"], num_target=job["vocabulary"], joint=False
    )
    some = tokenisers.train(tokenisers.CharSettings(), ["no text is read here"])
    # as many tokens out as in, whatever the untrained network would say
    task = Transducer(network, some, some, LengthRule((length - 0.5) / (length + 10)))
    random = np.random.default_rng(1)
    ids = random.integers(NUM_SPECIALS, job["vocabulary"], (2, num_sentences, length + 1))
    examples = [Example(source[:length], target) for source, target in zip(ids[0], ids[1], strict=True)]
    once = training(task, examples) if job["mode"] == "train" else translating(task, examples, length)
    pace.say()
    pace.wait()
    times: list[float] = []
    while sum(times) < (job["seconds"] if len(times) > 1 else LONG):
        begun = time.monotonic()
        once()
        times.append(time.monotonic() - begun)
    # the first is dearer than the others: memory is fetched, libraries make themselves ready
    pace.say(seconds=float(np.median(times[1:] or times)), megabytes=megabytes(), at_rest=at_rest)


def training(task: Transducer, examples: list[Example]) -> Callable[[], None]:
    workers = torch.get_num_threads()
    settings, parts = TrainSettings(steps=1000, workers=workers), split(examples, workers)
    optimiser, step = Optimiser(task.network, settings.optimiser, workers), 0

    def once() -> None:
        nonlocal step
        step += 1
        loop.learn(task, parts, settings, seed=1, step=step)
        optimiser.step(settings.optimiser.learning_rate, settings.clip)

    return once


def translating(task: Transducer, examples: list[Example], length: int) -> Callable[[], None]:
    with torch.no_grad():
        task.network.output.bias_V[EOS] = -1e9
    sources = [example.source for example in examples]

    def once() -> None:
        found = task.search(sources, GreedySettings())
        assert {len(best[0].tokens) for best in found} == {length}

    return once


if __name__ == "__main__":
    main()
