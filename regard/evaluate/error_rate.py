"""Token and sequence error rates, with any number of references: CER, WER, and PER for pronunciations."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

from regard.evaluate.measure import Counts, Measure, References, check, nrefs, sign

Unit = Literal["character", "word"]


def error_rates(
    hypotheses: Sequence[str], references: References, *, unit: Unit, names: tuple[str, str]
) -> tuple[Measure, Measure]:
    """The rate of wrong tokens and the rate of sequences with any wrong token, called by `names`.

        tokens:    100 · Σ distance(hypothesis, nearest) / Σ |nearest|
        sequences: 100 · (number of hypotheses whose distance is not 0) / (number of hypotheses)

    `nearest` is the reference at the least edit distance; of several, the longest. A unit is a code point, spaces
    included, or a maximal run of non-space. Names: ("CER", "SER"), ("WER", "SER"), pronunciations ("PER", "WER").
    """
    tokens, sequences = error_counts(hypotheses, references, unit=unit, names=names)
    return tokens.measure(), sequences.measure()


def error_counts(
    hypotheses: Sequence[str], references: References, *, unit: Unit, names: tuple[str, str]
) -> tuple[Counts, Counts]:
    check(hypotheses, references)
    nearest = [
        _nearest(_tokens(said, unit), [_tokens(reference, unit) for reference in right])
        for said, right in zip(hypotheses, references, strict=True)
    ]
    wrong = [(int(distance > 0), 1) for distance, _ in nearest]
    signature = sign(nrefs(references), "case:exact", f"unit:{unit}")
    return (
        # where all references are empty, what was said is all there is to count
        Counts(names[0], signature, False, nearest, lambda sums: 100 * sums[0] / max(sums[1], 1)),
        Counts(names[1], signature, False, wrong, lambda sums: 100 * sums[0] / sums[1]),
    )


def _tokens(text: str, unit: Unit) -> Sequence[str]:
    return text if unit == "character" else text.split()


def _nearest(said: Sequence[str], right: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Distance to the nearest reference, and its length."""
    distance, minus_length = min((edit_distance(said, reference), -len(reference)) for reference in right)
    return distance, -minus_length


def edit_distance(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Levenshtein distance: the least number of insertions, deletions and substitutions that turn `a` into `b`.

    Myers (1999) in the form of Hyyrö (2003): the column D[:, j] of the dynamic programme is held as its differences,
    bit i of `up` and `down` saying that D[i + 1, j] − D[i, j] is +1 or −1. One integer holds a whole column, so that
    a step over a token of `b` is a dozen operations whatever the length of `a`.
    """
    if a == b:
        return 0
    if not a:
        return len(b)
    places: dict[Hashable, int] = {}
    for i, token in enumerate(a):
        places[token] = places.get(token, 0) | 1 << i
    every, last = (1 << len(a)) - 1, 1 << len(a) - 1
    up, down, distance = every, 0, len(a)
    for token in b:
        same = places.get(token, 0)
        # bit i: the step along the diagonal costs nothing, D[i + 1, j + 1] = D[i, j]
        diagonal = ((((same & up) + up) ^ up) | same | down) & every
        # bit i: the difference along the row, D[i + 1, j + 1] − D[i + 1, j], is +1 or −1
        rise, fall = down | (every & ~(diagonal | up)), up & diagonal
        distance += bool(rise & last) - bool(fall & last)
        rise, fall = (rise << 1 | 1) & every, (fall << 1) & every
        up, down = fall | (every & ~(diagonal | rise)), rise & diagonal
    return distance
