"""Exact match: how many outputs are, to the character, one of the right answers."""

from __future__ import annotations

from collections.abc import Sequence

from regard.evaluate.measure import Counts, Measure, References, check, nrefs, sign


def exact_match(hypotheses: Sequence[str], references: References) -> Measure:
    """100 · (number of hypotheses equal to any of their references) / (number of hypotheses)"""
    return exact_counts(hypotheses, references).measure()


def exact_counts(hypotheses: Sequence[str], references: References) -> Counts:
    check(hypotheses, references)
    rows = [(int(said in right), 1) for said, right in zip(hypotheses, references, strict=True)]
    signature = sign(nrefs(references), "case:exact", "unit:text")
    return Counts("exact", signature, True, rows, lambda sums: 100 * sums[0] / sums[1])
