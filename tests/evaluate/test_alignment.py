"""Alignments from weights and from files, and the alignment error rate by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regard.errors import UserError
from regard.evaluate.alignment import (
    Gold,
    alignment_error_rate,
    alignment_precision,
    alignment_recall,
    check_gold,
    links,
    read_gold,
    to_pharaoh,
)


def gold_file(folder: Path, text: str) -> Path:
    path = folder / "gold.align"
    path.write_bytes(text.encode())
    return path


def test_by_hand():
    """Pair 1: S = {00, 11}, P = S ∪ {12, 22}, A = {00, 12, 32}: A∩S = {00}, A∩P = {00, 12}.
    Pair 2: S = P = {00}, A = {00, 01}: A∩S = A∩P = {00}.
    |A| = 5, |S| = 3, |A∩S| = 2, |A∩P| = 3: AER = 1 − 5/8, precision 3/5, recall 2/3.
    """
    sure = frozenset({(0, 0), (1, 1)})
    one = frozenset({(0, 0)})
    golds = [Gold(sure, sure | {(1, 2), (2, 2)}), Gold(one, one)]
    found = [frozenset({(0, 0), (1, 2), (3, 2)}), frozenset({(0, 0), (0, 1)})]
    assert alignment_error_rate(found, golds).value == pytest.approx(37.5)
    assert alignment_precision(found, golds).value == pytest.approx(60)
    assert alignment_recall(found, golds).value == pytest.approx(200 / 3)
    assert not alignment_error_rate(found, golds).higher_is_better


def test_the_best_the_worst_and_the_empty():
    sure, possible = frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)})
    golds = [Gold(sure, possible)]
    assert alignment_error_rate([sure], golds).value == 0
    assert alignment_error_rate([possible], golds).value == 0, "a possible link costs nothing"
    assert alignment_error_rate([frozenset({(5, 5)})], golds).value == 100
    nothing: frozenset[tuple[int, int]] = frozenset()
    assert alignment_error_rate([nothing], golds).value == 100
    assert alignment_precision([nothing], golds).value == 100
    assert alignment_error_rate([nothing], [Gold(nothing, nothing)]).value == 0
    with pytest.raises(UserError, match="nothing to evaluate"):
        alignment_error_rate([], [])


def test_links_are_the_heaviest_weights():
    weights_TS = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0], [0.9, 0.1, 0.0]])
    assert links(weights_TS) == {(2, 0), (0, 1), (0, 3)}
    assert links(np.zeros((2, 0))) == links(np.zeros((0, 2))) == frozenset()
    assert to_pharaoh(links(weights_TS)) == "0-1 0-3 2-0"


def test_read_gold(tmp_path):
    assert read_gold(gold_file(tmp_path, "\ufeff0-0")) == read_gold(gold_file(tmp_path, "0-0"))
    golds = read_gold(gold_file(tmp_path, "0-0 1p2\t10-3\r\n\n2p1 2-1"))
    assert golds == [
        Gold(frozenset({(0, 0), (10, 3)}), frozenset({(0, 0), (1, 2), (10, 3)})),
        Gold(frozenset(), frozenset()),
        Gold(frozenset({(2, 1)}), frozenset({(2, 1)})),
    ]


def test_what_is_written_is_read(tmp_path):
    alignment = frozenset({(3, 0), (0, 1), (11, 2)})
    assert read_gold(gold_file(tmp_path, to_pharaoh(alignment) + "\n")) == [Gold(alignment, alignment)]


@pytest.mark.parametrize("wrong", ["1", "1-", "-1", "1-2-3", "1x2", "1--2", "a-b", "1 - 2", "-1-2", "1.0-2", "1P2"])
def test_a_malformed_link_is_named(tmp_path, wrong):
    path = gold_file(tmp_path, f"0-0\n0-0 {wrong}\n")
    with pytest.raises(UserError) as error:
        read_gold(path)
    assert str(error.value).startswith(f"{path}:2: {wrong.split()[0]!r} is not a link")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        read_gold(tmp_path / "absent")
    (tmp_path / "binary").write_bytes(b"\xff\xfe0-0")
    with pytest.raises(UserError, match="not UTF-8"):
        read_gold(tmp_path / "binary")


def test_gold_fits_its_pairs(tmp_path):
    path = gold_file(tmp_path, "0-0 1-2\n\n4p0\n")
    golds = read_gold(path)
    check_gold(path, golds, [(2, 3), (0, 0), (5, 1)])
    with pytest.raises(UserError, match=r"gold\.align: has 3 lines for 2 pairs"):
        check_gold(path, golds, [(2, 3), (0, 0)])
    with pytest.raises(UserError, match=r"gold\.align:1: link 1-2 lies outside its pair of 2 source and 2 target"):
        check_gold(path, golds, [(2, 2), (0, 0), (5, 1)])
    with pytest.raises(UserError, match=r"gold\.align:3: link 4-0 "):
        check_gold(path, golds, [(2, 3), (0, 0), (4, 1)])
