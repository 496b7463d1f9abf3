"""What the Hindi speaker chooses to say: random sentences of the rules, with sense enough to be read."""

from __future__ import annotations

import random

from regard.text.make.pie.english import Tense
from regard.text.make.pie.grammar import Agreement, Nominal, Phrase, concat, phrase
from regard.text.make.pie.hindi import COMPANY, OBJECTS, OWNERS, SUBJECTS, mark, noun_phrase, subject
from regard.text.make.pie.hindi_clauses import JOINTS, PLACES, TIMES, clause, company, copula, place, pronoun
from regard.text.make.pie.hindi_words import ADJECTIVES, DOING, GOING, HANDLING, NOUNS, PERSONAL, SAYING, Verb

TENSES: tuple[Tense, ...] = ("present", "past", "will")
PERSON = {"my": 1, "our": 1, "their": 3}


def sentence(rng: random.Random) -> Phrase:
    """One clause, two that are joined, or one that somebody knows or thinks."""
    shape = rng.random()
    if shape < 0.4:
        return _clause(rng)
    if shape < 0.85:
        joint = rng.choice(list(JOINTS))
        return concat((_clause(rng), phrase(joint, JOINTS[joint]), _clause(rng)))
    who = subject(rng.choice(list(SUBJECTS)))
    return clause(who, rng.choice(SAYING), "present") + phrase("ki", "that") + _clause(rng)


def _clause(rng: random.Random) -> Phrase:
    """Somebody does something to somebody, to something, goes somewhere, or is some way."""
    tense, negative = rng.choice(TENSES), rng.random() < 0.25
    when = phrase(*rng.choice(TIMES[tense])) if rng.random() < 0.25 else None
    shape = rng.random()
    if shape < 0.14 and tense != "will":
        return _copula(rng, tense, negative)
    if shape < 0.7:
        return _transitive(rng, tense, negative, when, weak=shape < 0.44)
    who = _subject(rng)
    person, is_animal = who.agreement.person, "animal" in who.traits
    if shape < 0.85:
        adjuncts = _adjuncts(rng, person, GOING)
        where = _nominal(rng, {"goal"}, person, oblique=True, definite=True) if rng.random() < 0.85 else None
        home = None if where else phrase("ghar", "home")
        return clause(who, GOING, tense, negative=negative, complement=home, goal=where, when=when, adjuncts=adjuncts)
    verb = rng.choice([verb for verb in DOING if verb.animal or not is_animal])
    return clause(who, verb, tense, negative=negative, when=when, adjuncts=_adjuncts(rng, person, verb))


def _transitive(rng: random.Random, tense: Tense, negative: bool, when: Phrase | None, weak: bool) -> Phrase:
    """In the past the subject takes `ne`; the verb agrees with an object that has no `ko`, or else with nothing."""
    who = _subject(rng, ergative=tense == "past")
    person = who.agreement.person
    verbs = PERSONAL if weak else HANDLING * 3 + PERSONAL
    verb = rng.choice([verb for verb in verbs if verb.animal or "animal" not in who.traits])
    agreement = Agreement() if tense == "past" else None
    if weak:
        others = [name for name, (_, other) in OBJECTS.items() if person == 3 or other != person]
        complement = pronoun(rng.choice(others), verb)
    else:
        trait = rng.choice(sorted(verb.objects))
        alive = trait in ("person", "animal")
        what = _nominal(rng, {trait}, person, oblique=alive, definite=negative)
        complement = mark(what, "ko").phrase if alive else what.phrase
        agreement = what.agreement if agreement and not alive else agreement
    adjuncts = _adjuncts(rng, person, verb, weak)
    return clause(
        who, verb, tense, negative=negative, complement=complement, agreement=agreement, when=when, adjuncts=adjuncts
    )


def _copula(rng: random.Random, tense: Tense, negative: bool) -> Phrase:
    """vah khush hai could be he or she: it is said only with an adjective that tells."""
    if rng.random() < 0.5:
        who = _nominal(rng, {"person", "animal"}, 0, plain=True)
        return copula(who, rng.choice([one for one in ADJECTIVES if one.traits & who.traits]), tense, negative)
    name = rng.choice(list(SUBJECTS))
    tells = not name.startswith("vah") or tense == "past"
    adjectives = [one for one in ADJECTIVES if "person" in one.traits and (tells or one.agrees)]
    return copula(subject(name), rng.choice(adjectives), tense, negative)


def _subject(rng: random.Random, ergative: bool = False) -> Nominal:
    if rng.random() < 0.5:
        return subject(rng.choice([name for name in SUBJECTS if SUBJECTS[name][2] or not ergative]), ergative)
    who = _nominal(rng, {"person"} if rng.random() < 0.8 else {"animal"}, 0, oblique=ergative)
    return mark(who, "ne") if ergative else who


def _nominal(
    rng: random.Random,
    traits: set[str],
    person: int,
    oblique: bool = False,
    definite: bool = False,
    plain: bool = False,
) -> Nominal:
    """A noun phrase of these traits. What the subject owns would be apna: its own person owns nothing here."""
    noun = rng.choice([noun for noun in NOUNS if noun.traits & traits])
    # a plural that looks like its singular would not say how many
    many = "person" in noun.traits and (oblique or noun.plural[0] != noun.singular[0]) and rng.random() < 0.25
    determiners = ["the", "the", "the", "this"] + ["a"] * (not definite and not many)
    if "own" in noun.traits:
        determiners += [owner for owner in OWNERS if PERSON[owner] != person]
    adjectives = [adjective for adjective in ADJECTIVES if adjective.traits & noun.traits]
    # things are said less often than people: they make up for it
    described = not plain and rng.random() < (0.8 if "thing" in noun.traits else 0.5)
    adjective = rng.choice(adjectives) if described else None
    return noun_phrase(noun, rng.choice(determiners), adjective, many, oblique)


def _adjuncts(rng: random.Random, person: int, verb: Verb, weak: bool = False) -> list[Phrase]:
    """With whom (people sleep alone here), and where (but for a verb that says whereto)."""
    adjuncts: list[Phrase] = []
    if rng.random() < 0.18 and verb.stem != "so":
        others = [name for name, (_, other) in COMPANY.items() if other != person]
        use_pronoun = not weak and rng.random() < 0.5
        adjuncts.append(company(rng.choice(others) if use_pronoun else _nominal(rng, {"person"}, person, oblique=True)))
    if verb is not GOING and rng.random() < 0.4:
        adjuncts.append(place(_nominal(rng, {"place"}, person, oblique=True), rng.choice(list(PLACES))))
    return adjuncts
