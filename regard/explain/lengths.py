"""Quality by source length, a line a system: how attention made its case (Bahdanau et al. 2015, figure 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from regard.evaluate.by_length import Bucket
from regard.evaluate.measure import Measure
from regard.explain import canvas
from regard.explain.labels import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe & Ito (2008): told apart by the colour-blind as well; markers and dashes tell apart what is printed in grey
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")
GREY = "#767676"
LONGEST = 48  # characters of a name


@dataclass(frozen=True)
class Curve:
    """A system: what it is called, one of its measures on all pairs, and its buckets, in which that measure is."""

    name: str
    whole: Measure
    buckets: Sequence[Bucket]

    @property
    def values(self) -> list[float]:
        found = [{measure.name: measure.value for measure in bucket.measures} for bucket in self.buckets]
        return [values[self.whole.name] for values in found]


def save(curves: Sequence[Curve], path: Path, *, unit: str) -> str:
    """Write the picture of systems measured on the same pairs, whose lengths are told in `unit`.

    Returns the characters that no font of this machine can show ("" if there are none).
    """
    return canvas.save(path, "".join(map(_name, curves)), lambda: _figure(curves, unit))


def _figure(curves: Sequence[Curve], unit: str) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2 + 0.21 * len(curves)), layout="constrained")  # the legend stands above the lines
    lines, bars = figure.subplots(2, 1, sharex=True, height_ratios=[6, 1])
    _lines(lines, curves)
    _bars(bars, curves[0].buckets)
    bars.set_xlabel(f"source length in {unit}")
    return figure


def _lines(axes: Axes, curves: Sequence[Curve]) -> None:
    for number, curve in enumerate(curves):
        axes.plot(
            range(len(curve.buckets)),
            curve.values,
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            markersize=7,
            markeredgecolor="white",
            clip_on=False,
            linestyle=DASHES[number % len(DASHES)],
            label=f"{_name(curve)}: {curve.whole.value:.1f}",
        )
    values = [value for curve in curves for value in curve.values]
    whole, num_pairs = curves[0].whole, sum(bucket.count for bucket in curves[0].buckets)
    axes.set_ylabel(whole.name if whole.higher_is_better else f"{whole.name} (less is better)")
    axes.set_ylim(0, 1.08 * max([*values, 1]))
    axes.grid(axis="y", color="#e5e5e5")
    axes.legend(
        frameon=False,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderpad=0,
        title=f"{whole.name} of all {num_pairs:,} pairs, and by length",
        alignment="left",
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(bottom=False)


def _bars(axes: Axes, buckets: Sequence[Bucket]) -> None:
    """How many pairs each point stands for: few pairs, little said."""
    drawn = axes.bar(range(len(buckets)), [bucket.count for bucket in buckets], color="#dddddd", width=0.6)
    axes.bar_label(drawn, [f"{bucket.count:,}" for bucket in buckets], color=GREY, fontsize=8, padding=1)
    axes.set_ylabel("pairs", color=GREY)
    axes.set_yticks([])
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_xticks(range(len(buckets)), [_span(bucket) for bucket in buckets])


def _span(bucket: Bucket) -> str:
    if bucket.high is None:
        return f"≥ {bucket.low}"
    return str(bucket.low) if bucket.low == bucket.high else f"{bucket.low}–{bucket.high}"


def _name(curve: Curve) -> str:
    """Its end if it is long: that is where the names of runs differ."""
    name = printable(curve.name)
    return name if len(name) <= LONGEST else "…" + name[1 - LONGEST :]
