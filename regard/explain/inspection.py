"""All there is to see of one output, in one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec
import numpy as np

from regard.errors import UserError
from regard.explain.map import Array, Groups, Map, merge
from regard.text.words import owners, words

END = "⟨end⟩"
Itself = Literal["source", "target"]  # which of the two looked at itself


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text: how it is shown, and the characters that it covers (none for the end symbol)."""

    text: str
    start: int
    end: int


START = Piece("⟨start⟩", 0, 0)  # what stands before the first piece of an output


@dataclass(frozen=True, eq=False, slots=True)
class Inspection:
    """A source, the target it became, and what the model looked at when it wrote each piece of it.

    Or a text twice, which looked at itself: when it was read, or at what was written before each piece.
    """

    source: str
    target: str
    source_pieces: tuple[Piece, ...]
    target_pieces: tuple[Piece, ...]
    weights_LHTS: Array  # L = H = 1 for a recurrent decoder
    logprobs: tuple[float, ...]  # of each target piece, the end included; none of a text that was only read
    sums_to_one: bool = True  # not so for local-p, whose Gaussian comes after the softmax
    itself: Itself | None = None  # whether it is one text that looked at itself

    def __post_init__(self) -> None:
        shape = self.weights_LHTS.shape
        num_rows, num_columns = len(self.target_pieces), len(self.source_pieces)
        if len(shape) != 4 or shape[2:] != (num_rows, num_columns):
            # a ValueError, since msgspec makes it the error of whoever sent the JSON
            raise ValueError(f"weights of shape {list(shape)} for {num_rows} target and {num_columns} source pieces")
        if self.logprobs and len(self.logprobs) != num_rows:
            raise ValueError(f"{len(self.logprobs)} logprobs for {num_rows} target pieces")

    def map(self, *, merged: bool, layer: int | None = None, head: int | None = None) -> Map:
        """The weights of one layer or the mean of all, of one head or the mean of all, by pieces or merged to words.

        Pieces without a word (the end symbol, blanks) keep their own row or column, in their place.
        """
        rows = tuple(piece.text for piece in self.target_pieces)
        columns = tuple(piece.text for piece in self.source_pieces)
        pieces = Map(rows, columns, self._weights_TS(layer, head), self.sums_to_one)
        if not merged:
            return pieces
        return merge(pieces, by_word(self.target, self.target_pieces), by_word(self.source, self.source_pieces))

    def to_json(self) -> dict[str, Any]:
        table = msgspec.to_builtins(self, enc_hook=_shortest)
        assert isinstance(table, dict)
        return table

    @staticmethod
    def from_json(table: dict[str, Any]) -> Inspection:
        try:
            return msgspec.convert(table, Inspection, dec_hook=lambda _, value: np.array(value, dtype=np.float32))
        except msgspec.ValidationError as error:
            raise UserError(f"this is not an inspection: {error}") from None

    def of(self, layer: int | None, head: int | None) -> Inspection:
        """The same, of one layer or one head alone."""
        return replace(self, weights_LHTS=alone(self.weights_LHTS, layer, head))

    def _weights_TS(self, layer: int | None, head: int | None) -> Array:
        weights_TS: Array = alone(self.weights_LHTS, layer, head).mean(axis=(0, 1))
        return weights_TS


def alone(weights_LHTS: Array, layer: int | None, head: int | None) -> Array:
    """One layer or one head of them, if asked for."""
    if layer is not None:
        _check("layer", layer, weights_LHTS.shape[0])
        weights_LHTS = weights_LHTS[layer : layer + 1]
    if head is not None:
        _check("head", head, weights_LHTS.shape[1])
        weights_LHTS = weights_LHTS[:, head : head + 1]
    return weights_LHTS


def averaged(weights_LHTS: Array) -> str:
    """'the mean of 4 layers and 4 heads', or nothing if there is but one of each."""
    counts = zip(weights_LHTS.shape[:2], ("layers", "heads"), strict=True)
    parts = [f"{count} {name}" for count, name in counts if count > 1]
    return f"the mean of {' and '.join(parts)}" if parts else ""


def word_weights(inspection: Inspection, *, layer: int | None = None, head: int | None = None) -> Array:
    """[target words, source words] without what belongs to no word: what an alignment is read from.

    Every word of the texts has its place, also one that no piece covers: its weights are zero.
    """
    rows = _words_of(inspection.target, inspection.target_pieces)
    columns = _words_of(inspection.source, inspection.source_pieces)
    return merge(inspection.map(merged=False, layer=layer, head=head), rows, columns).weights_TS


def worth_merging(inspection: Inspection) -> bool:
    """Whether words say more than pieces: both texts have more than one."""
    return len(words(inspection.source)) > 1 and len(words(inspection.target)) > 1


def _words_of(text: str, pieces: Sequence[Piece]) -> Groups:
    """Every word of the text with the positions of its pieces."""
    found = words(text)
    groups: list[tuple[str, list[int]]] = [(word.text, []) for word in found]
    for position, owner in enumerate(owners([(piece.start, piece.end) for piece in pieces], found)):
        if owner is not None:
            groups[owner][1].append(position)
    return groups


def by_word(text: str, pieces: Sequence[Piece]) -> Groups:
    """The words that have pieces, and the pieces that have no word, in the order of the pieces."""
    in_words = [(name, members) for name, members in _words_of(text, pieces) if members]
    taken = {position for _, members in in_words for position in members}
    alone = [(piece.text, [position]) for position, piece in enumerate(pieces) if position not in taken]
    return sorted(in_words + alone, key=lambda group: group[1][0])


def _check(name: str, number: int, count: int) -> None:
    if not 0 <= number < count:
        raise UserError(f"{name} {number} does not exist: the model has {count}, counted from 0")


def _shortest(weights: Array) -> Any:
    # by way of the shortest decimal that is the same float32, or JSON would carry 17 digits a weight
    return weights.astype(np.str_).astype(np.float64).tolist()
