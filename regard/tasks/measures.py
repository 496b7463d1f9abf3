"""Which measures say how good the outputs of a transducer are, and by which names its field knows them."""

from __future__ import annotations

from collections.abc import Sequence

from regard.evaluate.error_rate import error_rates
from regard.evaluate.exact import exact_match
from regard.evaluate.measure import Measure, References
from regard.evaluate.sacre import bleu, chrf


def measures(
    hypotheses: Sequence[str], references: References, *, source_kind: str, target_kind: str, tokenize: str = "13a"
) -> list[Measure]:
    """The kinds of the tokenisers tell the field: characters to words are pronunciations, the rest is text."""
    errors = token_and_sequence_errors(hypotheses, references, source_kind=source_kind, target_kind=target_kind)
    exact = exact_match(hypotheses, references)
    if target_kind == "char":
        return [exact, chrf(hypotheses, references), *errors]
    if source_kind == "char" and target_kind == "word":
        return [exact, *errors]
    return [bleu(hypotheses, references, tokenize=tokenize), chrf(hypotheses, references), exact, *errors]  # type: ignore[arg-type]


def token_and_sequence_errors(
    hypotheses: Sequence[str], references: References, *, source_kind: str, target_kind: str
) -> tuple[Measure, Measure]:
    if target_kind == "char":
        return error_rates(hypotheses, references, unit="character", names=("CER", "SER"))
    if source_kind == "char" and target_kind == "word":
        return error_rates(hypotheses, references, unit="word", names=("PER", "WER"))
    return error_rates(hypotheses, references, unit="word", names=("WER", "SER"))


def chief(hypotheses: Sequence[str], references: References, *, source_kind: str, target_kind: str) -> Measure:
    """The number that training watches: BLEU for text in sub-words, the token error rate for closed vocabularies."""
    if target_kind in ("bpe", "unigram"):
        return bleu(hypotheses, references)
    return token_and_sequence_errors(hypotheses, references, source_kind=source_kind, target_kind=target_kind)[0]
