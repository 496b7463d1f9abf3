"""Which tokeniser suits a text, told from the text alone."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from regard.text.tokenisers import BpeSettings, CharSettings, Chosen, WordSettings

_SAMPLE = 20_000


@dataclass(frozen=True, slots=True)
class _Look:
    """What the choice depends on, over the lines that are not blank; a word is what stands between spaces."""

    num_words: int
    num_types: int  # different words
    spaced: float  # share of the lines with more than one word
    common: float  # share of the words that are seen at least 5 times
    digits: float  # share of the characters
    line_length: float
    word_length: float


def choose(texts: Sequence[str]) -> Chosen:
    """Settings for one side of the data, with the reason in a few words."""
    # drawn, since every n-th line would be no fair sample where the lines have a rhythm (captions of one picture)
    sample = random.Random(0).sample(texts, min(len(texts), _SAMPLE))
    look = _look(sample)
    if look is None:
        return Chosen(CharSettings(), "there is no text to look at")
    if look.digits > 0.2 and look.word_length >= 1.5 and look.line_length < 60:
        return Chosen(CharSettings(), f"short lines, {look.digits:.0%} digits")
    closed = look.common >= 0.98 and look.num_types <= (5000 if look.spaced >= 0.5 else 200)
    if closed and look.word_length <= 15:
        return Chosen(WordSettings(), f"{look.num_types:,} different words, seen again and again")
    if look.spaced < 0.5:
        return Chosen(CharSettings(), f"{1 - look.spaced:.0%} of the lines have no space inside")
    if look.word_length > 15:
        return Chosen(CharSettings(), "words are not written apart")
    reason = f"{look.num_types:,} different words, {1 - look.common:.0%} of the text in rare ones"
    return Chosen(BpeSettings(size=_bpe_size(look.num_words * len(texts) / len(sample))), reason)


def _bpe_size(num_words: float) -> int:
    """7 √words, to the nearest 500: 1,000 for 18,000 words, 4,000 for 350,000, 7,000 for a million; at most 8,000."""
    return min(max(500 * round(7 * math.sqrt(num_words) / 500), 500), 8000)


def _look(texts: Sequence[str]) -> _Look | None:
    lines = [words for text in texts if (words := text.split())]
    if not lines:
        return None
    counts = Counter(word for words in lines for word in words)
    num_words = counts.total()
    num_characters = sum(len(word) * count for word, count in counts.items())
    num_digits = sum(sum(map(str.isdigit, word)) * count for word, count in counts.items())
    return _Look(
        num_words=num_words,
        num_types=len(counts),
        spaced=sum(len(words) > 1 for words in lines) / len(lines),
        common=sum(count for count in counts.values() if count >= 5) / num_words,
        digits=num_digits / num_characters,
        line_length=(num_characters + num_words) / len(lines) - 1,
        word_length=num_characters / num_words,
    )
