from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from regard.text.make import CORPORA


@pytest.mark.parametrize("name", CORPORA)
def test_it_says_what_was_written(command: Callable, tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    ended = command("data", "make", name, "--out", out, "--size", "30")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0].startswith(f"{out}/train.tsv: 30 pairs")
    assert [line.partition(":")[0] for line in lines] == [
        str(out / f"{split}.tsv") for split in ("train", "valid", "test")
    ]
    assert len((out / "train.tsv").read_text().splitlines()) == 30
    assert ("word links in" in ended.out) == (out / "train.align").exists()


@pytest.mark.parametrize(("length", "sizes"), [("4", {4}), ("2-3", {2, 3})])
def test_length_is_a_number_or_a_range(command: Callable, tmp_path: Path, length: str, sizes: set[int]) -> None:
    command("data", "make", "reverse", "--out", tmp_path / "x", "--size", "50", "--length", length)
    rows = [line.split("\t") for line in (tmp_path / "x" / "train.tsv").read_text().splitlines()]
    assert {len(source) for source, _ in rows} == sizes
    assert all(source == target[::-1] for source, target in rows)


def test_the_seed_changes_the_corpus(command: Callable, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        command("data", "make", "copy", "--out", tmp_path / name, "--size", "50", "--seed", seed)
    a, b, c = ((tmp_path / name / "train.tsv").read_bytes() for name in "abc")
    assert a == b != c


def test_help_lists_the_corpora(command: Callable) -> None:
    said = " ".join(command("data", "make", "--help").out.split())
    for name, text in CORPORA.items():
        assert f"{name} {text}" in said
