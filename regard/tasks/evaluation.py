"""How good the outputs of a system are: of a model, or of anything that writes a line for each source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from regard.evaluate.alignment import Gold, Link, alignment_error_counts
from regard.evaluate.by_length import Bucket, by_length
from regard.evaluate.measure import Counts, Measure
from regard.evaluate.sacre import Tokenize
from regard.tasks.measures import Kinds, counts
from regard.text.pair import Pair, as_pairs
from regard.text.words import words


@dataclass(frozen=True)
class Outputs:
    """What a system wrote for each of some pairs, and how it links their words if it can tell."""

    hypotheses: list[str]
    links: list[frozenset[Link]] | None = None


@dataclass(frozen=True)
class Evaluation:
    hypotheses: list[str]
    counts: list[Counts]  # one a measure
    buckets: list[Bucket]  # by source length, if that was asked for

    @property
    def measures(self) -> list[Measure]:
        return [one.measure() for one in self.counts]


def evaluate(
    outputs: Outputs,
    pairs: Sequence[Pair | tuple[str, str]],
    kinds: Kinds,
    *,
    lengths: bool = False,
    golds: Sequence[Gold] | None = None,
    tokenize: Tokenize | None = None,
) -> Evaluation:
    """By the measures of the field of `kinds`, and by the alignments if there are both gold links and the system's."""
    given = as_pairs(pairs)
    found = counts(outputs.hypotheses, [pair.references for pair in given], kinds, tokenize=tokenize)
    if golds is not None and outputs.links is not None:
        found.append(alignment_error_counts(outputs.links, golds))
    buckets = (
        by_length(source_lengths(given)[0], lambda numbers: [one.measure(numbers) for one in found]) if lengths else []
    )
    return Evaluation(outputs.hypotheses, found, buckets)


def source_lengths(pairs: Sequence[Pair]) -> tuple[list[int], str]:
    """In words, or in characters where a source is but one word, as in pronunciations or dates; and the unit."""
    in_words = [len(words(pair.source)) for pair in pairs]
    if sum(in_words) > 1.5 * len(pairs):
        return in_words, "words"
    return [len(pair.source) for pair in pairs], "characters"
