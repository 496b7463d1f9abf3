from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from regard.text.make import make, pie
from regard.text.make.draw import Example
from regard.text.make.pie import SHOWCASE, combinations, french, french_words, hindi, hindi_words
from regard.text.make.pie.grammar import Combination, Phrase, Spelling, write

Splits = dict[str, list[Example]]
Shown = dict[str, frozenset[Combination]]
SEED = 1


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Splits, Shown]:
    """The whole corpus as its files say it, and the combinations that the grammar used for each sentence."""
    out = tmp_path_factory.mktemp("pie") / "data"
    shown: Shown = {}

    def watched(sentence: Phrase, spelling: Spelling) -> Example:
        example = write(sentence, spelling)
        shown[example.source] = sentence.combinations
        return example

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pie, "write", watched)
        assert make("pie", out, seed=SEED) == {"train": 12_000, "valid": 600, "test": 1_200}
    return {split: _read(out, split) for split in ("train", "valid", "test")}, shown


def _read(out: Path, split: str) -> list[Example]:
    pairs = (out / f"{split}.tsv").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    links = (out / f"{split}.align").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return [Example(*pair.split("\t"), link) for pair, link in zip(pairs, links, strict=True)]


@pytest.fixture(scope="module")
def splits(made: tuple[Splits, Shown]) -> Splits:
    return made[0]


@pytest.fixture(scope="module")
def everything(splits: Splits) -> list[Example]:
    return [example for examples in splits.values() for example in examples]


def test_no_source_twice_and_no_showcase(splits: Splits, everything: list[Example]) -> None:
    sources = [example.source for example in everything]
    assert len(set(sources)) == len(sources) == 13_800
    assert not {example.source for example in SHOWCASE} & set(sources)
    for split, examples in splits.items():
        hindi_share = sum(_is_hindi(one) for one in examples) / len(examples)
        assert 0.45 < hindi_share < 0.55, split


def _is_hindi(example: Example) -> bool:
    return bool(re.search(r"\b(ha[in]+|hun|ho|th[aei]n?|\w+(unga|oge|eg[ai]|eng[ei]))\b", example.source))


def test_the_showcase_is_prepared_for(splits: Splits) -> None:
    """Its words and constructions are in training, only the sentences are not."""
    train = "\n".join(f" {example.source} " for example in splits["train"])
    for part, times in {" m'a ": 50, "entarté": 50, " m'a entarté ": 5, " bazaar ": 200, " gaye the ": 50}.items():
        assert train.count(part) >= times, part
    assert re.search(r" (elle|tu|vous|ils|elles) m'\w+ entarté ", train)
    assert re.search(r" bazaar gay[aei] th", train) and re.search(r" ham [\w ]*gaye the ", train)


def test_lengths_spread(everything: list[Example]) -> None:
    lengths = [(len(example.source.split()), len(example.target.split())) for example in everything]
    assert all(3 <= length <= 25 for pair in lengths for length in pair)
    assert {source for source, _ in lengths} == set(range(3, 26))
    assert 0.25 < sum(source > 12 for source, _ in lengths) / len(lengths) < 0.5


def test_vocabulary_is_moderate_and_known_in_training(splits: Splits) -> None:
    known = Counter(word for example in splits["train"] for word in example.source.split())
    spoken = {word for example in splits["train"] for word in example.target.split()}
    assert len(known) < 800 and 150 < len(spoken) < 300
    tested = [word for example in splits["test"] for word in example.source.split()]
    assert sum(word not in known for word in tested) / len(tested) < 0.001
    assert {word for example in splits["test"] for word in example.target.split()} <= spoken


def test_links_are_in_range_and_leave_no_word_out(everything: list[Example]) -> None:
    for example in everything:
        links = [re.fullmatch(r"(\d+)([-p])(\d+)", link) for link in example.links.split(" ")]
        places = [(int(link[1]), int(link[3])) for link in links if link]
        assert len(places) == len(links) == len(set(places)), example
        assert {row for row, _ in places} == set(range(len(example.source.split()))), example
        assert {column for _, column in places} == set(range(len(example.target.split()))), example


def test_held_out_combinations_are_in_every_test_sentence_and_nowhere_else(made: tuple[Splits, Shown]) -> None:
    splits, shown = made
    held = pie.held_out(SEED)
    assert not any(shown[example.source] & held for split in ("train", "valid") for example in splits[split])
    assert all(shown[example.source] & held for example in splits["test"])


def test_words_of_held_out_combinations_are_frequent_in_other_company(made: tuple[Splits, Shown]) -> None:
    splits, shown = made
    seen = Counter((one[:2], word) for example in splits["train"] for one in shown[example.source] for word in one[2:])
    for one in pie.held_out(SEED):
        assert all(seen[one[:2], word] >= 20 for word in one[2:]), one


@pytest.mark.parametrize("seed", range(5))
def test_how_much_is_held_out(seed: int) -> None:
    everything, held = Counter(one[:2] for one in combinations()), Counter(one[:2] for one in pie.held_out(seed))
    assert all(0.1 <= held[kind] / count <= 0.15 for kind, count in everything.items())
    assert ("french", "clitic", "entarter", "me") not in pie.held_out(seed)
    assert pie.held_out(seed) != pie.held_out(seed + 1)


def test_combinations_are_those_that_can_be_read(made: tuple[Splits, Shown]) -> None:
    """Verb and object pronoun are found again in the text alone, adjectives beside their nouns too."""
    _, shown = made
    sources = list(shown)[::5]
    for source in sources:
        found = _read_combinations(source)
        assert found <= shown[source], source
        assert {one for one in shown[source] if one[1] in ("clitic", "pronoun")} <= found, source
    assert sum(len(_read_combinations(source)) for source in sources[:500]) > 300


FRENCH_VERBS = {
    form: verb.infinitive
    for verb in french_words.PERSONAL
    for form in (verb.infinitive, *verb.present, *(verb.participle + ending for ending in ("", "e", "s", "es")))
}
HINDI_VERBS = {
    form: verb.stem
    for verb in hindi_words.PERSONAL
    for form in (
        *(f"{verb.stem}t{ending}" for ending in "aei"),
        *(f"{verb.perfective}{ending}" for ending in "aei"),
        *(f"{verb.future}{ending}" for ending in ("unga", "oge")),
        *(f"{hindi_words.glide(verb.future)}{ending}" for ending in ("ega", "egi", "enge", "engi")),
    )
}
FRENCH_NOUNS = {form: noun.text for noun in french_words.NOUNS for form in (noun.text, french.plural(noun.text))}
HINDI_NOUNS = {form: noun.singular[0] for noun in hindi_words.NOUNS for form in (*noun.singular, *noun.plural)}
FRENCH_ADJECTIVES = {
    form: one
    for one in french_words.ADJECTIVES
    for base in (one.masculine, one.feminine, one.vowel)
    for form in (base, french.plural(base))
}
HINDI_ADJECTIVES = {
    hindi.agree(one.text, agreement): one.text
    for one in hindi_words.ADJECTIVES
    for agreement in (french.MAN, french.WOMAN, french.MEN)
}


def _read_combinations(source: str) -> set[Combination]:
    words = ["", *re.findall(r"[^\s']+'?", source), ""]
    found: set[Combination] = set()
    for index, word in enumerate(words[1:-1], start=1):
        before, after = words[index - 1], words[index + 1]
        verb = next(text for text in words[index + 1 :] if text not in (*french_words.AVOIR, "pas", "nahin"))
        if word in hindi.OBJECTS and verb in HINDI_VERBS:
            found.add(("hindi", "pronoun", HINDI_VERBS[verb], word))
        if word in HINDI_ADJECTIVES and after in HINDI_NOUNS:
            found.add(("hindi", "adjective", HINDI_NOUNS[after], HINDI_ADJECTIVES[word]))
        clitic = {"m'": "me", "t'": "te", "l'": "la" if verb.endswith("e") else "le"}.get(word, word)
        is_subject = after.endswith({"nous": "ons", "vous": "ez"}.get(clitic, "?"))
        if clitic in french.CLITICS and verb in FRENCH_VERBS and before != "avec" and not is_subject:
            found.add(("french", "clitic", FRENCH_VERBS[verb], clitic))
        adjective = FRENCH_ADJECTIVES.get(word)
        beside = after if adjective and adjective.before else before
        if adjective and beside in FRENCH_NOUNS:
            found.add(("french", "adjective", FRENCH_NOUNS[beside], adjective.masculine))
    return found


def test_elision_and_articles_are_right(everything: list[Example]) -> None:
    vowel = "[aeiouhâéèêœ]"
    wrong = re.compile(
        rf"(?<!\S)(?:(?:je|me|te|le|la|ne|de|que|ce|ma) {vowel}|(?:à|de) les? |"
        r"(?:un|ce|le) (?:beau|vieux) (?:homme|ami|oiseau)\b|"
        rf"(?:[jmtlnd]|qu)'(?!{vowel})|\S*' )"
    )
    french_only = [example for example in everything if not _is_hindi(example)]
    assert sum("'" in example.source for example in french_only) > 2_000
    for example in french_only:
        assert not wrong.search(example.source), example.source
    for example in everything:
        assert not re.search(r"\ba [aeiou]|\ban [^aeiou]", example.target), example.target
        assert example.source == example.source.lower() and example.target == example.target.lower()


@pytest.mark.parametrize("text", ["il me a vu", "le homme dort", "il ne a pas", "il va à le marché", "un beau oiseau"])
def test_the_check_of_elision_checks(text: str) -> None:
    with pytest.raises(AssertionError):
        test_elision_and_articles_are_right([Example("l'ami l'a vu", "")] * 2_001 + [Example(text, "")])


def test_agreement_tells_him_from_her(everything: list[Example]) -> None:
    """The object l' is him or her by its participle alone."""
    said = defaultdict(set)
    for example in everything:
        if match := re.fullmatch(r"(?:il|elle|tu) l'as? (\w+)", example.source):
            said[match[1].endswith("e")] |= {"her", "him"} & set(example.target.split())
    assert said == {True: {"her"}, False: {"him"}}
