"""--with: several models that write together"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from evaluated_pairs import PAIRS, write_links, write_pairs

from regard.errors import UserError
from regard.model import Translator, load
from regard.run.conduct import resume, train
from regard.search import BeamSettings

TEXTS = ["ab", "", "cde a", "e d c"]


@pytest.fixture(scope="module")
def other(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same vocabulary, other weights: some steps more."""
    out = tmp_path_factory.mktemp("runs") / "other"
    shutil.copytree(trained, out)
    resume(out, steps=70)
    return out


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Other letters."""
    out = tmp_path_factory.mktemp("runs") / "strange"
    train([("xyz", "zyx"), ("y", "y")] * 20, out=out, preset="tiny", steps=2)
    return out


def test_models_write_together(command: Callable, trained: Path, other: Path) -> None:
    ended = command("translate", trained, "--with", other, "--json", stdin="\n".join(TEXTS).encode())
    assert (ended.code, ended.err) == (0, "")
    rows, both = [json.loads(line) for line in ended.out.splitlines()], load(trained, other)
    assert [row["target"] for row in rows] == both.translate(TEXTS)
    given = [(row["source"], row["target"]) for row in rows if row["source"]]
    assert both.score(given) == pytest.approx([row["logprob"] for row in rows if row["source"]], abs=1e-4)


def test_scores_are_of_all_of_them(command: Callable, trained: Path, other: Path, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv")
    together = [float(line) for line in command("score", trained, pairs, "--with", other).out.split()]
    alone = [load(one).score(PAIRS) for one in (trained, other)]
    assert together == pytest.approx(load(other, trained).score(PAIRS), abs=1e-3), "in any order"
    assert together == pytest.approx(load(trained, other, trained, other).score(PAIRS), abs=1e-3)
    assert all(abs(found - one) > 0.01 for some in alone for found, one in zip(together, some, strict=True))


def test_they_are_measured_together(command: Callable, trained: Path, other: Path, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv")
    ended = command("evaluate", trained, pairs, "--with", other, "--against", trained)
    assert (ended.code, ended.err) == (0, "")
    assert f"A  {trained} with {other}\nB  {trained}\n" in ended.out
    measures = load(trained, other).measures(PAIRS)
    found = json.loads(command("evaluate", trained, pairs, "--with", other, "--json").out)
    assert found["measures"] == [measure.to_json() for measure in measures]


def test_who_cannot_write_together(command: Callable, trained: Path, strange: Path, tmp_path: Path) -> None:
    ended = command("translate", trained, "--with", strange, stdin=b"ab\n")
    assert (ended.code, ended.out) == (2, "")
    assert f"{strange}: has another source vocabulary than {trained}: " in ended.err
    labels = tmp_path / "labels"
    train([("good", "yes"), ("bad", "no")] * 20, out=labels, task="classify", preset="classifier-tiny", steps=2)
    ended = command("translate", trained, "--with", labels, stdin=b"ab\n")
    assert ended.code == 2 and f"{labels}: this model" in ended.err
    ended = command("evaluate", labels, write_pairs(tmp_path / "pairs.tsv"), "--with", trained)
    assert ended.code == 2 and "--with does not apply" in ended.err


def test_what_is_of_one_network_is_refused(command: Callable, trained: Path, other: Path, tmp_path: Path) -> None:
    both = load(trained, other)
    assert isinstance(both, Translator) and not both.can_be_looked_into
    beam = BeamSettings(coverage=0.2)
    for asked in (
        lambda: both.inspect("ab"),
        lambda: both.inspect("ab", itself="source"),
        lambda: both.embed(["ab"]),
        lambda: both.align(PAIRS),
        lambda: both.search(["ab"], beam),
    ):
        with pytest.raises(UserError, match="several"):
            asked()
    ended = command("translate", trained, "--with", other, "--json", "--attention", stdin=b"ab\n")
    assert ended.code == 2 and "leave --with out" in ended.err
    pairs, links = write_pairs(tmp_path / "pairs.tsv"), write_links(tmp_path / "links")
    ended = command("evaluate", trained, pairs, "--with", other, "--alignments", links)
    assert ended.code == 2 and "leave --with out" in ended.err
