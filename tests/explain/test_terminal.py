from __future__ import annotations

import re

import numpy as np
import pytest
from rich.cells import cell_len

from regard.explain.map import Map
from regard.explain.terminal import draw

WORDS = [
    "a",
    "the",
    "agreement",
    "Donaudampfschiffahrtsgesellschaft",
    "日本語",
    "本",
    "👩‍👩‍👧",
    "😀",
    "café",
    "cafe\u0301",
]
WORDS += ["السلام", "שלום", "हिन्दी", " ", "␣x", "⟨end⟩", "", "\x1b[31m", "a\nb\tc", "\u202eevil", "가나다"]


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def random_map(rng: np.random.Generator, num_rows: int, num_columns: int) -> Map:
    weights = np.exp(3 * rng.normal(size=(num_rows, num_columns)))
    weights /= weights.sum(1, keepdims=True)
    rows, columns = (tuple(rng.choice(WORDS, size=count)) for count in (num_rows, num_columns))
    return Map(rows, columns, weights.astype(np.float32))


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("width", [24, 40, 80, 133])
def test_no_line_is_wider_than_asked(width: int, colour: bool) -> None:
    rng = np.random.default_rng(width)
    for num_columns in (1, 2, 7, 15, 25, 60):
        map_ = random_map(rng, int(rng.integers(1, 9)), num_columns)
        drawn = plain(draw(map_, width=width, colour=colour, title="本 " * 90))
        assert max(cell_len(line) for line in drawn.split("\n")) <= width
        assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", drawn)


def test_a_map_can_be_read() -> None:
    weights = np.array([[0.9, 0.06, 0.04], [0.2, 0.35, 0.45], [0.0, 0.0, 0.0]], dtype=np.float32)
    drawn = draw(Map(("le", "chat", "⟨end⟩"), ("the", "日本", "cat"), weights), title="the cat").split("\n")
    assert drawn[:7] == [
        "the cat",
        "       the",
        "       │  日本",
        "       │  │  cat",
        "   le  90░░░ ·",
        " chat ▒▒▒▓▓▓ 45",
        "⟨end⟩  ·  ·  ·",
    ]


def test_short_names_share_a_line() -> None:
    drawn = draw(Map(("x",), ("a", "b", "c", "def", "gh"), np.full((1, 5), 0.2, dtype=np.float32))).split("\n")
    assert drawn[:3] == ["            def", "   a  b  c  │  gh", "x  20▒▒▒▒▒▒▒▒▒▒▒▒"]


def test_panels_show_every_column_and_mark_each_row_once() -> None:
    weights = np.full((3, 60), 0.01, dtype=np.float32)
    weights[:, 41] = 0.41
    drawn = draw(Map(("x", "y", "z"), tuple(f"word{number}" for number in range(60)), weights))
    assert all(drawn.count(f"word{number}\n") == 1 for number in range(60))
    assert drawn.count(" 41") == 3
    edges = [(int(a), int(b)) for a, b in re.findall(r"columns (\d+) to (\d+) of 60", drawn)]
    assert len(edges) > 1
    assert [edge[0] for edge in edges] == [1, *(edge[1] + 1 for edge in edges[:-1])]
    assert edges[-1][1] == 60


def test_right_to_left_names_are_isolated() -> None:
    drawn = draw(Map(("שלום", "peace"), ("السلام",), np.ones((2, 1), dtype=np.float32)), title="السلام")
    assert drawn.count("\u2068السلام\u2069") == 2
    assert "\u2068שלום\u2069" in drawn
    assert "\u2068peace" not in drawn


def test_colours_carry_the_numbers() -> None:
    drawn = draw(Map(("x",), ("a", "b", "c"), np.array([[0.88, 0.115, 0.005]], dtype=np.float32)), colour=True)
    codes = re.findall(r"\x1b\[([0-9;]+)m( *\d+)\x1b\[0m", drawn)
    assert [number for _, number in codes] == [" 88", " 12"]
    assert [code.startswith("1;4;") for code, _ in codes] == [True, False]


def test_weights_that_do_not_sum_to_one_are_said_to() -> None:
    weights = np.array([[0.3]], dtype=np.float32)
    assert "need not sum" in draw(Map(("x",), ("a",), weights, sums_to_one=False))
    assert "need not sum" not in draw(Map(("x",), ("a",), weights))


def test_nothing_to_look_at() -> None:
    assert draw(Map(("x",), (), np.zeros((1, 0), dtype=np.float32)), title="none").startswith("none\n")
