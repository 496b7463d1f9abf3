"""BLEU (Papineni et al. 2002) and chrF (Popović 2015) of a corpus, by sacreBLEU (Post 2018), with its signatures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Literal

from regard.evaluate.measure import Counts, Measure, References, check

Tokenize = Literal["13a", "intl", "zh", "char", "none"]


def bleu(hypotheses: Sequence[str], references: References, *, tokenize: Tokenize = "13a") -> Measure:
    """BLEU on plain text, tokenised as `13a`, the form of published scores; `none` if all text is tokenised already."""
    return bleu_counts(hypotheses, references, tokenize=tokenize).measure()


def chrf(hypotheses: Sequence[str], references: References) -> Measure:
    """chrF2: F-score of character n-grams up to 6, recall counting twice, spaces left out."""
    return chrf_counts(hypotheses, references).measure()


def bleu_counts(hypotheses: Sequence[str], references: References, *, tokenize: Tokenize = "13a") -> Counts:
    from sacrebleu.metrics.bleu import BLEU

    # force: text that looks tokenised is measured as it is asked for, without a word on the log
    return _counts("BLEU", BLEU(tokenize=tokenize, force=True), hypotheses, references)


def chrf_counts(hypotheses: Sequence[str], references: References) -> Counts:
    from sacrebleu.metrics.chrf import CHRF

    return _counts("chrF2", CHRF(), hypotheses, references)


def _counts(name: str, metric: Any, hypotheses: Sequence[str], references: References) -> Counts:
    """By the two functions, not public, through which sacreBLEU's own tests of significance go: the tests hold that
    together they are its public `corpus_score`."""
    check(hypotheses, references)
    # sacreBLEU wants a stream for the first references, one for the second, …: None where a list has ended
    streams = list(zip_longest(*references))
    rows = metric._extract_corpus_statistics(hypotheses, streams)

    def value(sums: Sequence[float]) -> float:
        return float(metric._compute_score_from_stats(sums).score)

    return Counts(name, str(metric.get_signature()), True, rows, value)
