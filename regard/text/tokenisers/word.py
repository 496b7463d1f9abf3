"""Words."""

from __future__ import annotations

from collections.abc import Sequence

from regard.text.tokenisers.lexicon import LexiconTokeniser
from regard.text.tokenisers.split import splitter


class WordTokeniser(LexiconTokeniser):
    """One id a word with the space before it, or a punctuation mark; unknown words are spelt in UTF-8 bytes."""

    kind = "word"
    lead = " "

    @classmethod
    def units(cls, text: str) -> Sequence[str]:
        return [unit for unit, _ in splitter().pre_tokenize_str(text)]
