"""The one rule that says what a word is, and which pieces belong to it: for maps, alignments and their error rates.

A word is a maximal run of characters that are not white space.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its place: `line[start:end] == text`."""

    text: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    return [Word(match[0], *match.span()) for match in re.finditer(r"\S+", text)]


def owners(spans: Sequence[tuple[int, int]], words: Sequence[Word]) -> list[int | None]:
    """The index of the word that holds each span's first character that is not white space; None if it has none."""
    ends = [word.end for word in words]
    found: list[int | None] = []
    for start, end in spans:
        nearest = bisect.bisect_right(ends, start)  # the first word that does not end before the span
        inside = start < end and nearest < len(words) and words[nearest].start < end
        found.append(nearest if inside else None)
    return found
