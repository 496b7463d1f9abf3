"""Where words and sub-words may begin and end."""

from __future__ import annotations

import functools

from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

# Marks and joiners are inside words: without them Hindi would fall apart at every vowel sign.
_WORD = r"\p{L}\p{M}\p{N}_\x{200C}\x{200D}"
# A word with the space before it, and the apostrophe that ties it to the next ("l'", "don'" + "t");
# one punctuation mark with the space before it; any other white space, one by one.
_PATTERN = rf" ?[{_WORD}]+(?:['’](?=\p{{L}}))?| ?[^\s{_WORD}]|\s"


@functools.cache
def splitter() -> Split:
    """Cuts a text into words, punctuation marks and white space; joined, they are the text."""
    return Split(Regex(_PATTERN), "isolated")
