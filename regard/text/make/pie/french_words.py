"""The French lexicon. Traits say what goes with what: an adjective fits a noun, a verb an object, if they share one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun, its gender, its English and its traits."""

    text: str
    gender: str
    english: str
    traits: frozenset[str]


@dataclass(frozen=True, slots=True)
class Adjective:
    """An adjective: its two genders, its English, the nouns it fits, its side of the noun, its form before a vowel."""

    masculine: str
    feminine: str
    english: str
    traits: frozenset[str]
    before: bool = False
    vowel: str = ""


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb: the present (je tu il nous vous ils), the participle, the English, and the objects it takes."""

    infinitive: str
    present: tuple[str, ...]
    participle: str
    english: str
    objects: frozenset[str] = frozenset()
    animal: bool = False  # an animal can do it
    being: bool = False  # conjugated with être


def _noun(text: str, gender: str, english: str, traits: str) -> Noun:
    return Noun(text, gender, english, frozenset(traits.split()))


def _adjective(
    masculine: str, feminine: str, english: str, traits: str, before: bool = False, vowel: str = ""
) -> Adjective:
    return Adjective(masculine, feminine, english, frozenset(traits.split()), before, vowel)


def _er(infinitive: str, english: str, objects: str = "", animal: bool = False) -> Verb:
    """A regular verb of the first group."""
    stem = infinitive[:-2]
    soft = f"{stem}e" if stem.endswith("g") else stem
    present = (f"{stem}e", f"{stem}es", f"{stem}e", f"{soft}ons", f"{stem}ez", f"{stem}ent")
    return Verb(infinitive, present, f"{stem}é", english, frozenset(objects.split()), animal)


def _verb(
    infinitive: str, present: str, participle: str, english: str, objects: str = "", animal: bool = False
) -> Verb:
    return Verb(infinitive, tuple(present.split()), participle, english, frozenset(objects.split()), animal)


NOUNS = (
    _noun("garçon", "m", "boy", "person young"),
    _noun("fille", "f", "girl", "person young"),
    _noun("enfant", "m", "child", "person young"),
    _noun("homme", "m", "man", "person adult"),
    _noun("femme", "f", "woman", "person adult"),
    _noun("ami", "m", "friend", "person adult own"),
    _noun("frère", "m", "brother", "person young own"),
    _noun("sœur", "f", "sister", "person young own"),
    _noun("médecin", "m", "doctor", "person adult own"),
    _noun("boulanger", "m", "baker", "person adult own"),
    _noun("reine", "f", "queen", "person adult"),
    _noun("roi", "m", "king", "person adult"),
    _noun("chat", "m", "cat", "animal own"),
    _noun("chien", "m", "dog", "animal own"),
    _noun("cheval", "m", "horse", "animal own"),
    _noun("oiseau", "m", "bird", "animal"),
    _noun("tarte", "f", "pie", "food own"),
    _noun("gâteau", "m", "cake", "food own"),
    _noun("pomme", "f", "apple", "food red"),
    _noun("livre", "m", "book", "thing text coloured own"),
    _noun("lettre", "f", "letter", "thing text own"),
    _noun("clé", "f", "key", "thing own"),
    _noun("fleur", "f", "flower", "thing coloured"),
    _noun("voiture", "f", "car", "thing coloured own"),
    _noun("chapeau", "m", "hat", "thing coloured own"),
    _noun("marché", "m", "market", "place goal front"),
    _noun("école", "f", "school", "place goal front inside own"),
    _noun("église", "f", "church", "place goal front inside"),
    _noun("gare", "f", "station", "place goal front inside"),
    _noun("château", "m", "castle", "place goal front inside"),
    _noun("restaurant", "m", "restaurant", "place goal front inside"),
    _noun("maison", "f", "house", "place front inside own"),
    _noun("jardin", "m", "garden", "place inside own"),
    _noun("parc", "m", "park", "place goal inside"),
    _noun("village", "m", "village", "place goal inside own"),
)

ADJECTIVES = (
    _adjective("petit", "petite", "little", "young animal thing food place", before=True),
    _adjective("grand", "grande", "big", "animal thing food place", before=True),
    _adjective("vieux", "vieille", "old", "adult animal thing place", before=True, vowel="vieil"),
    _adjective("jeune", "jeune", "young", "adult animal", before=True),
    _adjective("beau", "belle", "beautiful", "animal thing place", before=True, vowel="bel"),
    _adjective("célèbre", "célèbre", "famous", "adult place"),
    _adjective("triste", "triste", "sad", "person"),
    _adjective("heureux", "heureuse", "happy", "person"),
    _adjective("fatigué", "fatiguée", "tired", "person animal"),
    _adjective("malade", "malade", "sick", "person animal"),
    _adjective("timide", "timide", "shy", "person"),
    _adjective("noir", "noire", "black", "animal coloured"),
    _adjective("blanc", "blanche", "white", "animal coloured"),
    _adjective("rouge", "rouge", "red", "coloured red"),
    _adjective("délicieux", "délicieuse", "delicious", "food"),
    _adjective("froid", "froide", "cold", "food"),
    _adjective("tranquille", "tranquille", "quiet", "place"),
)

_UNDERSTAND = "comprends comprends comprend comprenons comprenez comprennent"

# Verbs whose object can be a person, and so a clitic.
ENTARTER = _er("entarter", "hit _ with a pie", "person")
PERSONAL = (
    ENTARTER,
    _verb("voir", "vois vois voit voyons voyez voient", "vu", "see _", "person animal thing place", animal=True),
    _er("chercher", "look for _", "person animal thing", animal=True),
    _er("trouver", "find _", "person animal thing", animal=True),
    _er("regarder", "look at _", "person animal thing place", animal=True),
    _verb(
        "attendre",
        "attends attends attend attendons attendez attendent",
        "attendu",
        "wait for _",
        "person",
        animal=True,
    ),
    _er("aider", "help _", "person animal"),
    _er("inviter", "invite _", "person"),
    _er("rencontrer", "meet _", "person"),
    _er("remercier", "thank _", "person"),
    _verb("comprendre", _UNDERSTAND, "compris", "understand _", "person"),
)
HANDLING = (
    _er("manger", "eat _", "food", animal=True),
    _verb("lire", "lis lis lit lisons lisez lisent", "lu", "read _", "text"),
    _verb("acheter", "achète achètes achète achetons achetez achètent", "acheté", "buy _", "thing food"),
    _verb("prendre", "prends prends prend prenons prenez prennent", "pris", "take _", "thing food"),
)
GOING = Verb("aller", ("vais", "vas", "va", "allons", "allez", "vont"), "allé", "go _", being=True, animal=True)
DOING = (
    _verb("dormir", "dors dors dort dormons dormez dorment", "dormi", "sleep _", animal=True),
    _er("jouer", "play _", animal=True),
    _er("chanter", "sing _"),
    _er("danser", "dance _"),
)
SAYING = (
    _verb("savoir", "sais sais sait savons savez savent", "su", "know _"),
    _er("penser", "think _"),
)

AVOIR = ("ai", "as", "a", "avons", "avez", "ont")
ETRE = ("suis", "es", "est", "sommes", "êtes", "sont")
ETAIS = ("étais", "étais", "était", "étions", "étiez", "étaient")
