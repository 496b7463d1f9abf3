"""Whole texts: labels, answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

from regard.text.tokenisers.base import NUM_SPECIALS
from regard.text.tokenisers.lexicon import LexiconTokeniser


class LabelTokeniser(LexiconTokeniser):
    """One id a text that was seen in training, the most frequent first; any other text is spelt in UTF-8 bytes."""

    kind = "label"

    @classmethod
    def units(cls, text: str) -> Sequence[str]:
        return [text]

    @classmethod
    def train(cls, texts: Iterable[str], min_count: int = 1, max_size: int | None = None) -> Self:
        counts = Counter(texts)
        often = [text for text, count in counts.items() if count >= min_count and text]
        return cls(sorted(often, key=lambda text: (-counts[text], text))[:max_size])

    @property
    def labels(self) -> list[str]:
        return list(self._known)

    @property
    def first(self) -> int:
        """The id of the first label."""
        return NUM_SPECIALS + 256
