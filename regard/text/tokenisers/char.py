"""Characters."""

from __future__ import annotations

from collections.abc import Sequence

from regard.text.tokenisers.lexicon import LexiconTokeniser


class CharTokeniser(LexiconTokeniser):
    """One id a character; a character that was not seen often enough is spelt in its UTF-8 bytes."""

    kind = "char"

    @classmethod
    def units(cls, text: str) -> Sequence[str]:
        return text
