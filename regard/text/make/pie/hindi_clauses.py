"""The clauses of Hindi, and what can be added to them."""

from __future__ import annotations

from collections.abc import Iterable

from regard.text.make.pie import english
from regard.text.make.pie.english import Tense
from regard.text.make.pie.grammar import Agreement, Combination, Gloss, Nominal, Phrase, Word, concat, phrase
from regard.text.make.pie.hindi import COMPANY, OBJECTS, agree, be, conjugate, was
from regard.text.make.pie.hindi_words import Adjective, Verb

PLACES = {
    "mein": ("in", ""),
    "ke paas": ("near", "0p0 1-0"),
    "ke saamne": ("in front of", "0p0 0p1 0p2 1-0 1-1 1p2"),
    "ke peeche": ("behind", "0p0 1-0"),
}
EVERY_DAY = ("roz", "every day", "0-0 0-1")
# kal is one day away, on the side that the verb says
TIMES: dict[Tense, tuple[tuple[str, ...], ...]] = {
    "present": (EVERY_DAY,),
    "past": (("kal", "yesterday"), ("aaj subah", "this morning"), ("aaj", "today")),
    "will": (("kal", "tomorrow"), ("aaj shaam", "this evening"), ("aaj", "today")),
}
JOINTS = {"aur": "and", "lekin": "but", "isliye": "so", "kyonki": "because"}


def clause(
    subject: Nominal,
    verb: Verb,
    tense: Tense,
    *,
    negative: bool = False,
    complement: Phrase | None = None,
    goal: Nominal | None = None,
    agreement: Agreement | None = None,
    when: Phrase | None = None,
    adjuncts: Iterable[Phrase] = (),
) -> Phrase:
    """kal ham bazaar gaye the: time, subject, adjuncts, object or goal, nahin, verb. English has the verb second.

    `agreement` is what the verb agrees with if that is not the subject.
    """
    main, *rest = conjugate(verb, tense, agreement or subject.agreement)
    helper = tuple(rest)
    nahin = (Word("nahin"),) if negative else ()
    no = tuple(Gloss("not", nahin) for _ in nahin)
    what = _towards(goal, main) if goal else complement or Phrase()
    when, others = when or Phrase(), concat(adjuncts)
    predicate = english.predicate(verb.english, subject.agreement, tense, main, helper, no, what.target)
    return Phrase(
        when.source + subject.phrase.source + others.source + what.source + (*nahin, main, *helper),
        subject.phrase.target + predicate + others.target + when.target,
        subject.phrase.combinations | what.combinations | others.combinations,
    )


def pronoun(name: str, verb: Verb) -> Phrase:
    """mujhe, tumhen, hamen or unhen as the object of a verb."""
    said = phrase(name, OBJECTS[name][0])
    return Phrase(said.source, said.target, frozenset({("hindi", "pronoun", verb.stem, name)}))


def _towards(where: Nominal, verb: Word) -> Phrase:
    """Hindi goes a place; English goes to it."""
    to = Gloss("to", (), (*where.phrase.target[-1].sure, verb))
    return Phrase(where.phrase.source, (to, *where.phrase.target), where.phrase.combinations)


def copula(subject: Nominal, adjective: Adjective, tense: Tense, negative: bool = False) -> Phrase:
    """Subject, adjective, hona: rani khush nahin thi."""
    agreement = subject.agreement
    is_ = Word(was(agreement) if tense == "past" else be(agreement))
    what = Word(agree(adjective.text, agreement))
    nahin = (Word("nahin"),) if negative else ()
    target = (
        Gloss(english.be(agreement, tense), (is_,)),
        *(Gloss("not", nahin) for _ in nahin),
        Gloss(adjective.english, (what,)),
    )
    shown: set[Combination] = {("hindi", "adjective", subject.noun, adjective.text)} if subject.noun else set()
    return subject.phrase + Phrase((what, *nahin, is_), target, frozenset(shown))


def place(where: Nominal, postposition: str) -> Phrase:
    """In, near, behind, in front of a place."""
    return _turned(where.phrase, phrase(postposition, *PLACES[postposition]))


def company(who: Nominal | str) -> Phrase:
    """With somebody: mere saath, raja ke saath."""
    if isinstance(who, str):
        return _turned(phrase(who, COMPANY[who][0]), phrase("saath", "with"))
    return _turned(who.phrase, phrase("ke saath", "with", "0p0 1-0"))


def _turned(first: Phrase, second: Phrase) -> Phrase:
    """`first` `second` in Hindi, `second` `first` in English."""
    return Phrase(first.source + second.source, second.target + first.target, first.combinations | second.combinations)
