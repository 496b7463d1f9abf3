"""Whether the difference between two systems is more than chance: paired bootstrap resampling (Koehn 2004).

Both systems are measured on the same R resamples of the test set, each of N sentences drawn with replacement:

    d   = value(A) − value(B) on the test set
    d*  = the same on a resample
    p   = 2 · (1 + min(#{d* ≤ 0}, #{d* ≥ 0})) / (1 + R), at most 1

Koehn counts the resamples in which one system wins; p is twice the share of those in which it does not, since either
could have won. Ties count against a difference, and so does the test set itself (+ 1): equal systems have p = 1, and p
is never 0. The interval goes from the 2.5th to the 97.5th percentile of d*. sacreBLEU's own paired test draws the same
resamples for the same seed; its p, how often |d*| exceeds its mean by more than |d|, is about half of this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regard.evaluate.measure import Counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUM_RESAMPLES = 1000  # these two are sacreBLEU's
SEED = 12345


@dataclass(frozen=True, slots=True)
class Difference:
    """A measure of two systems, and how sure it is that they differ."""

    name: str
    a: float
    b: float
    low: float  # the 95 % interval of a − b
    high: float
    p: float  # two-sided
    signature: str

    @property
    def difference(self) -> float:
        return self.a - self.b

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "signature": self.signature,
        }


def compare(
    a: Sequence[Counts], b: Sequence[Counts], *, num_resamples: int = NUM_RESAMPLES, seed: int = SEED
) -> list[Difference]:
    """A − B by each measure that both have, all on the same resamples."""
    others = {one.name: one for one in b}
    both = [(one, others[one.name]) for one in a if one.name in others]
    if not both:
        return []
    samples = samples_of([one for pair in both for one in pair], num_resamples, seed)
    return [
        _difference(one, other, values_R - other_values_R, seed)
        for (one, other), values_R, other_values_R in zip(both, samples[::2], samples[1::2], strict=True)
    ]


def samples_of(counts: Sequence[Counts], num_resamples: int, seed: int) -> list[NDArray[Any]]:
    """The values of each measure on each resample: a resample is how often every sentence was drawn."""
    import numpy as np

    rows = [np.array(one.rows, dtype=np.float64) for one in counts]
    ends = np.cumsum([part.shape[1] for part in rows])[:-1]
    rows_NK = np.concatenate(rows, axis=1)
    num_sentences = len(rows_NK)
    generator = np.random.default_rng(seed)
    values = np.empty((len(counts), num_resamples))
    for r in range(num_resamples):
        drawn_N = np.bincount(generator.choice(num_sentences, num_sentences), minlength=num_sentences)
        for number, sums in enumerate(np.split(drawn_N @ rows_NK, ends)):
            values[number, r] = counts[number].value(sums.tolist())
    return list(values)


def _difference(a: Counts, b: Counts, differences_R: NDArray[Any], seed: int) -> Difference:
    import numpy as np

    assert a.signature == b.signature, "only like is compared with like"
    num_resamples = len(differences_R)
    num_against = min((differences_R <= 0).sum(), (differences_R >= 0).sum())
    low, high = np.quantile(differences_R, [0.025, 0.975])
    first, *rest = a.signature.split("|")
    return Difference(
        name=a.name,
        a=a.measure().value,
        b=b.measure().value,
        low=float(low),
        high=float(high),
        p=min(1.0, 2 * (1 + int(num_against)) / (1 + num_resamples)),
        signature="|".join([first, f"bs:{num_resamples}", f"seed:{seed}", "p:two-sided", *rest]),
    )
