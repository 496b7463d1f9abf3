"""BLEU (Papineni et al. 2002) and chrF (Popović 2015) of a corpus, by sacreBLEU (Post 2018), with its signatures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Literal

from regard.evaluate.measure import Measure, References, check

Tokenize = Literal["13a", "intl", "char", "none"]


def bleu(
    hypotheses: Sequence[str], references: References, *, tokenize: Tokenize = "13a", lowercase: bool = False
) -> Measure:
    """BLEU on plain text, tokenised as `13a`, the form of published scores; `none` if all text is tokenised already."""
    from sacrebleu.metrics.bleu import BLEU

    # force: text that looks tokenised is measured as it is asked for, without a word on the log
    return _measure(BLEU(tokenize=tokenize, lowercase=lowercase, force=True), hypotheses, references)


def chrf(hypotheses: Sequence[str], references: References, *, lowercase: bool = False) -> Measure:
    """chrF2: F-score of character n-grams up to 6, recall counting twice, spaces left out."""
    from sacrebleu.metrics.chrf import CHRF

    return _measure(CHRF(lowercase=lowercase), hypotheses, references)


def _measure(metric: Any, hypotheses: Sequence[str], references: References) -> Measure:
    check(hypotheses, references)
    # sacreBLEU wants a stream for the first references, one for the second, …: None where a list has ended
    streams = list(zip_longest(*references))
    score = metric.corpus_score(list(hypotheses), streams)
    return Measure(score.name, float(score.score), str(metric.get_signature()), higher_is_better=True)
