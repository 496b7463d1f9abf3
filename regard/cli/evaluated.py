"""How evaluations look, of one system or of several: as text of 80 columns, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from regard.cli.look import aligned

if TYPE_CHECKING:
    from regard.evaluate.by_length import Bucket
    from regard.evaluate.classes import ClassFigures
    from regard.evaluate.measure import Measure
    from regard.evaluate.significance import Difference
    from regard.tasks.evaluation import Evaluation

MOST = len(ascii_uppercase)  # systems: each is called by a letter


@dataclass(frozen=True)
class System:
    name: str
    evaluation: Evaluation
    differences: list[Difference] = field(default_factory=list)  # of the first system from this one


def text(systems: Sequence[System], *, by_length: bool, classes: Sequence[ClassFigures] = ()) -> str:
    """The first system is held against each of the others."""
    first = systems[0].evaluation
    parts = [f"{len(first.hypotheses):,} pairs"]
    if len(systems) == 1:
        rows = [[measure.name, f"{measure.value:.2f}", measure.signature] for measure in first.measures]
        parts.append(aligned([["measure", "value", "signature"], *rows], right={1}))
    else:
        parts += _compared(systems)
    if classes:
        parts.append(_by_class(classes))
    if by_length:
        parts.append(_by_length(systems))
    return "\n\n".join(parts)


def _compared(systems: Sequence[System]) -> list[str]:
    from regard.evaluate.significance import NUM_RESAMPLES, SEED

    names = [[letter, system.name] for letter, system in zip(ascii_uppercase, systems, strict=False)]
    measures = systems[0].evaluation.measures
    rows = [row for measure in measures for row in _rows(measure, systems)]
    signatures = [[measure.name, measure.signature] for measure in measures]
    return [
        aligned(names),
        aligned([["measure", "system", "value", "A − it", "95 % interval", "p"], *rows], right={2, 3, 4, 5}),
        f"p: two-sided, by {NUM_RESAMPLES:,} paired bootstrap resamples (Koehn 2004), seed {SEED}",
        aligned([["measure", "signature"], *signatures]),
    ]


def _rows(measure: Measure, systems: Sequence[System]) -> list[list[str]]:
    """A measure of the first system, and below it the others with their differences."""
    rows = [[measure.name, "A", f"{measure.value:.2f}", "", "", ""]]
    for letter, system in zip(ascii_uppercase[1:], systems[1:], strict=False):
        found = next((one for one in system.differences if one.name == measure.name), None)
        if found is None:
            rows.append(["", letter, "–", "", "", ""])
        else:
            interval = f"{found.low:+.2f} to {found.high:+.2f}"
            rows.append(["", letter, f"{found.b:.2f}", f"{found.difference:+.2f}", interval, f"{found.p:.3f}"])
    return rows


def _by_class(classes: Sequence[ClassFigures]) -> str:
    """Of the first system."""
    rows = [
        [one.label, f"{one.count:,}", f"{one.precision:.1f}", f"{one.recall:.1f}", f"{one.f1:.1f}", one.confused_with]
        for one in classes
    ]
    head = ["label", "texts", "precision", "recall", "F1", "most often taken for"]
    return aligned([head, *rows], right={1, 2, 3, 4})


def _by_length(systems: Sequence[System]) -> str:
    """A row a bucket, or below each other those of all systems for the same pairs."""
    names = [measure.name for measure in systems[0].evaluation.measures]
    several = len(systems) > 1
    rows = []
    for buckets in zip(*(system.evaluation.buckets for system in systems), strict=True):
        for number, (letter, bucket) in enumerate(zip(ascii_uppercase, buckets, strict=False)):
            head = ["", ""] if number else [_span(bucket), f"{bucket.count:,}"]
            # a system without links of words lacks the last measure
            values = [value for _, value in zip_longest(names, _values(bucket), fillvalue="–")]
            rows.append([*head, *([letter] if several else []), *values])
    head = ["source length", "pairs", *(["system"] if several else [])]
    right = {1, *range(len(head), len(head) + len(names))}
    return aligned([[*head, *names], *rows], right=right)


def _values(bucket: Bucket) -> list[str]:
    return [f"{measure.value:.2f}" for measure in bucket.measures]


def _span(bucket: Bucket) -> str:
    if bucket.high is None:
        return f"{bucket.low} and more"
    return str(bucket.low) if bucket.low == bucket.high else f"{bucket.low} to {bucket.high}"


def json(systems: Sequence[System], *, by_length: bool, classes: Sequence[ClassFigures] = ()) -> str:
    import msgspec

    first, *others = systems
    table: dict[str, Any] = {"pairs": len(first.evaluation.hypotheses), **_table(first, by_length)}
    if classes:
        table["classes"] = [one.to_json() for one in classes]
    if others:
        table["against"] = [
            {
                "name": other.name,
                **_table(other, by_length),
                "differences": [one.to_json() for one in other.differences],
            }
            for other in others
        ]
    return msgspec.json.format(msgspec.json.encode(table), indent=2).decode()


def _table(system: System, by_length: bool) -> dict[str, Any]:
    return {
        "measures": [measure.to_json() for measure in system.evaluation.measures],
        "buckets": [
            {
                "low": bucket.low,
                "high": bucket.high,
                "count": bucket.count,
                "measures": [measure.to_json() for measure in bucket.measures],
            }
            for bucket in (system.evaluation.buckets if by_length else [])
        ],
    }
