"""The rules of romanised Hindi: the verb last, postpositions, two cases, agreement, and `ne` in the past."""

from __future__ import annotations

from regard.text.make.pie import english
from regard.text.make.pie.english import Tense
from regard.text.make.pie.grammar import Agreement, Combination, Gloss, Nominal, Phrase, Word, phrase
from regard.text.make.pie.hindi_words import Adjective, Noun, Verb, glide

# The speaker and the hearer are men. vah is he or she: its verb tells, but not after `ne`.
SUBJECTS = {
    "main": ("i", Agreement(1), "maine"),
    "tum": ("you", Agreement(2), "tumne"),
    "vah": ("he", Agreement(3), ""),
    "vah (f)": ("she", Agreement(3, feminine=True), ""),
    "ham": ("we", Agreement(1, plural=True), "hamne"),
    "ve": ("they", Agreement(3, plural=True), "unhone"),
}
OBJECTS = {"mujhe": ("me", 1), "tumhen": ("you", 2), "hamen": ("us", 1), "unhen": ("them", 3)}
COMPANY = {"mere": ("me", 1), "tumhare": ("you", 2), "hamare": ("us", 1), "unke": ("them", 3)}
# the determiners that agree, as adjectives do; a bare noun is "the"
OWNERS = {"my": "mera", "our": "hamara", "their": "unka"}
# direct and oblique, singular and plural
THIS = (("yah", "is"), ("ye", "in"))


def agree(text: str, agreement: Agreement, oblique: bool = False) -> str:
    """accha, acche, acchi; what does not end in -a stays."""
    return text[:-1] + _ending(agreement, oblique) if text.endswith("a") else text


def _ending(agreement: Agreement, oblique: bool = False) -> str:
    """-i for women, -e for many, for tum and in the oblique, otherwise -a."""
    return "i" if agreement.feminine else "e" if oblique or agreement.plural or agreement.person == 2 else "a"


def subject(pronoun: str, ergative: bool = False) -> Nominal:
    gloss, agreement, with_ne = SUBJECTS[pronoun]
    assert with_ne or not ergative, "usne is he or she"
    return Nominal(phrase(with_ne if ergative else pronoun.split()[0], gloss), agreement)


def noun_phrase(
    noun: Noun, determiner: str, adjective: Adjective | None = None, many: bool = False, oblique: bool = False
) -> Nominal:
    """Determiner, adjective, noun. English needs an article where Hindi has none: possibly from noun or adjective."""
    agreement = Agreement(3, many, noun.feminine)
    head = Word((noun.plural if many else noun.singular)[oblique])
    extra = (Word(agree(adjective.text, agreement, oblique)),) if adjective else ()
    first, gloss = _determiner(determiner, agreement, oblique, (*extra, head))
    thing = english.plural(noun.english) if many else noun.english
    name = noun.singular[0]
    shown: set[Combination] = {("hindi", "adjective", name, adjective.text)} if adjective else set()
    target = (
        gloss,
        *(Gloss(adjective.english, extra) for adjective in (adjective,) if adjective),
        Gloss(thing, (head,)),
    )
    return Nominal(Phrase((*first, *extra, head), target, frozenset(shown)), agreement, name, noun.traits)


def _determiner(
    name: str, agreement: Agreement, oblique: bool, rest: tuple[Word, ...]
) -> tuple[tuple[Word, ...], Gloss]:
    if name == "the":
        return (), Gloss("the", (), rest)
    if name == "a":
        text = "ek"
    elif name == "this":
        text, name = THIS[agreement.plural][oblique], "these" if agreement.plural else "this"
    else:
        text = agree(OWNERS[name], agreement, oblique)
    word = Word(text)
    return (word,), Gloss(name, (word,))


def mark(nominal: Nominal, postposition: str) -> Nominal:
    """`ne` or `ko` after an oblique noun phrase: possibly the noun's own word in English."""
    word = Word(postposition)
    *others, head = nominal.phrase.target
    target = (*others, Gloss(head.text, head.sure, (*head.possible, word)))
    marked = Phrase((*nominal.phrase.source, word), target, nominal.phrase.combinations)
    return Nominal(marked, nominal.agreement, nominal.noun, nominal.traits)


def conjugate(verb: Verb, tense: Tense, agreement: Agreement) -> tuple[Word, ...]:
    """dekhta hai, dekha tha, dekhega: the participle and what helps it, both agreeing with subject or object."""
    ending = _ending(agreement)
    if tense == "past":
        return Word(verb.perfective + ending), Word(was(agreement))
    if tense == "present":
        return Word(f"{verb.stem}t{ending}"), Word(be(agreement))
    if agreement.person == 2:
        return (Word(f"{verb.future}oge"),)
    if agreement.plural:
        return (Word(f"{glide(verb.future)}eng{ending}"),)
    return (Word(f"{verb.future}unga" if agreement.person == 1 else f"{glide(verb.future)}eg{ending}"),)


def be(agreement: Agreement) -> str:
    """hun, ho, hai, hain."""
    if agreement.person == 2:
        return "ho"
    return "hain" if agreement.plural else "hun" if agreement.person == 1 else "hai"


def was(agreement: Agreement) -> str:
    """tha, the, thi, thin."""
    return "thin" if agreement.feminine and agreement.plural else f"th{_ending(agreement)}"
