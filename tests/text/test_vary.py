"""BPE-dropout: other spellings of the same texts, the same ones for the same seed and epoch."""

from __future__ import annotations

import pytest

from regard.text.tokenisers.subword import BpeTokeniser
from regard.text.vary import Varied

TEXTS = ["the lowest newest widest", "low new wide", "", "newer lower", "  two  spaces, ünï ⟨x⟩ "] * 5


@pytest.fixture(scope="module")
def tokeniser() -> BpeTokeniser:
    return BpeTokeniser.train(TEXTS, 320)


def varied(tokeniser: BpeTokeniser, rate: float, seed: int = 1) -> Varied:
    return Varied(tokeniser, TEXTS, rate, seed=(seed,), first=[1], last=[])


def test_without_dropout_it_is_the_library(tokeniser: BpeTokeniser) -> None:
    drawn = varied(tokeniser, 0.0).draw(3)
    assert [ids.tolist() for ids in drawn] == [[1, *ids] for ids in tokeniser.encode_all(TEXTS)]


def test_with_all_merges_dropped_there_are_bytes(tokeniser: BpeTokeniser) -> None:
    drawn = varied(tokeniser, 1.0).draw(0)
    assert all(len(tokeniser.pieces[id_]) == 1 for ids in drawn for id_ in ids[1:])


def test_every_spelling_is_the_text_and_there_are_several(tokeniser: BpeTokeniser) -> None:
    some = varied(tokeniser, 0.3)
    seen = set()
    for epoch in range(4):
        drawn = some.draw(epoch)
        assert [tokeniser.decode(ids[1:].tolist()) for ids in drawn] == TEXTS
        seen |= {tuple(ids.tolist()) for ids in drawn}
    assert len(seen) > 2 * len(set(TEXTS))


def test_an_epoch_is_drawn_again_to_the_same_ids(tokeniser: BpeTokeniser) -> None:
    one, other = varied(tokeniser, 0.3), varied(tokeniser, 0.3)
    as_lists = lambda some: [ids.tolist() for ids in some]  # noqa: E731
    assert as_lists(one.draw(2)) == as_lists(other.draw(2)) == as_lists(one.draw(2))
    assert as_lists(one.draw(2)) != as_lists(one.draw(3))
    assert as_lists(one.draw(2)) != as_lists(varied(tokeniser, 0.3, seed=2).draw(2))
