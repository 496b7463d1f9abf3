"""`pie`: French and romanised Hindi to English, from one small grammar that knows which words translate each other.

The test split holds out combinations: pairs of a noun and an adjective, of a verb and an object pronoun, that training
and valid never show, though both words are frequent there in other company. Every test sentence has at least one.

Links are drawn between words as they are written (m'a is one word), `source-target` from 0. Sure (`2-1`) are words that
translate each other; possible (`1p1`) are words without a counterpart of their own, with those they depend on.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

from regard.text.make.draw import Corpus, Example, Split, generator
from regard.text.make.pie import french, french_talk, french_words, hindi, hindi_talk, hindi_words
from regard.text.make.pie.grammar import Combination, as_spoken, write

__all__ = ["SHOWCASE", "combinations", "corpus", "held_out"]

# Sentences of the grammar that no split contains, to be translated afterwards.
SHOWCASE = (
    Example("il m'a entarté", "he hit me with a pie", "0-0 1p1 1-2 2-1 2p3 2p4 2-5"),
    Example("ham bazaar gaye the", "we went to the market", "0-0 1p2 1p3 1-4 2-1 2p2 3p1"),
)
SHORTEST, LONGEST = 3, 25  # words, on both sides
LANGUAGES = ((french_talk.sentence, french.spell), (hindi_talk.sentence, as_spoken))


def corpus(seed: int) -> Corpus:
    """Half French, half Hindi. The grammar makes far more than a million sentences; nobody needs them."""
    held = held_out(seed)
    shown = {example.source for example in SHOWCASE}

    def sample(rng: random.Random, split: Split) -> Example:
        sentence, spelling = rng.choice(LANGUAGES)
        while True:
            spoken = sentence(rng)
            if bool(spoken.combinations & held) != (split == "test"):
                continue
            example = write(spoken, spelling)
            lengths = len(example.source.split()), len(spoken.target)
            if min(lengths) >= SHORTEST and max(lengths) <= LONGEST and example.source not in shown:
                return example

    return Corpus(sample, available=1_000_000, train=12_000, valid=600, test=1_200, held_out=True)


def combinations() -> list[Combination]:
    """All pairs that the grammar can say: noun and adjective, verb and object pronoun."""
    return [
        *(
            ("french", "adjective", noun.text, adjective.masculine)
            for noun, adjective in product(french_words.NOUNS, french_words.ADJECTIVES)
            if noun.traits & adjective.traits
        ),
        *(("french", "clitic", verb.infinitive, name) for verb, name in product(french_words.PERSONAL, french.CLITICS)),
        *(
            ("hindi", "adjective", noun.singular[0], adjective.text)
            for noun, adjective in product(hindi_words.NOUNS, hindi_words.ADJECTIVES)
            if noun.traits & adjective.traits
        ),
        *(("hindi", "pronoun", verb.stem, name) for verb, name in product(hindi_words.PERSONAL, hindi.OBJECTS)),
    ]


def held_out(seed: int) -> frozenset[Combination]:
    """About an eighth of the combinations of each kind, and of no word more than a quarter of its own.

    Those that alone show a form stay: la the feminine participles, "bel oiseau" the word bel.
    """
    everything = combinations()
    company = Counter(part for one in everything for part in _parts(one))
    room = Counter({part: count // 4 for part, count in company.items()})
    quota = {kind: round(count / 8) for kind, count in Counter(one[:2] for one in everything).items()}
    held: set[Combination] = set()
    for one in generator(seed, "pie", "combinations").sample(everything, len(everything)):
        needed = one[3] == "la" or one[2:] in (("oiseau", "beau"), ("entarter", "me"))
        if quota[one[:2]] and all(room[part] for part in _parts(one)) and not needed:
            held.add(one)
            quota[one[:2]] -= 1
            room.subtract(_parts(one))
    return frozenset(held)


def _parts(one: Combination) -> tuple[tuple[str, ...], ...]:
    """Each of the two words, in its language, kind and place."""
    language, kind, first, second = one
    return (language, kind, "first", first), (language, kind, "second", second)
