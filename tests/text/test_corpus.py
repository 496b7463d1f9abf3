"""What is dropped is counted, and no source stands on both sides of a split."""

from __future__ import annotations

import random

import pytest

from regard import config
from regard.errors import UserError
from regard.text.corpus import FilterSettings, default_valid_size, filter_pairs, leaks, split
from regard.text.pair import Pair

FILTER = FilterSettings(max_length=40, max_ratio=3.0)


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("a", "b", None),
        ("", "b", "empty"),
        ("a", " \t\u3000", "empty"),
        ("a" * 40, "b" * 40, None),
        ("a" * 41, "b" * 40, "too long"),
        ("a" * 40, "b" * 41, "too long"),
        (" " + "a" * 40, "b" * 40, None),
        ("a", "b" * 9, None),  # both short: the ratio says nothing
        ("a", "b" * 10, "ratio"),
        ("a" * 10, "b" * 30, None),
        ("a" * 10, "b" * 31, "ratio"),
        ("a" * 31, "b" * 10, "ratio"),
    ],
)
def test_filter(source: str, target: str, reason: str | None) -> None:
    pair = Pair.of(source, target)
    filtered = filter_pairs([pair], FILTER)
    assert filtered.pairs == ([pair] if reason is None else [])
    assert filtered.dropped == {name: int(name == reason) for name in ("empty", "too long", "ratio")}


def test_filter_keeps_the_order_and_counts_all() -> None:
    pairs = [Pair.of("x" * n, "y") for n in (1, 0, 5, 2000, 0, 900)]
    filtered = filter_pairs(iter(pairs), FilterSettings())
    assert [len(pair.source) for pair in filtered.pairs] == [1, 5, 900]
    assert filtered.dropped == {"empty": 2, "too long": 1, "ratio": 0}


@pytest.mark.parametrize("table", [{"max_length": 0}, {"max_ratio": -1.0}, {"max_lenght": 5}])
def test_filter_settings_refuse(table: dict[str, float]) -> None:
    with pytest.raises(UserError, match=next(iter(table))):
        config.read(dict(table), FilterSettings)


def test_a_ratio_below_one_would_drop_all() -> None:
    with pytest.raises(UserError, match=r"max_ratio = 0\.5: is of the longer side to the shorter"):
        filter_pairs([Pair.of("a", "b")], FilterSettings(max_ratio=0.5))


def corpus(num_sources: int, num_pairs: int) -> list[Pair]:
    generator = random.Random(num_pairs)
    sources = [f"s{generator.randrange(num_sources)}{' ' * generator.randrange(2)}" for _ in range(num_pairs)]
    return [Pair.of(source, f"t{i}", f"x:{i}") for i, source in enumerate(sources)]


@pytest.mark.parametrize(
    ("num_sources", "num_pairs", "size"), [(2, 20, 5), (10, 50, 7), (300, 400, 20), (500, 600, 599)]
)
def test_split_keeps_sources_together(num_sources: int, num_pairs: int, size: int) -> None:
    pairs = corpus(num_sources, num_pairs)
    train, valid = split(pairs, size=size, seed=1)
    assert train
    assert valid
    assert leaks(train, valid) == leaks(valid, train) == 0
    assert sorted(train + valid, key=pairs.index) == pairs
    assert train == [pair for pair in pairs if pair in train]
    assert valid == [pair for pair in pairs if pair in valid]
    assert split(pairs, size=size, seed=1) == (train, valid)


def test_split_is_of_the_size_asked_for_and_follows_the_seed() -> None:
    pairs = [Pair.of(f"s{i}", "t") for i in range(200)]
    splits = [split(pairs, size=10, seed=seed) for seed in range(20)]
    assert all(len(valid) == 10 and len(train) == 190 for train, valid in splits)
    assert len({tuple(pair.source for pair in valid) for _, valid in splits}) == 20
    # independent draws reach 200 (1 - 0.95^20) = 128 sources; a favoured few would reach fewer
    assert 100 < len({pair.source for _, valid in splits for pair in valid}) < 156


def test_split_does_not_depend_on_the_machine_or_the_order() -> None:
    pairs = [Pair.of(f"s{i}", "t") for i in range(20)]
    valid = [pair.source for pair in split(pairs, size=3, seed=1)[1]]
    assert {pair.source for pair in split(pairs[::-1], size=3, seed=1)[1]} == set(valid)
    assert valid == ["s1", "s13", "s18"]


def test_split_takes_the_smallest_group_when_none_fits() -> None:
    pairs = [Pair.of(source, str(i)) for i, source in enumerate("aaaaabbb")]
    for seed in range(5):
        train, valid = split(pairs, size=2, seed=seed)
        assert (len(train), {pair.source for pair in valid}) == (5, {"b"})


def test_split_refuses() -> None:
    with pytest.raises(UserError, match="2 distinct sources, not 1"):
        split([Pair.of("a", "b"), Pair.of("a ", "c")], size=1, seed=0)
    with pytest.raises(UserError, match="2 distinct sources, not 0"):
        split([], size=1, seed=0)
    for size in 0, 2, -1:
        with pytest.raises(UserError, match="of 2 pairs"):
            split([Pair.of("a", "b"), Pair.of("c", "d")], size=size, seed=0)


def test_default_valid_size() -> None:
    sizes = {0: 0, 1: 0, 2: 1, 10: 1, 100: 5, 1_000: 50, 20_000: 1_000, 10_000_000: 1_000}
    assert {n: default_valid_size(n) for n in sizes} == sizes


def test_leaks_counts_distinct_sources() -> None:
    train = [Pair.of("a", "1"), Pair.of("b", "2"), Pair.of("b", "3")]
    valid = [Pair.of("b", "4"), Pair.of(" b", "5"), Pair.of("c", "6"), Pair.of("a", "7")]
    assert leaks(train, valid) == 2
    assert leaks(train, []) == leaks([], valid) == 0
