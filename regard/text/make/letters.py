"""`reverse` and `copy`: strings of lower-case letters, their number uniform in `length`."""

from __future__ import annotations

import random
import string
from collections.abc import Callable

from regard.text.make.draw import Corpus, Example, Split

LENGTH = (1, 12)

TASKS: dict[str, Callable[[str], str]] = {"reverse": lambda text: text[::-1], "copy": lambda text: text}


def corpus(task: Callable[[str], str], length: tuple[int, int]) -> Corpus:
    """Each number of letters is as frequent as any other, until all its strings are used up."""

    def sample(rng: random.Random, split: Split) -> Example:
        text = "".join(rng.choices(string.ascii_lowercase, k=rng.randint(*length)))
        return Example(text, task(text))

    available = sum(26**letters for letters in range(length[0], length[1] + 1))
    return Corpus(sample, available, train=20_000, valid=1_000, test=1_000)
