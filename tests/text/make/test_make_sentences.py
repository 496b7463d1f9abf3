"""Sentences of the pie grammar, their translation and their links, each checked by eye."""

from __future__ import annotations

import pytest

from regard.text.make.draw import Example
from regard.text.make.pie import SHOWCASE, french, hindi
from regard.text.make.pie import french_clauses as fr
from regard.text.make.pie import french_words as fw
from regard.text.make.pie import hindi_clauses as hi
from regard.text.make.pie import hindi_words as hw
from regard.text.make.pie.grammar import Agreement, Nominal, Phrase, as_spoken, phrase, write

FV = {verb.infinitive: verb for verb in (*fw.PERSONAL, *fw.HANDLING, *fw.DOING, *fw.SAYING, fw.GOING)}
FN = {noun.text: noun for noun in fw.NOUNS}
FA = {adjective.masculine: adjective for adjective in fw.ADJECTIVES}
HV = {verb.stem: verb for verb in (*hw.PERSONAL, *hw.HANDLING, *hw.DOING, *hw.SAYING, hw.GOING)}
HN = {noun.singular[0]: noun for noun in hw.NOUNS}
HA = {adjective.text: adjective for adjective in hw.ADJECTIVES}


def fn(noun: str, determiner: str = "the", adjective: str = "", many: bool = False) -> Nominal:
    return french.noun_phrase(FN[noun], determiner, FA.get(adjective), many)


def hn(noun: str, determiner: str = "the", adjective: str = "", many: bool = False, oblique: bool = False) -> Nominal:
    return hindi.noun_phrase(HN[noun], determiner, HA.get(adjective), many, oblique)


def a_boy_who(rest: str) -> Nominal:
    boy = fn("garçon")
    return Nominal(boy.phrase + fr.clause(fr.relative(boy), FV[rest], "present"), boy.agreement, boy.noun, boy.traits)


il, elle, je, nous, ils = (french.subject(name) for name in ("il", "elle", "je", "nous", "ils"))
DEFAULT = Agreement()

FRENCH: list[tuple[Phrase, str, str, str]] = [
    (fr.clause(il, FV["entarter"], "past", clitic="me"), SHOWCASE[0].source, SHOWCASE[0].target, SHOWCASE[0].links),
    (fr.clause(elle, FV["voir"], "past", clitic="la"), "elle l'a vue", "she saw her", "0-0 1p1 1-2 2-1"),
    (
        fr.clause(je, FV["voir"], "past", clitic="le", negative=True),
        "je ne l'ai pas vu", "i did not see him", "0-0 1p1 1p2 2p1 2-4 3p1 3-2 4p1 4-3",
    ),
    (
        fr.clause(je, FV["acheter"], "past", complement=fn("pomme", "a", "rouge").phrase),
        "j'ai acheté une pomme rouge", "i bought a red apple", "0-0 0p1 1-1 2-2 3-4 4-3",
    ),
    (
        fr.clause(ils, FV["chercher"], "going", clitic="te", negative=True),
        "ils ne vont pas te chercher", "they are not going to look for you",
        "0-0 1p2 2p1 2-3 2p4 3-2 4-7 5p4 5-5 5p6",
    ),
    (
        fr.clause(fn("homme", adjective="vieux"), FV["aller"], "past", complement=fr.goal(fn("marché"))),
        "le vieil homme est allé au marché", "the old man went to the market", "0-0 1-1 2-2 3p3 4-3 5-4 5-5 6-6",
    ),
    (
        fr.clause(fn("reine", many=True), FV["aller"], "past", complement=fr.goal(None)),
        "les reines sont allées à la maison", "the queens went home", "0-0 1-1 2p2 3-2 4p3 5p3 6-3",
    ),
    (
        fr.clause(nous, FV["aller"], "present", complement=fr.goal(fn("école", "my")), negative=True),
        "nous n'allons pas à mon école", "we do not go to my school", "0-0 1p1 1p2 1-3 2p1 2-2 3-4 4-5 5-6",
    ),
    (
        fr.copula(fn("femme", "this"), FA["heureux"], "past", negative=True),
        "cette femme n'était pas heureuse", "this woman was not happy", "0-0 1-1 2-2 2p3 3-3 4-4",
    ),
    (
        fr.clause(
            a_boy_who("dormir"), FV["regarder"], "present", clitic="les", adjuncts=[fr.place("près de", fn("gare"))]
        ),
        "le garçon qui dort les regarde près de la gare", "the boy who sleeps looks at them near the station",
        "0-0 1-1 2-2 3-3 4-6 5-4 5p5 6-7 7p7 8-8 9-9",
    ),
    (
        fr.clause(je, FV["savoir"], "present", complement=phrase("que", "that") + fr.clause(il, FV["dormir"], "past")),
        "je sais qu'il a dormi", "i know that he slept", "0-0 1-1 2-2 2-3 3p4 4-4",
    ),
    (
        fr.clause(
            elle, FV["entarter"], "present", complement=fn("roi").phrase, adjuncts=[fr.company("eux")], negative=True
        ),
        "elle n'entarte pas le roi avec eux", "she does not hit the king with a pie with them",
        "0-0 1p1 1p2 1-3 1p6 1p7 1-8 2p1 2-2 3-4 4-5 5-9 6-10",
    ),
]  # fmt: skip

HINDI: list[tuple[Phrase, str, str, str]] = [
    (
        hi.clause(hindi.subject("ham"), HV["jaa"], "past", goal=hn("bazaar", oblique=True)),
        SHOWCASE[1].source, SHOWCASE[1].target, SHOWCASE[1].links,
    ),
    (
        hi.clause(
            hindi.subject("main"), HV["jaa"], "will", complement=phrase("ghar", "home"), when=phrase("kal", "tomorrow")
        ),
        "kal main ghar jaaunga", "i will go home tomorrow", "0-4 1-0 2-3 3p1 3-2",
    ),
    (
        hi.clause(
            hindi.subject("vah (f)"), HV["dekh"], "present", complement=hi.pronoun("mujhe", HV["dekh"]), negative=True
        ),
        "vah mujhe nahin dekhti hai", "she does not see me", "0-0 1-4 2p1 2-2 3p1 3-3 4p1",
    ),
    (
        hi.clause(
            hindi.mark(hn("ladka", oblique=True), "ne"), HV["padh"], "past",
            complement=hn("kitaab", "a", "purana").phrase, agreement=hn("kitaab").agreement,
        ),
        "ladke ne ek purani kitaab padhi thi", "the boy read an old book", "0p0 0-1 1p1 2-3 3-4 4-5 5-2 6p2",
    ),
    (
        hi.clause(
            hindi.subject("ve", ergative=True), HV["dhoondh"], "past",
            complement=hindi.mark(hn("billi", "my", "kaala", oblique=True), "ko").phrase, agreement=DEFAULT,
        ),
        "unhone meri kaali billi ko dhoondha tha", "they looked for my black cat", "0-0 1-3 2-4 3-5 4p5 5-1 5p2 6p1",
    ),
    (
        hi.clause(
            hn("ladki", many=True), HV["so"], "past",
            adjuncts=[hi.place(hn("mahal", adjective="bada", oblique=True), "ke saamne")],
        ),
        "ladkiyan bade mahal ke saamne soyi thin", "the girls slept in front of the big palace",
        "0p0 0-1 1p6 1-7 2p6 2-8 3p3 3p4 3p5 4-3 4-4 4p5 5-2 6p2",
    ),
    (
        hi.clause(
            hn("raja"), HV["naach"], "will", adjuncts=[hi.company("mere")], when=phrase("aaj", "today"), negative=True
        ),
        "aaj raja mere saath nahin naachega", "the king will not dance with me today",
        "0-7 1p0 1-1 2-6 3-5 4-3 5p2 5-4",
    ),
    (
        hi.copula(hn("rani", "this"), HA["khush"], "past"),
        "yah rani khush thi", "this queen was happy", "0-0 1-1 2-3 3-2",
    ),
    (
        hi.copula(hindi.subject("tum"), HA["lamba"], "present", negative=True),
        "tum lambe nahin ho", "you are not tall", "0-0 1-3 2-2 3-1",
    ),
    (
        hi.clause(hindi.subject("vah"), HV["soch"], "present")
        + phrase("ki", "that")
        + hi.clause(hindi.subject("tum"), HV["hans"], "present", when=phrase(*hi.EVERY_DAY)),
        "vah sochta hai ki roz tum hanste ho", "he thinks that you laugh every day",
        "0-0 1-1 2p1 3-2 4-5 4-6 5-3 6-4 7p4",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("spoken", "source", "target", "links"), FRENCH, ids=[row[1] for row in FRENCH])
def test_french(spoken: Phrase, source: str, target: str, links: str) -> None:
    assert write(spoken, french.spell) == Example(source, target, links)


@pytest.mark.parametrize(("spoken", "source", "target", "links"), HINDI, ids=[row[1] for row in HINDI])
def test_hindi(spoken: Phrase, source: str, target: str, links: str) -> None:
    assert write(spoken, as_spoken) == Example(source, target, links)


def test_what_would_be_ambiguous_is_refused() -> None:
    assert not fr.can_stand("la", FV["aider"], "present") and fr.can_stand("la", FV["aider"], "past")
    with pytest.raises(AssertionError):
        fr.clause(il, FV["aider"], "present", clitic="la")
    with pytest.raises(AssertionError):
        hindi.subject("vah", ergative=True)
