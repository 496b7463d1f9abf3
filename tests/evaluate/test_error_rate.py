"""Exact match and error rates: by hand, and against the definition of edit distance."""

from __future__ import annotations

import random
from functools import cache

import pytest

from regard.errors import UserError
from regard.evaluate.error_rate import edit_distance, error_rates
from regard.evaluate.exact import exact_match


@cache
def by_definition(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    substitute = by_definition(a[1:], b[1:]) + (a[0] != b[0])
    return min(substitute, by_definition(a[1:], b) + 1, by_definition(a, b[1:]) + 1)


def test_edit_distance_by_hand():
    assert edit_distance("kitten", "sitting") == 3
    assert edit_distance("", "abc") == edit_distance("abc", "") == 3
    assert edit_distance("", "") == 0
    assert edit_distance(["AH", "B", "AE", "D"], ["AH", "B", "EY", "D", "IY"]) == 2


def test_edit_distance_is_its_definition():
    generator = random.Random(1)
    for _ in range(3000):
        a, b = ("".join(generator.choices("abc", k=generator.randrange(9))) for _ in "ab")
        assert edit_distance(a, b) == by_definition(a, b), (a, b)


def test_edit_distance_of_long_text():
    """Longer than any machine word: one substitution, one insertion and one deletion far apart."""
    a = "".join(random.Random(2).choices("abcdefgh", k=500))
    b = a[:50] + "X" + a[51:250] + "Y" + a[250:450] + a[451:]
    assert edit_distance(a, b) == edit_distance(b, a) == 3
    assert edit_distance(a, a[::-1]) == edit_distance(a[::-1], a)


def test_words_by_hand():
    said = ["a cat sat", "the dog", ""]
    right = [
        ["a cat sat"],  # 0 of 3
        ["a dog ran", "the big dog"],  # 2 of 3; 1 of 3: this one
        ["x y"],  # 2 of 2
    ]
    tokens, sequences = error_rates(said, right, unit="word", names=("WER", "SER"))
    assert tokens.value == pytest.approx(100 * 3 / 8)
    assert sequences.value == pytest.approx(100 * 2 / 3)
    assert (tokens.name, sequences.name) == ("WER", "SER")
    assert not tokens.higher_is_better
    assert not sequences.higher_is_better
    assert tokens.signature.startswith("nrefs:var|case:exact|unit:word|version:")


def test_characters_count_spaces_and_words_do_not():
    said, right = ["a  b"], [["a b"]]
    assert [m.value for m in error_rates(said, right, unit="character", names=("CER", "SER"))] == [
        pytest.approx(100 / 3),
        100,
    ]
    assert [m.value for m in error_rates(said, right, unit="word", names=("WER", "SER"))] == [0, 0]


def test_of_references_equally_near_the_longest_counts():
    """'b' is at distance 1 from all three, the longest of which has 2 tokens."""
    for right in (["a", "", "b c"], ["b c", "a", ""]):
        assert error_rates(["b"], [right], unit="word", names=("PER", "WER"))[0].value == 50


def test_only_empty_references():
    assert [m.value for m in error_rates(["", "x"], [[""], [""]], unit="word", names=("WER", "SER"))] == [100, 50]


def test_sequence_errors_are_what_is_not_exact():
    generator = random.Random(3)
    said = ["".join(generator.choices("ab", k=2)) for _ in range(50)]
    right = [["".join(generator.choices("ab", k=2)) for _ in range(1 + i % 3)] for i in range(50)]
    wrong = error_rates(said, right, unit="character", names=("CER", "SER"))[1]
    assert exact_match(said, right).value == pytest.approx(100 - wrong.value)
    assert 0 < wrong.value < 100


def test_exact_match_of_any_reference():
    measure = exact_match(["a", "b", "c", "D"], [["a"], ["x", "b"], ["x", "y"], ["d"]])
    assert measure.value == 50
    assert measure.higher_is_better
    assert str(measure) == "exact 50.00"
    assert exact_match(["a "], [["a"]]).value == 0


def test_nothing_to_evaluate():
    with pytest.raises(UserError, match="nothing to evaluate"):
        exact_match([], [])
    with pytest.raises(UserError, match="nothing to evaluate"):
        error_rates([], [], unit="word", names=("WER", "SER"))
