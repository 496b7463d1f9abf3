from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from explained import inspection

from regard.errors import UserError
from regard.explain.inspection import END, Inspection, Piece, averaged, word_weights, worth_merging


def by_hand() -> Inspection:
    """ "a bc" -> "xy z", in pieces a, ␣b, c, end and x, y, ␣z, end; a number is easy to follow, so rows need no sum."""
    source = (Piece("a", 0, 1), Piece(" b", 1, 3), Piece("c", 3, 4), Piece(END, 4, 4))
    target = (Piece("x", 0, 1), Piece("y", 1, 2), Piece(" z", 2, 4), Piece(END, 4, 4))
    weights = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    return Inspection("a bc", "xy z", source, target, weights, (-1.0, -2.0, -3.0, -4.0))


def test_merging_sums_columns_and_averages_rows() -> None:
    merged = by_hand().map(merged=True)
    assert merged.rows == ("xy", "z", END)
    assert merged.columns == ("a", "bc", END)
    # xy = mean of [0, 1 + 2, 3] and [4, 5 + 6, 7]
    assert merged.weights_TS.tolist() == [[2, 7, 5], [8, 19, 11], [12, 27, 15]]


def test_word_weights_leave_out_what_is_no_word() -> None:
    assert word_weights(by_hand()).tolist() == [[2, 7], [8, 19]]


def test_word_weights_keep_the_place_of_a_word_without_pieces() -> None:
    whole = by_hand()
    cut = Inspection("a bc d", "xy z", whole.source_pieces, whole.target_pieces, whole.weights_LHTS, whole.logprobs)
    assert word_weights(cut).tolist() == [[2, 7, 0], [8, 19, 0]]
    assert cut.map(merged=True).columns == ("a", "bc", END)


def test_pieces_without_a_word_keep_their_place() -> None:
    characters = inspection("ab c", "de f", r"(?s).")
    merged = characters.map(merged=True)
    assert merged.columns == ("ab", " ", "c", END)
    assert merged.rows == ("de", " ", "f", END)


def test_merged_rows_still_sum_to_one() -> None:
    merged = inspection("one two three four", "eins zwei drei", r"\s?\S{1,2}").map(merged=True)
    np.testing.assert_allclose(merged.weights_TS.sum(1), 1, rtol=1e-5)


def test_heads_are_averaged_or_chosen() -> None:
    many = inspection("a b", "c d", num_layers=2, num_heads=3)
    heads = [many.map(merged=False, layer=1, head=head).weights_TS for head in range(3)]
    np.testing.assert_allclose(many.map(merged=False, layer=1).weights_TS, np.mean(heads, axis=0), rtol=1e-6)
    assert (heads[2] == many.weights_LHTS[1, 2]).all()
    assert averaged(many.weights_LHTS) == "the mean of 2 layers and 3 heads"
    assert averaged(many.of(1, None).weights_LHTS) == "the mean of 3 heads"
    assert averaged(many.of(1, 2).weights_LHTS) == ""


@pytest.mark.parametrize(("layer", "head", "name"), [(2, None, "layer 2"), (-1, 0, "layer -1"), (0, 3, "head 3")])
def test_a_layer_or_head_that_is_not_there(layer: int, head: int | None, name: str) -> None:
    with pytest.raises(UserError, match=f"^{name} does not exist: the model has [23]"):
        inspection("a b", "c d", num_layers=2, num_heads=3).map(merged=True, layer=layer, head=head)


def test_worth_merging_needs_words_on_both_sides() -> None:
    assert worth_merging(inspection("a b", "c d"))
    assert not worth_merging(inspection("phoenix", "F IY N", "."))
    assert not worth_merging(inspection("14 March", "2019-03-14", "."))


@pytest.mark.parametrize("source", ["a <b> \u2028 日本", "", "x"])
def test_json_there_and_back(source: str) -> None:
    before = inspection(source, "c d é", num_layers=2, num_heads=2, sums_to_one=False)
    after = Inspection.from_json(json.loads(json.dumps(before.to_json())))
    assert after.weights_LHTS.dtype == np.float32
    assert after.weights_LHTS.shape == before.weights_LHTS.shape
    assert (after.weights_LHTS == before.weights_LHTS).all()
    for field in ("source", "target", "source_pieces", "target_pieces", "logprobs", "sums_to_one"):
        assert getattr(after, field) == getattr(before, field)


def test_json_is_short() -> None:
    weights = inspection("a b c d e", "f g h i j").to_json()["weights_LHTS"]
    assert max(len(repr(weight)) for weight in weights[0][0][0]) <= 14


@pytest.mark.parametrize(
    "change",
    [
        {"logprobs": [1.0]},
        {"weights_LHTS": [[[[1.0]]]]},
        {"weights_LHTS": [[1.0], [2.0, 3.0]]},
        {"weights_LHTS": "many"},
        {"source": 3},
        {"source_pieces": [{"text": "a"}]},
    ],
)
def test_what_is_not_an_inspection_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"this is not an inspection: .") as error:
        Inspection.from_json(inspection("a b", "c d").to_json() | change)
    assert "\n" not in str(error.value)


def test_a_text_that_was_only_read_has_no_logprobs() -> None:
    written = inspection("a b", "a b")
    read = replace(written, logprobs=())
    assert Inspection.from_json(read.to_json()).logprobs == ()
    assert (read.map(merged=True).weights_TS == written.map(merged=True).weights_TS).all()
