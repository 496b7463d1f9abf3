"""Exact match: how many outputs are, to the character, one of the right answers."""

from __future__ import annotations

from collections.abc import Sequence

from regard.evaluate.measure import Measure, References, check, nrefs, sign


def exact_match(hypotheses: Sequence[str], references: References) -> Measure:
    """100 · (number of hypotheses equal to any of their references) / (number of hypotheses)"""
    check(hypotheses, references)
    num_right = sum(said in right for said, right in zip(hypotheses, references, strict=True))
    signature = sign(nrefs(references), "case:exact", "unit:text")
    return Measure("exact", 100 * num_right / len(hypotheses), signature, higher_is_better=True)
