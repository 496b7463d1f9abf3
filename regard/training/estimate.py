"""How long a step takes and how much memory: measured on a few real batches, before anything is promised."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regard.models.weights import load_weights, weights
from regard.tasks.base import Task
from regard.text.batch import Example, plan, split
from regard.training import TrainSettings
from regard.training.loop import learn
from regard.training.optimiser import Optimiser


@dataclass(frozen=True)
class Estimate:
    seconds_a_step: float
    seconds_a_validation: float
    peak_bytes: int  # of the whole process
    steps_an_epoch: float


def estimate(
    task: Task, examples: Sequence[Example], num_valid_tokens: int, settings: TrainSettings, *, seed: int
) -> Estimate:
    """Train on batches spread over an epoch, the largest among them; then put the weights back as they were."""
    before = {name: tensor.clone() for name, tensor in weights(task.network).items()}
    assert settings.workers is not None, "settled before"
    optimiser = Optimiser(task.network, settings.optimiser, settings.workers)
    batches = plan(examples, tokens=settings.batch_tokens, seed=seed, epoch=0)
    by_size = sorted(batches, key=lambda batch: sum(len(examples[n].source) + examples[n].num_tokens for n in batch))
    # every tenth or so by size: the mean over quantiles is the mean over the epoch
    sample = [by_size[round(share * (len(by_size) - 1))] for share in np.linspace(1, 0, 9)]
    seconds, num_tokens = [], 0
    for number, batch in enumerate([sample[0], *sample]):
        begun = time.perf_counter()
        parts = split([examples[n] for n in batch], settings.workers)
        _, tokens = learn(task, parts, settings, seed=seed, step=1, sampling=settings.sampling)
        optimiser.step(settings.optimiser.learning_rate, settings.clip)
        if number > 0:  # the first time of anything is slow
            seconds.append(time.perf_counter() - begun)
            num_tokens += tokens
    load_weights(task.network, before)
    task.network.zero_grad(set_to_none=True)
    return Estimate(
        seconds_a_step=float(np.mean(seconds)) * settings.accumulate,
        # going forward step by step, with search, costs about as much a token as learning
        seconds_a_validation=sum(seconds) / num_tokens * num_valid_tokens,
        peak_bytes=peak_bytes(),
        steps_an_epoch=len(batches) / settings.accumulate,
    )


def peak_bytes() -> int:
    """The most memory that this process has held so far; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
