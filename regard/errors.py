"""What a person can cause is a UserError; what only we can cause is an assert."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager


class UserError(Exception):
    """One line that says what was wrong, where (file, line, setting), and what to do about it."""


class TextError(UserError):
    """What is wrong with one of several texts, which is `number` of them; who knows where it stands says so."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(message)
        self.number = number


@contextmanager
def located(where: Callable[[int], str]) -> Iterator[None]:
    """Say where the text stands that something is wrong with: the file and the line, if there are any."""
    try:
        yield
    except TextError as error:
        place = where(error.number)
        raise UserError(f"{place}: {error}" if place else str(error)) from None


def suggest(wrong: str, known: Iterable[str]) -> str:
    """'; did you mean `wiring`?' if something known is near, '' if not."""
    near = difflib.get_close_matches(wrong, list(known), n=1, cutoff=0.6)
    return f"; did you mean `{near[0]}`?" if near else ""
