"""Those who watch a run without a terminal: nobody, and TensorBoard."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.training import events
from regard.training.loop import Watcher


class Silent:
    def stepped(self, step: int, loss: float, tokens_per_second: float) -> None:
        pass

    def happened(self, event: events.Event) -> None:
        pass


@dataclass(frozen=True)
class TensorBoard:
    """Passes everything on, and writes what happens for TensorBoard."""

    inner: Watcher
    writer: Any

    def stepped(self, step: int, loss: float, tokens_per_second: float) -> None:
        self.inner.stepped(step, loss, tokens_per_second)

    def happened(self, event: events.Event) -> None:
        self.inner.happened(event)
        match event:
            case events.Learnt():
                self.writer.add_scalar("train/loss", event.loss, event.step)
                self.writer.add_scalar("train/learning_rate", event.learning_rate, event.step)
            case events.Validated():
                self.writer.add_scalar("valid/loss", event.loss, event.step)
                self.writer.add_scalar(f"valid/{event.measure}", event.value, event.step)


@contextlib.contextmanager
def with_tensorboard(watcher: Watcher, run: Path | None) -> Iterator[Watcher]:
    """The watcher, and TensorBoard beside it if a run is given."""
    if run is None:
        yield watcher
        return
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(log_dir=str(run / "tensorboard"))
    try:
        yield TensorBoard(watcher, writer)
    finally:
        writer.close()
