"""`addition`: 123+45 -> 168, the number of digits of each operand uniform in `length`."""

from __future__ import annotations

import random

from regard.text.make.draw import Corpus, Example, Split

LENGTH = (1, 3)


def corpus(length: tuple[int, int]) -> Corpus:
    """Each pair of numbers of digits is as frequent as any other, until all its sums are used up."""

    def sample(rng: random.Random, split: Split) -> Example:
        first, second = (rng.randrange(*_span(rng.randint(*length))) for _ in range(2))
        return Example(f"{first}+{second}", str(first + second))

    operands = _span(length[1])[1] - _span(length[0])[0]
    return Corpus(sample, operands**2, train=50_000, valid=1_000, test=2_000)


def _span(digits: int) -> tuple[int, int]:
    """The numbers of so many digits, without leading zeros, as a half-open range; 0 has one digit."""
    return (0 if digits == 1 else 10 ** (digits - 1)), 10**digits
