"""Progress of a training: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.progress import Progress

    from regard.training import events
    from regard.training.loop import Watcher

SECONDS_BETWEEN_LINES = 15.0
SECONDS_OF_SILENCE = 8.0


@contextlib.contextmanager
def preparing() -> Iterator[None]:
    """Many pairs take a while to be read: whoever waits is told for what."""
    said = threading.Timer(SECONDS_OF_SILENCE, _say, ["reading the pairs and preparing them …"])
    said.daemon = True
    said.start()
    try:
        yield
    finally:
        said.cancel()


@contextlib.contextmanager
def watching(steps: int) -> Iterator[Watcher]:
    """Whoever fits standard error: that is where progress goes, so that standard output stays clean."""
    if not sys.stderr.isatty():
        yield Lines(steps)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    # rich respects NO_COLOR by itself
    columns = [
        TextColumn("{task.completed:>7,.0f} / {task.total:,.0f}"),
        BarColumn(bar_width=None),
        TextColumn("loss {task.fields[loss]:.3f}  {task.fields[speed]:,.0f} tokens/s  {task.fields[valid]}"),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
    ]
    with Progress(*columns, console=Console(stderr=True), expand=True, speed_estimate_period=120) as progress:
        yield Bar(progress, steps)


class _Speed:
    """Tokens a second, smoothed over some thirty steps."""

    def __init__(self) -> None:
        self.value = 0.0

    def update(self, now: float) -> float:
        self.value = now if self.value == 0 else 0.97 * self.value + 0.03 * now
        return self.value


class Bar:
    def __init__(self, progress: Progress, steps: int) -> None:
        self.progress = progress
        self.task = progress.add_task("", total=steps, loss=0.0, speed=0.0, valid="")
        self.speed = _Speed()

    def stepped(self, step: int, loss: float, tokens_per_second: float) -> None:
        self.progress.update(self.task, completed=step, loss=loss, speed=self.speed.update(tokens_per_second))

    def happened(self, event: events.Event) -> None:
        self.progress.update(self.task, total=_planned(event))
        text = _validated(event)
        if text is not None:
            self.progress.update(self.task, valid=f"valid {text}")


class Lines:
    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.first: tuple[int, float] | None = None
        self.last_line = time.monotonic()
        self.speed = _Speed()

    def stepped(self, step: int, loss: float, tokens_per_second: float) -> None:
        now = time.monotonic()
        self.first = self.first or (step, now)
        speed = self.speed.update(tokens_per_second)
        if now - self.last_line < SECONDS_BETWEEN_LINES:
            return
        self.last_line = now
        first_step, first_time = self.first
        left = (now - first_time) / max(1, step - first_step) * (self.steps - step)
        _say(f"step {step:,} of {self.steps:,}  loss {loss:.3f}  {speed:,.0f} tokens/s  {_clock(left)} left")

    def happened(self, event: events.Event) -> None:
        self.steps = _planned(event) or self.steps
        text = _validated(event)
        if text is not None:
            _say(f"step {event.step:,} of {self.steps:,}  valid {text}")


def _say(text: str) -> None:
    with contextlib.suppress(OSError):  # whoever read this has gone (`| head`): the run goes on
        click.echo(text, err=True)


def _planned(event: Any) -> int | None:
    from regard.training import events

    return event.steps if isinstance(event, events.Planned) else None


def _validated(event: Any) -> str | None:
    from regard.evaluate.measure import shown
    from regard.training import events

    if isinstance(event, events.Validated):
        return f"loss {event.loss:.3f} {event.measure} {shown(event.measure, event.value)}{' *' if event.best else ''}"
    if isinstance(event, events.Ended):
        return f"{event.measure} {shown(event.measure, event.value)} ({event.chosen}; ended by {event.reason})"
    return None


def _clock(seconds: float) -> str:
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02d}"
