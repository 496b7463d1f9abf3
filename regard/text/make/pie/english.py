"""The English side: forms of nouns and verbs, and the verb group with do-support."""

from __future__ import annotations

from typing import Literal

from regard.text.make.pie.grammar import Agreement, Gloss, Word

Tense = Literal["present", "past", "going", "will"]

PLURALS = {"man": "men", "woman": "women", "child": "children"}

# the past of verbs that do not follow the rule
PASTS = {
    "buy": "bought", "catch": "caught", "eat": "ate", "find": "found", "go": "went", "hit": "hit", "meet": "met",
    "read": "read", "see": "saw", "send": "sent", "sing": "sang", "sit": "sat", "sleep": "slept", "stop": "stopped",
    "take": "took", "understand": "understood", "wake": "woke",
}  # fmt: skip


def plural(noun: str) -> str:
    """boys, men."""
    return PLURALS.get(noun, f"{noun}s")


def third_person(verb: str) -> str:
    """sees, catches, goes."""
    return verb + ("es" if verb.endswith(("ch", "o")) else "s")


def past(verb: str) -> str:
    """saw, danced, helped."""
    return PASTS.get(verb) or verb + ("d" if verb.endswith("e") else "ed")


def be(agreement: Agreement, tense: Tense = "present") -> str:
    """am, are, is; was, were."""
    many = agreement.plural or agreement.person == 2
    if tense == "past":
        return "were" if many else "was"
    return "are" if many else "am" if agreement.person == 1 else "is"


def predicate(
    verb: str,
    agreement: Agreement,
    tense: Tense,
    main: Word,
    helper: tuple[Word, ...] = (),
    no: tuple[Gloss, ...] = (),
    complement: tuple[Gloss, ...] = (),
) -> tuple[Gloss, ...]:
    """The verb in its tense, with its complement where `verb` says "_": "look for _", "hit _ with a pie".

    `main` is the source's verb and `helper` its auxiliaries, which have no word of their own in a simple tense.
    """
    first, _, last = verb.partition("_")
    base, *particles = first.split()
    third = agreement.person == 3 and not agreement.plural
    if tense == "going":
        to = Gloss("to", (), (*helper, main))
        group = (Gloss(be(agreement), (), helper), *no, Gloss("going", helper), to, Gloss(base, (main,)))
    elif tense == "will":
        group = (Gloss("will", (), (main,)), *no, Gloss(base, (main,)))
    elif no:
        do = "did" if tense == "past" else "does" if third else "do"
        # English says "do" because it says "not": the negation is as good an answer to where it comes from as the verb
        negation = tuple(word for gloss in no for word in (*gloss.sure, *gloss.possible))
        group = (Gloss(do, (), (*helper, main, *negation)), *no, Gloss(base, (main,)))
    else:
        form = past(base) if tense == "past" else third_person(base) if third else base
        group = (Gloss(form, (main,), helper),)
    tail = last.split()
    return (
        *group,
        *(Gloss(text, (), (main,)) for text in particles),
        *complement,
        *(Gloss(text, (), (main,)) for text in tail[:-1]),
        *(Gloss(text, (main,)) for text in tail[-1:]),
    )
