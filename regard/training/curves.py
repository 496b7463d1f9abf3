"""The learning curves of a run as a picture: PNG, or SVG whose text stays text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from regard.explain import canvas
from regard.training.events import Ended, Event, Learnt, Validated

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(events: Sequence[Event], path: Path, *, title: str = "") -> str:
    """Above, the loss in training and in validation; below, the measure that was watched. Steps go to the right.

    Returns the characters of the title that no font of this machine can show.
    """
    return canvas.save(path, title, lambda: _figure(events, title))


def _figure(events: Sequence[Event], title: str) -> Figure:
    from matplotlib.figure import Figure

    learnt = [event for event in events if isinstance(event, Learnt)]
    validated = [event for event in events if isinstance(event, Validated)]
    # of the checkpoints that were the best of their time, the last is the best of all
    best = [event for event in validated if event.best][-1:]
    figure = Figure(figsize=(7, 6), layout="constrained")
    losses, measures = figure.subplots(2, 1, sharex=True)
    losses.plot([e.step for e in learnt], [e.loss for e in learnt], color="#9ecae1", label="training")
    losses.plot([e.step for e in validated], [e.loss for e in validated], ".-", color="#08519c", label="validation")
    losses.set_ylabel("loss: mean −log p of a token")
    measures.plot([e.step for e in validated], [e.value for e in validated], ".-", color="#08519c")
    measures.plot([e.step for e in best], [e.value for e in best], "o", color="#f28e2b", label=_best(best))
    for end in (event for event in events if isinstance(event, Ended)):
        measures.axhline(end.value, color="#888888", linestyle=":", label=f"chosen: {end.chosen}, {end.value:.2f}")
    measures.set_ylabel(validated[0].measure if validated else "no validation yet")
    measures.set_xlabel("step")
    for axes in (losses, measures):
        axes.grid(color="#e5e5e5")
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False)
    figure.suptitle(title)
    return figure


def _best(best: Sequence[Validated]) -> str:
    return f"best: step {best[0].step:,}, {best[0].value:.2f}" if best else "_"  # "_" stays out of the legend
