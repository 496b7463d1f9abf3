"""What a person can cause is a UserError; what only we can cause is an assert."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """One line that says what was wrong, where (file, line, setting), and what to do about it."""


def suggest(wrong: str, known: Iterable[str]) -> str:
    """'; did you mean `wiring`?' if something known is near, '' if not."""
    near = difflib.get_close_matches(wrong, list(known), n=1, cutoff=0.6)
    return f"; did you mean `{near[0]}`?" if near else ""
