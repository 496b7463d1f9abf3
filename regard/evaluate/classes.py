"""Label by label: how often a label was right when it was said, and how often it was said when it was right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """In percent; 0 where there is nothing to divide by."""

    label: str
    count: int  # how many texts have this label
    precision: float  # right among those that were given it
    recall: float  # given it among those that have it
    confused_with: str  # the wrong label that its texts were given most often, "" if none was

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "count": self.count,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "confused_with": self.confused_with,
        }


def by_class(hypotheses: Sequence[str], references: Sequence[str]) -> list[ClassFigures]:
    """The most frequent label first."""
    given, have = Counter(hypotheses), Counter(references)
    both = Counter(zip(references, hypotheses, strict=True))
    found = []
    for label in sorted({*given, *have}, key=lambda label: (-have[label], label)):
        right = both[label, label]
        wrong = [(count, said) for (true, said), count in both.items() if true == label != said]
        found.append(
            ClassFigures(
                label,
                have[label],
                100 * right / given[label] if given[label] else 0.0,
                100 * right / have[label] if have[label] else 0.0,
                max(wrong, key=lambda pair: (pair[0], pair[1]))[1] if wrong else "",
            )
        )
    return found
