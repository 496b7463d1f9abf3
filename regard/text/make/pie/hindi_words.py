"""The romanised Hindi lexicon. Traits say what goes with what, as in the French one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun: direct and oblique singular, direct and oblique plural, its gender, its English and its traits."""

    singular: tuple[str, str]
    plural: tuple[str, str]
    feminine: bool
    english: str
    traits: frozenset[str]


@dataclass(frozen=True, slots=True)
class Adjective:
    """An adjective; one that ends in -a agrees, others never do."""

    text: str
    english: str
    traits: frozenset[str]

    @property
    def agrees(self) -> bool:
        return self.text.endswith("a")


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb: the stem of -ta hai, of -unga, of -a tha; the English, and the objects it takes."""

    stem: str
    future: str
    perfective: str
    english: str
    objects: frozenset[str] = frozenset()
    animal: bool = False  # an animal can do it


def _noun(text: str, gender: str, english: str, traits: str, plural: str = "") -> Noun:
    """The plural follows from gender and ending: ladka ladke, ladki ladkiyan, kitaab kitaaben, dost dost."""
    stem, oblique = text, text
    if gender == "m" and text.endswith("a") and not plural:
        stem, oblique, direct = text[:-1], f"{text[:-1]}e", f"{text[:-1]}e"
    elif gender == "m":
        direct = text
    else:
        direct = f"{text}yan" if text.endswith("i") else f"{text}en"
    many = f"{stem}yon" if text.endswith("i") else f"{stem}on"
    forms = (direct, many) if not plural else (plural.split()[0], plural.split()[1])
    return Noun((text, oblique), forms, gender == "f", english, frozenset(traits.split()))


def _adjective(text: str, english: str, traits: str) -> Adjective:
    return Adjective(text, english, frozenset(traits.split()))


def _verb(
    stem: str, english: str, objects: str = "", animal: bool = False, future: str = "", perfective: str = ""
) -> Verb:
    """dekh- makes dekha, bulaa- makes bulaaya."""
    future = future or stem
    return Verb(stem, future, perfective or glide(future), english, frozenset(objects.split()), animal)


def glide(stem: str) -> str:
    """A y between two vowels."""
    return f"{stem}y" if stem[-1] in "ao" else stem


NOUNS = (
    _noun("ladka", "m", "boy", "person young"),
    _noun("ladki", "f", "girl", "person young"),
    _noun("bachcha", "m", "child", "person young"),
    _noun("aadmi", "m", "man", "person adult"),
    _noun("aurat", "f", "woman", "person adult"),
    _noun("dost", "m", "friend", "person adult own"),
    _noun("bhai", "m", "brother", "person young own"),
    _noun("behan", "f", "sister", "person young own", plural="behnen behnon"),
    _noun("doctor", "m", "doctor", "person adult own"),
    _noun("kisaan", "m", "farmer", "person adult"),
    _noun("raja", "m", "king", "person adult", plural="raja rajaon"),
    _noun("rani", "f", "queen", "person adult"),
    _noun("kutta", "m", "dog", "animal own"),
    _noun("billi", "f", "cat", "animal own"),
    _noun("ghoda", "m", "horse", "animal own"),
    _noun("haathi", "m", "elephant", "animal"),
    _noun("kela", "m", "banana", "food"),
    _noun("seb", "m", "apple", "food red"),
    _noun("aam", "m", "mango", "food"),
    _noun("kitaab", "f", "book", "thing text coloured own"),
    _noun("chitthi", "f", "letter", "thing text own"),
    _noun("kahani", "f", "story", "text own"),
    _noun("chaabi", "f", "key", "thing own"),
    _noun("topi", "f", "hat", "thing coloured own"),
    _noun("kursi", "f", "chair", "thing coloured own"),
    _noun("gaadi", "f", "car", "thing coloured own"),
    _noun("bazaar", "m", "market", "place goal"),
    _noun("ghar", "m", "house", "place own"),
    _noun("gaanv", "m", "village", "place goal own"),
    _noun("mandir", "m", "temple", "place goal"),
    _noun("mahal", "m", "palace", "place goal own"),
    _noun("jangal", "m", "forest", "place goal"),
    _noun("bagicha", "m", "garden", "place goal own"),
    _noun("dukaan", "f", "shop", "place goal own"),
)

ADJECTIVES = (
    _adjective("chhota", "little", "young animal thing food place"),
    _adjective("bada", "big", "animal thing food place"),
    _adjective("boodha", "old", "adult animal"),
    _adjective("purana", "old", "thing place"),
    _adjective("naya", "new", "thing place"),
    _adjective("lamba", "tall", "person"),
    _adjective("accha", "good", "person animal text food"),
    _adjective("gareeb", "poor", "person"),
    _adjective("khush", "happy", "person"),
    _adjective("udaas", "sad", "person animal"),
    _adjective("bimar", "sick", "person animal"),
    _adjective("kaala", "black", "animal coloured"),
    _adjective("safed", "white", "animal coloured"),
    _adjective("laal", "red", "coloured red"),
    _adjective("meetha", "sweet", "food"),
    _adjective("sundar", "beautiful", "place thing"),
)

# Verbs whose object can be a person, and so a pronoun.
PERSONAL = (
    _verb("dekh", "see _", "person animal thing", animal=True),
    _verb("dhoondh", "look for _", "person animal thing", animal=True),
    _verb("bulaa", "call _", "person animal"),
    _verb("pahchaan", "recognise _", "person animal", animal=True),
    _verb("maar", "hit _", "person", animal=True),
    _verb("bachaa", "save _", "person animal", animal=True),
    _verb("pakad", "catch _", "person animal", animal=True, future="pakd"),
    _verb("jagaa", "wake _", "person animal", animal=True),
    _verb("rok", "stop _", "person animal"),
    _verb("daraa", "scare _", "person animal", animal=True),
)
HANDLING = (
    _verb("padh", "read _", "text"),
    _verb("khaa", "eat _", "food", animal=True),
    _verb("khareed", "buy _", "thing food"),
    _verb("bhej", "send _", "thing"),
)
GOING = _verb("jaa", "go _", animal=True, perfective="gay")
DOING = (
    _verb("so", "sleep _", animal=True),
    _verb("hans", "laugh _"),
    _verb("naach", "dance _"),
    _verb("baith", "sit _", animal=True),
)
SAYING = (_verb("jaan", "know _"), _verb("soch", "think _"))
