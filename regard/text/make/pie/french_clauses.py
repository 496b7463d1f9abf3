"""The clauses of French, and what can be added to them."""

from __future__ import annotations

from collections.abc import Iterable

from regard.text.make.pie import english
from regard.text.make.pie.english import Tense
from regard.text.make.pie.french import BEFORE_VOWEL, CLITICS, agree, starts_with_vowel
from regard.text.make.pie.french_words import AVOIR, ETAIS, ETRE, GOING, Adjective, Verb
from regard.text.make.pie.grammar import Agreement, Combination, Gloss, Nominal, Phrase, Word, concat, phrase

# the stressed pronouns, after a preposition
STRESSED = {"moi": "me", "toi": "you", "lui": "him", "elle": "her", "nous": "us", "vous": "you", "eux": "them"}
PLACES = {
    "dans": ("in", ""),
    "devant": ("in front of", "0-0 0-1 0p2"),
    "derrière": ("behind", ""),
    "près de": ("near", "0-0 1p0"),
}
TIMES: dict[Tense, tuple[tuple[str, str], ...]] = {
    "present": (("chaque jour", "every day"),),
    "past": (("hier", "yesterday"), ("ce matin", "this morning"), ("aujourd'hui", "today")),
    "going": (("demain", "tomorrow"), ("ce soir", "this evening"), ("aujourd'hui", "today")),
}
JOINTS = {"et": ("and", ""), "mais": ("but", ""), "donc": ("so", ""), "parce que": ("because", "0-0 1p0")}


def can_stand(clitic: str, verb: Verb, tense: Tense) -> bool:
    """Clitics are elided before an auxiliary only, where the participle tells him from her: il l'a vu, il l'a vue.

    il l'aide could be him or her; and il t'aide would hold a new word, were this combination held out.
    """
    return tense == "past" or clitic not in BEFORE_VOWEL or not starts_with_vowel(verb.infinitive)


def clause(
    subject: Nominal,
    verb: Verb,
    tense: Tense,
    *,
    negative: bool = False,
    clitic: str = "",
    complement: Phrase | None = None,
    adjuncts: Iterable[Phrase] = (),
) -> Phrase:
    """il ne m'a pas vu: subject, ne, clitic, finite verb, pas, participle. In the near future: il va me voir."""
    assert not clitic or can_stand(clitic, verb, tense)
    person = _index(subject.agreement)
    pronoun = (Word(clitic),) if clitic else ()
    ne, pas = ((Word("ne"),), (Word("pas"),)) if negative else ((), ())
    if tense == "present":
        main = Word(verb.present[person])
        helper: tuple[Word, ...] = ()
        group = (*ne, *pronoun, main, *pas)
    elif tense == "past":
        main = Word(_participle(verb, subject.agreement, clitic))
        helper = (Word((ETRE if verb.being else AVOIR)[person]),)
        group = (*ne, *pronoun, *helper, *pas, main)
    else:
        main, helper = Word(verb.infinitive), (Word(GOING.present[person]),)
        group = (*ne, *helper, *pas, *pronoun, main)

    complement = complement or Phrase()
    object_ = tuple(Gloss(CLITICS[clitic][0], (word,)) for word in pronoun) + complement.target
    no = tuple(Gloss("not", pas, ne) for _ in pas)
    shown: set[Combination] = {("french", "clitic", verb.infinitive, clitic)} if clitic else set()
    predicate = Phrase(
        group + complement.source,
        english.predicate(verb.english, subject.agreement, tense, main, helper, no, object_),
        complement.combinations | shown,
    )
    return concat((subject.phrase, predicate, *adjuncts))


def copula(subject: Nominal, adjective: Adjective, tense: Tense, negative: bool = False) -> Phrase:
    """Subject, être, adjective: la reine n'était pas heureuse."""
    person = _index(subject.agreement)
    be = Word((ETAIS if tense == "past" else ETRE)[person])
    what = Word(agree(adjective.masculine, adjective.feminine, subject.agreement))
    ne, pas = ((Word("ne"),), (Word("pas"),)) if negative else ((), ())
    target = (
        Gloss(english.be(subject.agreement, tense), (be,)),
        *(Gloss("not", pas, ne) for _ in pas),
        Gloss(adjective.english, (what,)),
    )
    shown: set[Combination] = {("french", "adjective", subject.noun, adjective.masculine)} if subject.noun else set()
    return subject.phrase + Phrase((*ne, be, *pas, what), target, frozenset(shown))


def relative(antecedent: Nominal) -> Nominal:
    """`qui` as the subject of a clause, agreeing with what it stands after."""
    who = "who" if "person" in antecedent.traits else "that"
    return Nominal(phrase("qui", who), antecedent.agreement, antecedent.noun, antecedent.traits)


def place(preposition: str, where: Nominal) -> Phrase:
    return phrase(preposition, *PLACES[preposition]) + where.phrase


def goal(where: Nominal | None) -> Phrase:
    """To a place, or home."""
    return phrase("à", "to") + where.phrase if where else phrase("à la maison", "home", "0p0 1p0 2-0")


def company(who: Nominal | str) -> Phrase:
    """With somebody: a noun phrase or a stressed pronoun."""
    return phrase("avec", "with") + (phrase(who, STRESSED[who]) if isinstance(who, str) else who.phrase)


def _index(agreement: Agreement) -> int:
    """je tu il nous vous ils."""
    return agreement.person - 1 + 3 * agreement.plural


def _participle(verb: Verb, subject: Agreement, clitic: str) -> str:
    """It agrees with the subject after être, with a direct object before avoir."""
    if verb.being:
        return agree(verb.participle, f"{verb.participle}e", subject)
    return agree(verb.participle, f"{verb.participle}e", CLITICS[clitic][1]) if clitic else verb.participle
