"""A text, and beside it what became of texts like it: the targets of the most similar training pairs.

    source EOS target of the most similar pair EOS target of the next EOS

A network that reads them can copy what a whole memory knows of a piece, and has to learn only what to make of it
(Bulté and Tezcan 2019; Xu et al. 2020). A text's own pair is never shown, so that in training it is as it will be.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from regard.text.batch import Ids
from regard.text.similar import Similar
from regard.text.tokenisers.base import EOS, NUM_SPECIALS, Tokeniser


def alone(source: Ids) -> Ids:
    """A source without what stands beside it: up to its first EOS."""
    return source[: 1 + int((source == EOS).argmax())]


class RecallingTokeniser(Tokeniser):
    """Ids: those of the source's tokeniser, then those of the target's. The latter stand for no characters of a text,
    so that ids lead back to it as before."""

    def __init__(
        self,
        source: Tokeniser,
        target: Tokeniser,
        memory: Sequence[tuple[str, str]],
        count: int,
        *,
        alone: bool = False,
    ) -> None:
        """`alone`: the network learns to do without, too."""
        super().__init__([*source.pieces[NUM_SPECIALS:], *(b"" for _ in target.pieces[NUM_SPECIALS:])])
        self.kind, self.lead = source.kind, source.lead
        self.source, self.target = source, target
        first = dict[str, str]()
        for text, became in memory:
            first.setdefault(text, became)  # of several targets of a source the first one is shown
        self.memory = list(first.items())
        self.count = count
        self.alone = alone

    def encode(self, text: str) -> list[int]:
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        ids = self.source.encode_all(texts)
        return [
            [*one, *(id_ for number in numbers for id_ in (EOS, *self._recalled[number]))]
            for one, numbers in zip(ids, self._similar.find_all(ids, self.count), strict=True)
        ]

    def to_json(self) -> dict[str, Any]:
        parts = {"source": self.source.to_json(), "target": self.target.to_json()}
        return {
            "kind": "recalling",
            "pieces": [],
            "parts": parts,
            "memory": self.memory,
            "count": self.count,
            "alone": self.alone,
        }

    def piece_text(self, id_: int) -> str:
        beyond = id_ - self.source.size
        return self.source.piece_text(id_) if beyond < 0 else self.target.piece_text(beyond + NUM_SPECIALS)

    @cached_property
    def _similar(self) -> Similar:
        return Similar(self.source.encode_all([text for text, _ in self.memory]))

    @cached_property
    def _recalled(self) -> list[list[int]]:
        """What is shown of each pair of the memory."""
        shift = self.source.size - NUM_SPECIALS
        return [[shift + id_ for id_ in ids] for ids in self.target.encode_all([became for _, became in self.memory])]
