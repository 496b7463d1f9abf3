"""What the French speaker chooses to say: random sentences of the rules, with sense enough to be read."""

from __future__ import annotations

import random
from collections.abc import Sequence

from regard.text.make.pie.english import Tense
from regard.text.make.pie.french import CLITICS, SUBJECTS, noun_phrase, subject
from regard.text.make.pie.french_clauses import (
    JOINTS,
    PLACES,
    STRESSED,
    TIMES,
    can_stand,
    clause,
    company,
    copula,
    goal,
    place,
    relative,
)
from regard.text.make.pie.french_words import (
    ADJECTIVES,
    DOING,
    ENTARTER,
    GOING,
    HANDLING,
    NOUNS,
    PERSONAL,
    SAYING,
    Adjective,
    Verb,
)
from regard.text.make.pie.grammar import Nominal, Phrase, concat, phrase

TENSES: tuple[Tense, ...] = ("present", "present", "past", "past", "past", "going")
PERSON = {"moi": 1, "toi": 2, "nous": 1, "vous": 2}


def sentence(rng: random.Random) -> Phrase:
    """One clause, two that are joined, or one that somebody knows or thinks."""
    shape = rng.random()
    if shape < 0.55:
        return _clause(rng, _subject(rng))
    if shape < 0.88:
        joint = rng.choice(list(JOINTS))
        return concat((_clause(rng, _subject(rng)), phrase(joint, *JOINTS[joint]), _clause(rng, _subject(rng))))
    thought = phrase("que", "that") + _clause(rng, _subject(rng))
    return clause(subject(rng.choice(list(SUBJECTS))), rng.choice(SAYING), "present", complement=thought)


def _clause(rng: random.Random, who: Nominal, depth: int = 0) -> Phrase:
    """Somebody does something to somebody, to something, goes somewhere, or is some way."""
    tense, negative = rng.choice(TENSES), rng.random() < 0.25
    shape = rng.random()
    if shape < 0.14 and tense != "going" and (adjectives := _predicates(who)):
        return copula(who, rng.choice(adjectives), tense, negative)
    clitic, complement = "", None
    if shape < 0.48:
        verb = _verb(rng, who, (*PERSONAL, ENTARTER))  # twice as often: the corpus has its name from it
        clitic = _clitic(rng, who, verb, tense)
    elif shape < 0.74:
        verb = _verb(rng, who, HANDLING * 3 + PERSONAL)
        complement = _nominal(rng, verb.objects, depth, definite=negative).phrase
    elif shape < 0.88:
        verb = GOING
        complement = goal(_nominal(rng, {"goal"}, depth=1, definite=True) if rng.random() < 0.85 else None)
    else:
        verb = _verb(rng, who, DOING)
    adjuncts = _adjuncts(rng, who, tense, verb, pronoun=bool(clitic))
    return clause(who, verb, tense, negative=negative, clitic=clitic, complement=complement, adjuncts=adjuncts)


def _subject(rng: random.Random) -> Nominal:
    if rng.random() < 0.5:
        return subject(rng.choice(list(SUBJECTS)))
    return _nominal(rng, {"person"} if rng.random() < 0.8 else {"animal"}, depth=0)


def _nominal(rng: random.Random, traits: set[str] | frozenset[str], depth: int, definite: bool = False) -> Nominal:
    """A noun phrase of these traits; somebody outside of a relative clause may have one."""
    noun = rng.choice([noun for noun in NOUNS if noun.traits & traits])
    many = "person" in noun.traits and rng.random() < 0.25
    determiners = ["the", "the", "this"] + ["a"] * (not definite and not many)
    if "own" in noun.traits:
        determiners += ["my", "our", "their"]
    adjectives = [adjective for adjective in ADJECTIVES if adjective.traits & noun.traits]
    # things are said less often than people: they make up for it
    adjective = rng.choice(adjectives) if rng.random() < (0.75 if "thing" in noun.traits else 0.45) else None
    nominal = noun_phrase(noun, rng.choice(determiners), adjective, many)
    if depth == 0 and noun.traits & {"person", "animal"} and rng.random() < 0.12:
        more = nominal.phrase + _clause(rng, relative(nominal), depth=1)
        return Nominal(more, nominal.agreement, noun.text, noun.traits)
    return nominal


def _predicates(who: Nominal) -> list[Adjective]:
    """What can be said of somebody; of a noun with an adjective, nothing more."""
    if who.phrase.combinations:
        return []
    return [adjective for adjective in ADJECTIVES if adjective.traits & (who.traits or {"person"})]


def _verb(rng: random.Random, who: Nominal, verbs: Sequence[Verb]) -> Verb:
    return rng.choice([verb for verb in verbs if verb.animal or "animal" not in who.traits])


def _clitic(rng: random.Random, who: Nominal, verb: Verb, tense: Tense) -> str:
    """Nobody does it to himself."""
    person = who.agreement.person
    others = [name for name, (_, agreement) in CLITICS.items() if person == 3 or agreement.person != person]
    return rng.choice([name for name in others if can_stand(name, verb, tense)])


def _adjuncts(rng: random.Random, who: Nominal, tense: Tense, verb: Verb, pronoun: bool) -> list[Phrase]:
    """With whom (people sleep alone here), where (but for a verb that says whereto), when."""
    adjuncts: list[Phrase] = []
    if rng.random() < 0.18 and verb.infinitive != "dormir":
        others = [name for name in STRESSED if PERSON.get(name) != who.agreement.person]
        use_pronoun = not pronoun and rng.random() < 0.5
        adjuncts.append(company(rng.choice(others) if use_pronoun else _nominal(rng, {"person"}, depth=1)))
    if verb is not GOING and rng.random() < 0.35:
        preposition = rng.choice(list(PLACES))
        trait = {"dans": "inside", "près de": "place"}.get(preposition, "front")
        adjuncts.append(place(preposition, _nominal(rng, {trait}, depth=1)))
    if rng.random() < 0.2:
        adjuncts.append(phrase(*rng.choice(TIMES[tense])))
    return adjuncts
