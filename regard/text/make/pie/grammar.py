"""Phrases in two languages at once: source words, target words, and which of them translate each other.

A rule of the grammar puts phrases together, in one order for the source and in another for the target; the links
need no bookkeeping, since a target word holds the very source words that it translates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from regard.text.make.draw import Example


@dataclass(frozen=True, eq=False, slots=True)
class Word:
    """A source word before spelling. Two Words of the same text are two words."""

    text: str


@dataclass(frozen=True, slots=True)
class Gloss:
    """A target word, the source words it surely translates, and those it can be said to translate."""

    text: str
    sure: tuple[Word, ...] = ()
    possible: tuple[Word, ...] = ()


Combination = tuple[str, str, str, str]  # language, kind, and the two words: ("french", "clitic", "voir", "me")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Source and target of one piece of a sentence, and the combinations of words that it shows."""

    source: tuple[Word, ...] = ()
    target: tuple[Gloss, ...] = ()
    combinations: frozenset[Combination] = frozenset()

    def __add__(self, other: Phrase) -> Phrase:
        """One after the other, in both languages."""
        return Phrase(self.source + other.source, self.target + other.target, self.combinations | other.combinations)


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a verb or an adjective needs to know of a noun or pronoun."""

    person: int = 3
    plural: bool = False
    feminine: bool = False


@dataclass(frozen=True, slots=True)
class Nominal:
    """A pronoun, or a phrase with `noun` at its head."""

    phrase: Phrase
    agreement: Agreement
    noun: str = ""
    traits: frozenset[str] = frozenset()


Spelling = Callable[[tuple[Word, ...]], list[tuple[str, tuple[Word, ...]]]]


def phrase(source: str, target: str, links: str = "") -> Phrase:
    """A fixed phrase from its words and its links in the form of the files; without links, word by word."""
    words = tuple(Word(text) for text in source.split())
    sure: dict[int, list[Word]] = {}
    possible: dict[int, list[Word]] = {}
    for link in links.split() or [f"{index}-{index}" for index in range(len(words))]:
        side = sure if "-" in link else possible
        first, second = link.replace("p", "-").split("-")
        side.setdefault(int(second), []).append(words[int(first)])
    glosses = (
        Gloss(text, tuple(sure.get(column, ())), tuple(possible.get(column, ())))
        for column, text in enumerate(target.split())
    )
    return Phrase(words, tuple(glosses))


def concat(phrases: Iterable[Phrase]) -> Phrase:
    return sum(phrases, Phrase())


def as_spoken(words: tuple[Word, ...]) -> list[tuple[str, tuple[Word, ...]]]:
    """A spelling in which words do not touch each other."""
    return [(word.text, (word,)) for word in words]


def write(sentence: Phrase, spelling: Spelling) -> Example:
    """The sentence as text, with its links between words as they are written."""
    spelt = spelling(sentence.source)
    place = {word: index for index, (_, words) in enumerate(spelt) for word in words}
    links: dict[tuple[int, int], str] = {}
    for column, gloss in enumerate(sentence.target):
        links |= {(place[word], column): "p" for word in gloss.possible}
        links |= {(place[word], column): "-" for word in gloss.sure}
    target = [gloss.text for gloss in sentence.target]
    for index, following in enumerate(target[1:]):
        if target[index] == "a" and following[0] in "aeiou":
            target[index] = "an"
    return Example(
        " ".join(text for text, _ in spelt),
        " ".join(target),
        " ".join(f"{row}{mark}{column}" for (row, column), mark in sorted(links.items())),
    )
