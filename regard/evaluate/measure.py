"""What every evaluation gives, and what every evaluation of text asks of its input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import regard
from regard.errors import UserError

References = Sequence[Sequence[str]]  # for each hypothesis all that would be right; the numbers may differ


@dataclass(frozen=True, slots=True)
class Measure:
    """A number, mostly in percent, and how it was computed, so that only like is compared with like."""

    name: str  # "BLEU"
    value: float  # 0 to 100; an error rate can be more; bits and perplexities are what they are
    signature: str  # "nrefs:1|case:mixed|…|version:2.6.0"
    higher_is_better: bool

    def __str__(self) -> str:
        return f"{self.name} {shown(self.name, self.value)}"

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "value": self.value,
            "signature": self.signature,
            "higher_is_better": self.higher_is_better,
        }


def shown(name: str, value: float) -> str:
    """With as many decimals as mean something: a hundredth of a percent, a thousandth of a bit."""
    return f"{value:.3f}" if name == "bits/char" else f"{value:.2f}"


@dataclass(frozen=True, slots=True)
class Counts:
    """What a measure counts in each sentence. It is a function of their sums, so any part of a corpus can be measured,
    and any resample, without another look at the texts."""

    name: str
    signature: str
    higher_is_better: bool
    rows: Sequence[Sequence[int]]  # one a sentence, all of one length
    value: Callable[[Sequence[float]], float]  # of the sums of the rows

    def measure(self, numbers: Sequence[int] | None = None) -> Measure:
        """Of the whole corpus, or of the sentences of these numbers."""
        rows = self.rows if numbers is None else [self.rows[number] for number in numbers]
        sums = [sum(column) for column in zip(*rows, strict=True)]
        return Measure(self.name, self.value(sums), self.signature, self.higher_is_better)


def check(hypotheses: Sequence[str], references: References) -> None:
    """There is something to measure, and something right to hold every hypothesis against."""
    if not hypotheses:
        raise UserError("there is nothing to evaluate: give a test set of at least one pair")
    assert len(hypotheses) == len(references), f"{len(hypotheses)} hypotheses, {len(references)} lists of references"
    assert all(references), "a hypothesis without a reference"


def sign(*parts: str) -> str:
    """A signature in sacreBLEU's form for what is computed here."""
    return "|".join([*parts, f"version:{regard.__version__}"])


def nrefs(references: References) -> str:
    """'nrefs:2', or 'nrefs:var' where the numbers differ, as in sacreBLEU's signatures."""
    numbers = {len(right) for right in references}
    return f"nrefs:{numbers.pop() if len(numbers) == 1 else 'var'}"
