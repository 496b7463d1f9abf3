"""Word alignments: from attention, from gold files, and how far apart the two are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.errors import UserError
from regard.evaluate.measure import Counts, Measure, sign

if TYPE_CHECKING:
    from numpy.typing import NDArray

Link = tuple[int, int]  # (source word, target word), from 0
LINK = re.compile(r"([0-9]{1,9})([-p])([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Gold:
    """The links of one pair on which annotators are sure, and all that they find possible, the sure ones included."""

    sure: frozenset[Link]
    possible: frozenset[Link]

    def __post_init__(self) -> None:
        assert self.sure <= self.possible


def links(weights_TS: NDArray[Any]) -> frozenset[Link]:
    """Each target word with the source word of the heaviest weight (the first of equals), unless all weights are 0."""
    return frozenset((int(row.argmax()), t) for t, row in enumerate(weights_TS) if row.any())


def to_pharaoh(alignment: Iterable[Link]) -> str:
    """'0-0 1-2 2-1': source-target, from 0, sorted."""
    return " ".join(f"{s}-{t}" for s, t in sorted(alignment))


def read_gold(path: Path) -> list[Gold]:
    """A line a pair: links 'i-j' (sure) and 'ipj' (possible), source before target, from 0, separated by spaces."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            return [_gold(line, f"{path}:{number}") for number, line in enumerate(file, start=1)]
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8; a gold file is lines of links like 0-0 1p2") from None


def _gold(line: str, where: str) -> Gold:
    sure, possible = set(), set()
    for text in line.split():
        match = LINK.fullmatch(text)
        if match is None:
            raise UserError(f"{where}: {text!r} is not a link: write 3-4 if it is sure, 3p4 if it is possible, from 0")
        link = int(match[1]), int(match[3])
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return Gold(frozenset(sure), frozenset(possible))


def check_gold(path: Path, golds: Sequence[Gold], sizes: Sequence[tuple[int, int]]) -> None:
    """A line of `path` for each pair, and no link outside its pair of `sizes` (source words, target words)."""
    if len(golds) != len(sizes):
        raise UserError(f"{path}: has {len(golds)} lines for {len(sizes)} pairs: each pair needs its own line of links")
    for number, (gold, (num_source, num_target)) in enumerate(zip(golds, sizes, strict=True), start=1):
        for s, t in sorted(gold.possible):
            if s >= num_source or t >= num_target:
                raise UserError(
                    f"{path}:{number}: link {s}-{t} lies outside its pair of {num_source} source and {num_target} "
                    "target words: links are source-target, from 0"
                )


def alignment_error_rate(alignments: Sequence[frozenset[Link]], golds: Sequence[Gold]) -> Measure:
    """AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|) over the corpus (Och & Ney 2003, section 5.1)"""
    return alignment_error_counts(alignments, golds).measure()


def alignment_error_counts(alignments: Sequence[frozenset[Link]], golds: Sequence[Gold]) -> Counts:
    rows = [
        (len(found & gold.sure) + len(found & gold.possible), len(found) + len(gold.sure))
        for found, gold in _both(alignments, golds)
    ]
    return Counts("AER", sign("unit:word"), False, rows, lambda sums: 100 - _percent(sums))


def alignment_precision(alignments: Sequence[frozenset[Link]], golds: Sequence[Gold]) -> Measure:
    """|A ∩ P| / |A|: how many of the links found are at least possible"""
    rows = [(len(found & gold.possible), len(found)) for found, gold in _both(alignments, golds)]
    return Counts("precision", sign("unit:word"), True, rows, _percent).measure()


def alignment_recall(alignments: Sequence[frozenset[Link]], golds: Sequence[Gold]) -> Measure:
    """|A ∩ S| / |S|: how many of the sure links were found"""
    rows = [(len(found & gold.sure), len(gold.sure)) for found, gold in _both(alignments, golds)]
    return Counts("recall", sign("unit:word"), True, rows, _percent).measure()


def _both(alignments: Sequence[frozenset[Link]], golds: Sequence[Gold]) -> Iterable[tuple[frozenset[Link], Gold]]:
    if not golds:
        raise UserError("there is nothing to evaluate: give a gold alignment of at least one pair")
    return zip(alignments, golds, strict=True)


def _percent(sums: Sequence[float]) -> float:
    """The first of the second. Nothing to find, or nothing said, is nothing wrong."""
    part, whole = sums
    return 100 * part / whole if whole else 100.0
