"""Text as it can stand in a map: nothing that moves the cursor or turns the line around."""

from __future__ import annotations

import unicodedata

_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})


def printable(text: str) -> str:
    """The text on one line: any blank is a space, control characters and those of the writing direction are �."""
    return "".join(" " if character.isspace() else "�" if _controls(character) else character for character in text)


def label(text: str) -> str:
    """The name of a row or a column: printable, and blanks can be seen."""
    return printable(text).replace(" ", "␣")


def isolated(text: str) -> str:
    """Right-to-left text between isolate marks, so that it does not reorder what stands beside it."""
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text):
        return f"\u2068{text}\u2069"
    return text


def _controls(character: str) -> bool:
    return character in _BIDI_CONTROLS or unicodedata.category(character) in {"Cc", "Cs"}
