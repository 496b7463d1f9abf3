"""What every embedded corpus is: a way to draw examples, how many there are, and how many are wanted."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Split = Literal["train", "valid", "test"]


@dataclass(frozen=True, slots=True)
class Example:
    """A source, its target, and the gold word links between them, sure and possible: `0-0 1p2`; "" if unknown."""

    source: str
    target: str
    links: str = ""


@dataclass(frozen=True)
class Corpus:
    """`sample(rng, split)` draws one example with repetition; `available` distinct sources can be asked for."""

    sample: Callable[[random.Random, Split], Example]
    available: int
    train: int
    valid: int
    test: int
    held_out: bool = False  # the test set is of another kind than the others

    def sizes(self, train: int | None) -> dict[Split, int]:
        """Pairs wanted in each split. Valid and test are never larger than a tenth of train."""
        train = self.train if train is None else train
        tenth = -(-train // 10)
        return {"train": train, "valid": min(self.valid, tenth), "test": min(self.test, tenth)}


def generator(seed: int, name: str, part: str) -> random.Random:
    """Its own stream for each part of a corpus. A string is hashed by SHA-512: the same on every machine."""
    return random.Random(f"{seed}/{name}/{part}")


def draw(corpus: Corpus, name: str, seed: int, sizes: dict[Split, int]) -> dict[Split, list[Example]]:
    """The splits, with no source twice.

    What is drawn split by split uses up rare sources for the first of them (there are but a hundred sums of two digits
    in all), so all are drawn together and then dealt, unless the test set is of another kind.
    """
    taken: dict[str, Example] = {}
    if corpus.held_out:
        return {
            split: _distinct(corpus, name, seed, split, sizes[split], taken) for split in ("test", "valid", "train")
        }
    examples = _distinct(corpus, name, seed, "train", sum(sizes.values()), taken)
    generator(seed, name, "deal").shuffle(examples)
    splits: dict[Split, list[Example]] = {}
    for split, size in sizes.items():
        splits[split], examples = examples[:size], examples[size:]
    return splits


def _distinct(
    corpus: Corpus, name: str, seed: int, split: Split, size: int, taken: dict[str, Example]
) -> list[Example]:
    """`size` examples whose sources are not `taken` yet."""
    rng = generator(seed, name, split)
    examples: list[Example] = []
    while len(examples) < size:
        example = corpus.sample(rng, split)
        known = taken.setdefault(example.source, example)
        assert known == example, f"two translations of one source: {known} and {example}"
        if known is example:
            examples.append(example)
    return examples
