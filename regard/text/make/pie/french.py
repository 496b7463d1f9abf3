"""The rules of French: agreement, clitics before the verb, negation around it, and elision, which is done last."""

from __future__ import annotations

from regard.text.make.pie import english
from regard.text.make.pie.french_words import Adjective, Noun
from regard.text.make.pie.grammar import Agreement, Combination, Gloss, Nominal, Phrase, Word, phrase

MAN, WOMAN, MEN, WOMEN = (Agreement(3, many, woman) for many in (False, True) for woman in (False, True))

# The speaker and the hearer are men; vous are several.
SUBJECTS = {
    "je": ("i", Agreement(1)),
    "tu": ("you", Agreement(2)),
    "il": ("he", MAN),
    "elle": ("she", WOMAN),
    "nous": ("we", Agreement(1, plural=True)),
    "vous": ("you", Agreement(2, plural=True)),
    "ils": ("they", MEN),
    "elles": ("they", WOMEN),
}
CLITICS = {
    "me": ("me", Agreement(1)),
    "te": ("you", Agreement(2)),
    "le": ("him", MAN),
    "la": ("her", WOMAN),
    "nous": ("us", Agreement(1, plural=True)),
    "vous": ("you", Agreement(2, plural=True)),
    "les": ("them", MEN),
}
# masculine, feminine, plural
DETERMINERS = {
    "the": ("le", "la", "les"),
    "a": ("un", "une"),
    "this": ("ce", "cette", "ces"),
    "my": ("mon", "ma", "mes"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
}
BEFORE_VOWEL = {
    "je": "j'", "me": "m'", "te": "t'", "le": "l'", "la": "l'", "ne": "n'", "de": "d'", "que": "qu'",
    "ma": "mon", "ce": "cet",
}  # fmt: skip
CONTRACTED = {("à", "le"): "au", ("à", "les"): "aux", ("de", "le"): "du", ("de", "les"): "des"}


def starts_with_vowel(text: str) -> bool:
    """No aspirated h is in the lexicon."""
    return text[0] in "aeiouhâéèêœ"


def spell(words: tuple[Word, ...]) -> list[tuple[str, tuple[Word, ...]]]:
    """Elision and contraction: me a -> m'a, le homme -> l'homme, ma école -> mon école, à le -> au."""
    spelt: list[tuple[str, tuple[Word, ...]]] = []
    for word in reversed(words):
        text, after = word.text, spelt[-1] if spelt else None
        if after and starts_with_vowel(after[0]):
            text = BEFORE_VOWEL.get(text, text)
        contracted = CONTRACTED.get((text, after[0])) if after else None
        if after and (contracted or text.endswith("'")):
            spelt[-1] = (contracted or text + after[0], (word, *after[1]))
        else:
            spelt.append((text, (word,)))
    return spelt[::-1]


def plural(text: str) -> str:
    """chats, vieux. Only people are many here, so that -aux is not needed."""
    return text if text.endswith(("s", "x")) else f"{text}s"


def agree(masculine: str, feminine: str, agreement: Agreement) -> str:
    text = feminine if agreement.feminine else masculine
    return plural(text) if agreement.plural else text


def subject(pronoun: str) -> Nominal:
    gloss, agreement = SUBJECTS[pronoun]
    return Nominal(phrase(pronoun, gloss), agreement)


def noun_phrase(noun: Noun, determiner: str, adjective: Adjective | None = None, many: bool = False) -> Nominal:
    """Determiner, noun, and an adjective on its own side: le petit chat noir, the little black cat."""
    agreement = Agreement(3, many, noun.gender == "f")
    forms = DETERMINERS[determiner]
    first = Word(forms[2] if many else forms[agreement.feminine])
    gloss = {"this": "these"}.get(determiner, determiner) if many else determiner
    head = Word(plural(noun.text) if many else noun.text)
    thing = english.plural(noun.english) if many else noun.english
    source: tuple[Word, ...] = (first, head)
    target: tuple[Gloss, ...] = (Gloss(gloss, (first,)), Gloss(thing, (head,)))
    combinations: set[Combination] = set()
    if adjective:
        text = agree(adjective.masculine, adjective.feminine, agreement)
        if adjective.vowel and text == adjective.masculine and not many and starts_with_vowel(head.text):
            text = adjective.vowel
        extra = Word(text)
        source = (first, extra, head) if adjective.before else (first, head, extra)
        target = (target[0], Gloss(adjective.english, (extra,)), target[1])
        combinations.add(("french", "adjective", noun.text, adjective.masculine))
    return Nominal(Phrase(source, target, frozenset(combinations)), agreement, noun.text, noun.traits)
