"""Which measures say how good the outputs of a transducer are, and by which names its field knows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from regard.errors import UserError
from regard.evaluate.error_rate import error_counts
from regard.evaluate.exact import exact_counts
from regard.evaluate.measure import Counts, Measure, References
from regard.evaluate.sacre import Tokenize, bleu, bleu_counts, chrf_counts


class Kinds(NamedTuple):
    """The kinds of the tokenisers, which tell the field: characters to words are pronunciations, the rest is text."""

    source: str
    target: str


def counts(
    hypotheses: Sequence[str], references: References, kinds: Kinds, *, tokenize: Tokenize | None = None
) -> list[Counts]:
    """Of every measure of the field, the most telling first; BLEU also elsewhere, if it is said how to tokenise."""
    exact = exact_counts(hypotheses, references)
    if kinds.target == "label":
        if tokenize is not None:
            raise UserError("the outputs are labels, and there is nothing to tokenise: leave tokenize out")
        return [replace(exact, name="accuracy")]
    errors = token_and_sequence_errors(hypotheses, references, kinds)
    asked = [] if tokenize is None else [bleu_counts(hypotheses, references, tokenize=tokenize)]
    if kinds.target == "char":
        return [exact, *asked, chrf_counts(hypotheses, references), *errors]
    if kinds == ("char", "word"):
        return [exact, *asked, *errors]
    texts = asked or [bleu_counts(hypotheses, references)]
    return [*texts, chrf_counts(hypotheses, references), exact, *errors]


def token_and_sequence_errors(hypotheses: Sequence[str], references: References, kinds: Kinds) -> tuple[Counts, Counts]:
    if kinds.target == "char":
        return error_counts(hypotheses, references, unit="character", names=("CER", "SER"))
    if kinds == ("char", "word"):
        return error_counts(hypotheses, references, unit="word", names=("PER", "WER"))
    return error_counts(hypotheses, references, unit="word", names=("WER", "SER"))


def chief(hypotheses: Sequence[str], references: References, kinds: Kinds) -> Measure:
    """The number that training watches: BLEU for text in sub-words, accuracy for labels, the token error rate for
    other closed vocabularies."""
    if kinds.target == "label":
        return replace(exact_counts(hypotheses, references), name="accuracy").measure()
    if kinds.target in ("bpe", "unigram"):
        return bleu(hypotheses, references)
    return token_and_sequence_errors(hypotheses, references, kinds)[0].measure()
