from __future__ import annotations

import math
import random
import time
from collections import Counter

import pytest

from regard.text import similar
from regard.text.similar import ORDERS, Similar

WORDS = ["abandon", "abandoned", "metaphor", "phosphors", "taken", "flash", "dance", "rash", "x"]


def ids(word: str) -> list[int]:
    return [ord(letter) for letter in word]


def find(word: str, words: list[str], count: int = 1) -> list[str]:
    (found,) = Similar([ids(one) for one in words]).find_all([ids(word)], count)
    return [words[number] for number in found]


@pytest.mark.parametrize(
    ("word", "most_like"), [("abandons", "abandon"), ("metaphors", "metaphor"), ("rasher", "rash"), ("take", "taken")]
)
def test_relatives_are_found(word: str, most_like: str) -> None:
    assert find(word, WORDS) == [most_like]


def test_the_second_is_for_what_the_first_one_left() -> None:
    words = [*WORDS, "flashes", "flashed", "flasher"]
    assert sorted(find("flashdance", words, 2)) == ["dance", "flash"]


def test_a_text_is_not_like_itself() -> None:
    assert find("abandon", WORDS) == ["abandoned"]
    assert find("abandon", ["abandon", "abandon"], 2) == []


def test_what_shares_nothing_is_not_found() -> None:
    assert find("qqq", ["abc", "def"]) == []
    assert find("abc", []) == []
    assert Similar([]).find_all([], 2) == []


def test_ends_of_texts_count() -> None:
    """What begins or ends alike is more alike than what holds the same somewhere."""
    assert find("xab", ["abxxx", "yyabyy", "yyyab"]) == ["yyyab"]


def grams(word: str) -> set[tuple[int, ...]]:
    marked = (1, *ids(word), 2)
    return {marked[at : at + order] for order in ORDERS for at in range(len(marked) - order + 1)}


def by_the_formula(word: str, words: list[str], count: int) -> list[str]:
    counts = Counter(gram for one in words for gram in grams(one))
    idf = {gram: math.log(len(words) / count) for gram, count in counts.items()}
    left, found = grams(word), list[str]()
    for _ in range(count):
        shared = {one: math.fsum(idf[gram] for gram in left & grams(one)) for one in words if one not in (word, *found)}
        scores = {
            one: total / math.fsum(idf[gram] for gram in grams(one)) ** 0.25 for one, total in shared.items() if total
        }
        if not scores:
            break
        found.append(max(scores, key=lambda one: round(scores[one], 9)))  # the first one, of those that are as good
        left -= grams(found[-1])
    return found


def test_it_is_the_formula() -> None:
    chance = random.Random(2)
    words = sorted({"".join(chance.choices("abcd", k=chance.randint(1, 9))) for _ in range(120)})
    asked = words[::10] + ["".join(chance.choices("abcde", k=7)) for _ in range(8)]
    assert [find(word, words, 3) for word in asked] == [by_the_formula(word, words, 3) for word in asked]


def test_frequent_ngrams_are_not_followed_to_all_who_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rarest are looked at first, and those find the same."""
    chance = random.Random(3)
    words = sorted({"".join(chance.choices("abcdefgh", k=chance.randint(4, 9))) for _ in range(2000)})
    asked = [word + chance.choice("abcdefgh") for word in words[::20]]
    all_ids = [ids(word) for word in asked]
    whole = Similar([ids(word) for word in words]).find_all(all_ids, 1)
    monkeypatch.setattr(similar, "_ENOUGH", 300)
    part = Similar([ids(word) for word in words]).find_all(all_ids, 1)
    assert sum(one == other for one, other in zip(whole, part, strict=True)) >= 0.95 * len(asked)


def test_together_and_one_by_one_is_the_same() -> None:
    index = Similar([ids(word) for word in WORDS])
    asked = [ids(word) for word in ("abandons", "", "qqq", "metaphors", "abandon")]
    assert index.find_all(asked, 2) == [index.find_all([one], 2)[0] for one in asked]


def test_long_texts_take_no_long_time() -> None:
    index = Similar([ids("ab" * 5000), ids("ba" * 5000), ids("abc")])
    begun = time.perf_counter()
    assert index.find_all([ids("ab" * 20_000)], 1) == [[0]]
    assert time.perf_counter() - begun < 5
