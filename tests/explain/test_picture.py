from __future__ import annotations

import logging
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from explained import inspection

from regard.errors import UserError
from regard.explain.map import Map
from regard.explain.picture import save

UNKNOWN = "\ue000\u0378"  # of private use; not assigned


def svg_texts(path: Path) -> set[str]:
    root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    return {"".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")}


def test_svg_keeps_names_as_text(tmp_path: Path) -> None:
    map_ = inspection('the <b>&"x" $a_b$ café', "שלום x^2 \\frac").map(merged=True)
    path = tmp_path / "map.svg"
    assert save(map_, path, title="a $t$ title") == ""
    assert {*map_.rows, *map_.columns, "a $t$ title", "weight"} <= svg_texts(path)


def test_png_grows_with_the_map(tmp_path: Path) -> None:
    def size(num_words: int) -> tuple[int, int]:
        path = tmp_path / f"{num_words}.PNG"
        save(inspection("word " * num_words, "a b c").map(merged=True), path)
        data = path.read_bytes()
        assert data.startswith(b"\x89PNG\r\n")
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")

    (narrow, low), (wide, high) = size(3), size(20)
    assert wide > 2 * narrow
    assert abs(high - low) < 0.25 * low
    assert size(300)[0] < 12_000


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_same_map_is_the_same_file(tmp_path: Path, kind: str) -> None:
    map_ = inspection("a b c", "d e f").map(merged=True)
    first, second = tmp_path / f"1.{kind}", tmp_path / f"2.{kind}"
    save(map_, first, title="t")
    save(map_, second, title="t")
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_characters_that_no_font_has_are_returned_in_silence(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    map_ = Map((f"x{UNKNOWN}", "e\u0301\u200d"), ("a", UNKNOWN), np.eye(2, dtype=np.float32))
    with warnings.catch_warnings(), caplog.at_level(logging.WARNING):
        warnings.simplefilter("error")
        assert save(map_, tmp_path / f"map.{kind}", title=UNKNOWN) == "".join(sorted(UNKNOWN))
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


def test_weights_that_do_not_sum_to_one_are_said_to(tmp_path: Path) -> None:
    path = tmp_path / "map.svg"
    save(inspection("a b", "c d", sums_to_one=False).map(merged=True), path)
    assert any("need not sum to one" in text for text in svg_texts(path))


@pytest.mark.parametrize("name", ["map.jpg", "map", "map.svg.gz"])
def test_other_kinds_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=r"\.png or \.svg"):
        save(inspection("a b", "c d").map(merged=True), tmp_path / name)
    assert not list(tmp_path.iterdir())
