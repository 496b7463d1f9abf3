from __future__ import annotations

import sys

from regard.text.words import Word, owners, words


def test_words_are_the_runs_without_white_space() -> None:
    assert words("  a bc\t\u2028d.\n") == [Word("a", 2, 3), Word("bc", 4, 6), Word("d.", 8, 10)]
    assert words("") == words(" \u00a0\r\n") == []


def test_white_space_is_what_isspace_says() -> None:
    text = "".join(map(chr, range(sys.maxunicode + 1)))
    inside = {index for word in words(text) for index in range(word.start, word.end)}
    assert all((index in inside) != character.isspace() for index, character in enumerate(text))


def test_a_piece_belongs_to_the_word_of_its_first_character() -> None:
    line = words("ab  cd")  # ab at 0:2, cd at 4:6
    spans = [(0, 0), (0, 1), (1, 2), (1, 5), (2, 3), (2, 4), (2, 5), (3, 4), (4, 6), (5, 6), (6, 6)]
    assert owners(spans, line) == [None, 0, 0, 0, None, None, 1, None, 1, 1, None]
    assert owners([(0, 0), (0, 1)], []) == [None, None]
