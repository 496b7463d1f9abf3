"""The training loop, top to bottom in one view."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from regard.errors import UserError
from regard.evaluate.measure import Measure
from regard.models.weights import load_weights
from regard.nn.dropout import Noise
from regard.nn.products import multiplied
from regard.tasks.base import Task
from regard.tasks.workers import one_thread, shares, side_by_side
from regard.text.batch import Epochs, Example, plan, split
from regard.training import TrainSettings, checkpoint, events, interrupt, schedule
from regard.training.checkpoint import Best, Progress
from regard.training.optimiser import Optimiser

LEAST = 10  # steps there are in any case, however long it took to come to the first


class Validation(NamedTuple):
    loss: float  # mean −log p of a token
    measure: Measure

    def goodness(self, by: str) -> float:
        """Turned so that higher is better."""
        if by == "loss":
            return -self.loss
        return self.measure.value if self.measure.higher_is_better else -self.measure.value


class Watcher(Protocol):
    """Whoever wants to see the run go on: a progress bar, lines of text, nobody."""

    def stepped(self, step: int, loss: float, tokens_per_second: float) -> None: ...
    def happened(self, event: events.Event) -> None: ...


@dataclass(frozen=True)
class Outcome:
    """How the loop ended; `signal` is not 0 if it was asked to stop, and then the run can be resumed."""

    progress: Progress
    signal: int


def train(
    task: Task,
    epochs: Epochs,
    settings: TrainSettings,
    *,
    seed: int,
    run: Path,
    validate: Callable[[], Validation],
    examine: Callable[[], Validation],
    watcher: Watcher,
    deadline: float | None = None,
    spreads: bool = False,
    patience_anew: bool = False,
) -> Outcome:
    """Learn from the examples until the steps, the patience or the time are used up; leave the best weights in `task`.

    It is validated many times in a hurry; those weights that may be the best are examined with care at the end. If the
    clock has it that there will be more or fewer steps, validations that are spread over the run go with them.
    """
    assert settings.steps and settings.validate_every and settings.workers, "settled before the loop starts"
    network, checkpoints = task.network, run / "checkpoints"
    optimiser = Optimiser(network, settings.optimiser, settings.workers)
    progress = checkpoint.load(checkpoints, network, optimiser)
    if patience_anew:
        progress.num_worse, progress.steps, progress.every = 0, 0, 0
        checkpoint.note(checkpoints, progress)  # or a run that dies before its next checkpoint would end where it stood
    steps = progress.steps or settings.steps
    log = Log(run, watcher, every=max(1, settings.steps // 200))
    log.rewind(progress.step, anew=patience_anew)
    batches = stream(epochs, settings.batch_tokens, seed, progress)
    before, started, first = progress.seconds, time.perf_counter(), progress.step

    # one thread here and one in each worker: the bits do not depend on the number of cores
    with one_thread(), interrupt.wishes_to_stop() as signal:
        while progress.step < steps and not impatient(progress, settings):
            begun = time.perf_counter()
            step = progress.step + 1
            # a run that is planned anew is not warmed up again
            warmup = schedule.warmup(settings.schedule, min(steps, settings.steps))
            factor = schedule.factor(settings.schedule, step, steps, warmup, progress.num_reductions)
            rate = settings.optimiser.learning_rate * factor
            taken = [next(batches) for _ in range(settings.accumulate)]
            parts = [part for _, _, batch in taken for part in split(batch, settings.workers)]
            sampling = settings.sampling * step / steps
            nll, num_tokens = learn(task, parts, settings, seed=seed, step=step, sampling=sampling)
            norm = optimiser.step(rate, settings.clip)
            check_finite(norm, "gradient", run, step, settings)
            progress.step, progress.epoch, progress.batch = step, *taken[-1][:2]
            progress.loss += nll
            progress.num_tokens += num_tokens
            progress.gradient_norm = norm
            progress.seconds = before + time.perf_counter() - started
            log.stepped(progress, rate, num_tokens / (time.perf_counter() - begun))

            late = deadline is not None and time.perf_counter() > deadline and step - first >= LEAST
            validated = progress.recent[-1] if progress.recent else 0
            if late or step - validated >= (progress.every or settings.validate_every) or step == steps:
                validation = validate()
                check_finite(validation.loss, "loss of validation", run, step, settings)
                log.tell(judge(progress, validation, settings))
                if deadline is not None and not late:
                    now = time.perf_counter()
                    planned = replan(steps, step, (now - started) / (step - first), deadline - now, first=first)
                    if planned != steps:
                        steps = progress.steps = planned
                        if spreads:
                            calibrated = settings.steps - first
                            progress.every = max(1, settings.validate_every * (steps - first) // calibrated)
                        log.tell(events.Planned(step, steps))
                checkpoint.save(checkpoints, network, optimiser, progress)
            elif signal():
                checkpoint.save(checkpoints, network, optimiser, progress)
            if signal():
                return Outcome(progress, signal())
            if late:
                break
    chosen, validation = choose(task, checkpoints, progress, settings, examine)
    if impatient(progress, settings):
        reason = "patience"
    else:
        reason = "steps" if progress.step >= steps else "minutes"
    log.ended(progress, reason, chosen, validation)
    return Outcome(progress, 0)


def impatient(progress: Progress, settings: TrainSettings) -> bool:
    return settings.patience is not None and progress.num_worse >= settings.patience


def check_finite(value: float, what: str, run: Path, step: int, settings: TrainSettings) -> None:
    if not math.isfinite(value):
        raise UserError(
            f"{run}: the {what} is not finite at step {step}; the run is whole up to its last checkpoint: "
            f"start again with train.optimiser.learning_rate below {settings.optimiser.learning_rate}"
        )


def replan(steps: int, step: int, seconds_a_step: float, seconds_left: float, *, first: int = 0) -> int:
    """How many steps the time allows for: the schedule shall end when it does. Small differences are let be.

    `first` were done before this time began to run.
    """
    allowed = max(step + 1, first + LEAST, step + int(seconds_left / seconds_a_step))
    return allowed if step < steps and abs(allowed - steps) > (steps - first) / 50 else steps


def stream(epochs: Epochs, tokens: int, seed: int, progress: Progress) -> Iterator[tuple[int, int, list[Example]]]:
    """Batches from where `progress` stands, epoch after epoch: (epoch, number of the next batch, this batch)."""
    epoch, first = progress.epoch, progress.batch
    while True:
        examples = epochs(epoch)
        batches = plan(examples, tokens=tokens, seed=seed, epoch=epoch)
        for number in range(first, len(batches)):
            yield epoch, number + 1, [examples[n] for n in batches[number]]
        epoch, first = epoch + 1, 0


def learn(
    task: Task,
    parts: Sequence[Sequence[Example]],
    settings: TrainSettings,
    *,
    seed: int,
    step: int,
    sampling: float = 0.0,
) -> tuple[float, int]:
    """Gradients of the mean loss of a token over all parts together; its sum and the number of tokens."""
    parameters = list(task.network.parameters())
    num_tokens = sum(example.num_tokens for part in parts for example in part)

    def one(number: int) -> tuple[tuple[Tensor, ...], float]:
        noise = Noise(seed, step, number)
        with multiplied(settings.precision):
            loss = task.loss(parts[number], smoothing=settings.label_smoothing, sampling=sampling, noise=noise)
            return torch.autograd.grad(loss.total / num_tokens, parameters), loss.nll.item()

    # in the order of the parts, so that the bits do not depend on which was done first
    def add(share: list[int]) -> None:
        for number in share:
            for gradients, _ in found:
                grad = parameters[number].grad
                parameters[number].grad = gradients[number] if grad is None else grad.add_(gradients[number])

    workers, nll = settings.workers or 1, 0.0
    of_each_worker = shares([parameter.numel() for parameter in parameters], workers)
    task.network.zero_grad(set_to_none=True)
    for first in range(0, len(parts), workers):
        found = side_by_side(one, range(first, min(first + workers, len(parts))), workers)
        side_by_side(add, of_each_worker, workers)
        nll += sum(part_nll for _, part_nll in found)
    return nll, num_tokens


def judge(progress: Progress, validation: Validation, settings: TrainSettings) -> events.Validated:
    """Note whether this is the best so far, and what follows for patience and plateau."""
    value = validation.goodness(settings.measure)
    best = progress.best
    better = best is None or (value, -validation.loss) > (best.value, -best.loss)
    if better:
        progress.best, progress.num_worse = Best(progress.step, validation.loss, value), 0
    else:
        progress.num_worse += 1
        plan = settings.schedule
        if isinstance(plan, schedule.PlateauSettings) and progress.num_worse % plan.patience == 0:
            progress.num_reductions += 1
    progress.recent = [*progress.recent, progress.step][-settings.average :]
    return events.Validated(progress.step, validation.loss, validation.measure.name, validation.measure.value, better)


def choose(
    task: Task, checkpoints: Path, progress: Progress, settings: TrainSettings, examine: Callable[[], Validation]
) -> tuple[str, Validation]:
    """The checkpoint that validated best, the last one, or the average of the last ones, whichever is best."""
    assert progress.best is not None
    steps = dict.fromkeys([progress.best.step, progress.recent[-1]])
    candidates = {f"step {step}": checkpoint.load_step(checkpoints, step) for step in steps}
    if len(progress.recent) > 1:
        name = f"average of the last {len(progress.recent)} validations"
        candidates[name] = checkpoint.average(checkpoints, progress.recent)
    results: dict[str, Validation] = {}
    for name, weights in candidates.items():
        load_weights(task.network, weights)
        results[name] = examine()
    chosen = max(results, key=lambda name: (results[name].goodness(settings.measure), -results[name].loss))
    load_weights(task.network, candidates[chosen])
    return chosen, results[chosen]


class Log:
    """Tells the files and the watcher. What the clock says goes to `timings.jsonl`."""

    def __init__(self, run: Path, watcher: Watcher, every: int) -> None:
        self.events, self.timings = run / "events.jsonl", run / "timings.jsonl"
        self.watcher = watcher
        self.every = every

    def rewind(self, step: int, *, anew: bool) -> None:
        for path in (self.events, self.timings):
            events.rewind(path, step, anew=anew)

    def stepped(self, progress: Progress, rate: float, tokens_per_second: float) -> None:
        loss = progress.loss / progress.num_tokens
        self.watcher.stepped(progress.step, loss, tokens_per_second)
        if progress.step % self.every == 0:
            self.tell(events.Learnt(progress.step, loss, rate, progress.gradient_norm))
            events.append(self.timings, events.Timed(progress.step, progress.seconds, tokens_per_second))
            progress.loss, progress.num_tokens = 0.0, 0

    def ended(self, progress: Progress, reason: str, chosen: str, validation: Validation) -> None:
        measure = validation.measure
        self.tell(events.Ended(progress.step, reason, chosen, validation.loss, measure.name, measure.value))

    def tell(self, event: events.Event) -> None:
        events.append(self.events, event)
        self.watcher.happened(event)
