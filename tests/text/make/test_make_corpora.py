from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from regard.errors import UserError
from regard.text.make import CORPORA, dates, make, pictures

LENGTHS = {"addition": (1, 2), "reverse": (2, 5), "copy": (2, 5)}


def pairs(out: Path, split: str) -> list[tuple[str, str]]:
    lines = (out / f"{split}.tsv").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return [(source, target) for source, target in (line.split("\t") for line in lines)]


def files(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", CORPORA)
def test_same_seed_same_bytes_and_disjoint_splits(name: str, tmp_path: Path) -> None:
    length = LENGTHS.get(name)
    counts = make(name, tmp_path / "a", size=300, seed=7, length=length)
    make(name, tmp_path / "b", size=300, seed=7, length=length)
    make(name, tmp_path / "c", size=300, seed=8, length=length)
    assert counts == {"train": 300, "valid": 30, "test": 30}
    assert files(tmp_path / "a") == files(tmp_path / "b")
    other = files(tmp_path / "c")
    assert all(content != other[file] for file, content in files(tmp_path / "a").items())
    sources = [source for split in counts for source, _ in pairs(tmp_path / "a", split)]
    assert len(sources) == len(set(sources)) == 360
    assert {len(pairs(tmp_path / "a", split)) == count for split, count in counts.items()} == {True}
    suffixes = {".tsv"} | {"pie": {".align"}, "digits": {".png"}, "signs": {".png"}}.get(name, set())
    assert {Path(file).suffix for file in files(tmp_path / "a")} == suffixes


@pytest.mark.parametrize("name", [name for name in CORPORA if name not in ("pie", *pictures.SIZES)])
def test_default_sizes(name: str, tmp_path: Path) -> None:
    counts = make(name, tmp_path / "out")
    assert counts == (
        {"train": 50_000, "valid": 1_000, "test": 2_000}
        if name == "addition"
        else {"train": 20_000, "valid": 1_000, "test": 1_000}
    )


def test_addition(tmp_path: Path) -> None:
    make("addition", tmp_path / "out", size=9_000)
    train = pairs(tmp_path / "out", "train")
    assert all(sum(map(int, source.split("+"))) == int(target) for source, target in train)
    operands = [source.split("+") for source, _ in train]
    assert all(operand == str(int(operand)) and len(operand) <= 3 for both in operands for operand in both)
    shapes = Counter((len(first), len(second)) for first, second in operands)
    # the hundred smallest sums are soon used up, then come those of one and two digits
    assert shapes[1, 1] <= 100
    assert all(1_100 < shapes[shape] < 1_450 for shape in ((2, 2), (2, 3), (3, 2), (3, 3)))


@pytest.mark.parametrize("name", ["reverse", "copy"])
def test_letters(name: str, tmp_path: Path) -> None:
    make(name, tmp_path / "out", size=3_000)
    train = pairs(tmp_path / "out", "train")
    assert all(target == (source[::-1] if name == "reverse" else source) for source, target in train)
    assert all(source.isascii() and source.isalpha() and source.islower() for source, _ in train)
    lengths = Counter(len(source) for source, _ in train)
    assert set(lengths) == set(range(1, 13)) and lengths[1] <= 26 and all(lengths[n] > 200 for n in range(3, 13))


def test_length_is_kept(tmp_path: Path) -> None:
    make("copy", tmp_path / "out", size=100, length=(15, 20))
    assert {len(source) for source, _ in pairs(tmp_path / "out", "train")} <= set(range(15, 21))


def test_everything_can_be_asked_for(tmp_path: Path) -> None:
    make("addition", tmp_path / "out", size=80, length=(1, 1))
    with pytest.raises(UserError, match="at most 100 can be made; choose a smaller --size or a longer --length"):
        make("addition", tmp_path / "other", size=90, length=(1, 1))
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("9 mars 2021", "2021-03-09"),
        ("le 1er août 1999", "1999-08-01"),
        ("Tuesday, March 9th, 2021", "2021-03-09"),
        ("the 22nd of Feb '04", "2004-02-22"),
        ("Dienstag, den 9. März 2021", "2021-03-09"),
        ("03/04/2021", "2021-04-03"),
        ("9.3.2021", "2021-03-09"),
        ("20210309", "2021-03-09"),
        ("11 DECEMBER 1950", "1950-12-11"),
    ],
)
def test_dates_that_people_write(source: str, target: str) -> None:
    """Each is among the spellings of its day."""
    rng, day = random.Random(0), date.fromisoformat(target)
    spellings = {form(day, rng) for form in dates.FORMS for _ in range(400)}
    assert source in spellings | {text.upper() for text in spellings}


def test_dates_are_unambiguous() -> None:
    rng, meaning = random.Random(0), {}
    for _ in range(30_000):
        example = dates.sample(rng, "train")
        assert meaning.setdefault(example.source, example.target) == example.target
        assert dates.FIRST <= date.fromisoformat(example.target) <= dates.LAST
    everyday = {dates.sample(rng, "train").target[:4] for _ in range(5_000)}
    assert min(everyday) == "1900" and max(everyday) == "2099"


def test_every_day_has_ten_spellings() -> None:
    rng = random.Random(0)
    for day in (dates.FIRST, dates.LAST, date(2000, 5, 5), date(1999, 10, 10)):
        spellings = {form(day, rng) for form in dates.FORMS for _ in range(200)}
        assert len(spellings) >= 10


def test_ordinals() -> None:
    assert [dates.ordinal(day) for day in (1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 31)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "23rd", "31st"]
    )


def test_an_empty_directory_is_filled_and_anything_else_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    make("copy", out, size=10)
    with pytest.raises(UserError, match="choose another --out"):
        make("copy", out, size=10)
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="choose another --out"):
        make("copy", tmp_path / "file", size=10)


@pytest.mark.parametrize(
    ("name", "size", "length", "message"),
    [
        ("revers", None, None, "did you mean `reverse`"),
        ("pie", None, (1, 3), "--length: pie has no length"),
        ("dates", None, (1, 3), "--length: dates has no length"),
        ("copy", None, (0, 3), "from 1 to 1000"),
        ("copy", None, (4, 3), "from 1 to 1000"),
        ("addition", None, (1, 5_000), "from 1 to 1000"),
        ("copy", 0, None, "--size 0"),
        ("pie", 10**7, None, "choose a smaller --size"),
        ("dates", 10**7, None, "choose a smaller --size"),
        ("copy", 20_000, (1, 2), "at most 702 can be made"),
    ],
)
def test_bad_requests(
    name: str, size: int | None, length: tuple[int, int] | None, message: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message) as caught:
        make(name, tmp_path / "out", size=size, length=length)
    assert "\n" not in str(caught.value) and not (tmp_path / "out").exists()


def test_the_list_of_corpora_is_cheap_to_import() -> None:
    code = "import sys, regard.text.make; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"torch", "numpy", "regard.text.make.pie"} & set(modules)


def test_splits_are_of_one_kind(tmp_path: Path) -> None:
    """The few sums of two digits are shared out like all others, not used up by the split that is drawn first."""
    make("addition", tmp_path / "data")
    shares = {}
    for split in ("train", "test"):
        sources = [line.split("\t")[0] for line in (tmp_path / "data" / f"{split}.tsv").read_text().splitlines()]
        shares[split] = sum(len(source) <= 4 for source in sources) / len(sources)
    assert shares["test"] == pytest.approx(shares["train"], rel=0.3)
