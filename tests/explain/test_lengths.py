"""The picture of quality by length says what it shows: systems, measure, lengths, numbers of pairs."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from regard.errors import UserError
from regard.evaluate.by_length import Bucket
from regard.evaluate.measure import Measure
from regard.explain.lengths import COLOURS, DASHES, LONGEST, MARKERS, Curve, save

SPANS = [(1, 1, 1200), (2, 4, 30), (11, None, 7)]


def curve(name: str, *values: float, measure: str = "BLEU", higher: bool = True) -> Curve:
    def measured(value: float) -> Measure:
        return Measure(measure, value, "", higher)

    buckets = [
        Bucket(*span, (Measure("another", 99, "", True), measured(value)))
        for span, value in zip(SPANS, values, strict=True)
    ]
    return Curve(name, measured(values[0]), buckets)


def svg_texts(path: Path) -> list[str]:
    root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    return ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]


def test_everything_has_its_name(tmp_path: Path) -> None:
    path = tmp_path / "lengths.svg"
    curves = [curve("runs/one", 31.25, 20, 10), curve("out_$x$.txt", 12, 11, 0)]
    assert save(curves, path, unit="words") == ""
    texts = svg_texts(path)
    assert {"runs/one: 31.2", "out_$x$.txt: 12.0", "BLEU", "source length in words", "pairs"} <= set(texts)
    assert "BLEU of all 1,237 pairs, and by length" in texts
    assert {"1", "2–4", "≥ 11", "1,200", "30", "7"} <= set(texts)


def test_a_line_shows_its_own_measure() -> None:
    assert curve("x", 3, 2, 1).values == [3, 2, 1]


def test_errors_are_said_to_be_better_when_less(tmp_path: Path) -> None:
    path = tmp_path / "lengths.svg"
    save([curve("x", 3, 200, 1, measure="WER", higher=False)], path, unit="characters")
    assert {"WER (less is better)", "source length in characters"} <= set(svg_texts(path))


def test_many_systems_look_different() -> None:
    number = range(28)
    looks = {(COLOURS[n % len(COLOURS)], MARKERS[n % len(MARKERS)], DASHES[n % len(DASHES)]) for n in number}
    assert len(looks) == len(number)


def test_long_names_keep_their_ends(tmp_path: Path) -> None:
    path = tmp_path / "lengths.svg"
    save([curve("a" * 100 + "/last", 1, 2, 3)], path, unit="words")
    [name] = [text for text in svg_texts(path) if text.endswith("/last: 1.0")]
    assert len(name) == LONGEST + len(": 1.0")
    assert name.startswith("…a")


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_same_curves_are_the_same_file(tmp_path: Path, kind: str) -> None:
    first, second = tmp_path / f"1.{kind}", tmp_path / f"2.{kind}"
    for path in (first, second):
        save([curve("x", 0, 0, 0), curve("y", 1, 2, 3)], path, unit="words")
    assert first.read_bytes() == second.read_bytes()


def test_characters_that_no_font_has_are_returned(tmp_path: Path) -> None:
    assert save([curve("x\u0378", 1, 2, 3)], tmp_path / "lengths.png", unit="words") == "\u0378"


def test_other_kinds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"\.png or \.svg"):
        save([curve("x", 1, 2, 3)], tmp_path / "lengths.jpg", unit="words")
