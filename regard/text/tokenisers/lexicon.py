"""A tokeniser that is a list of known units; what is not in the list is spelt in UTF-8 bytes."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Self

from regard.text.tokenisers.base import NUM_SPECIALS, Tokeniser


class LexiconTokeniser(Tokeniser):
    """Ids: the special symbols, the 256 bytes, then the known units. An ASCII character is its byte."""

    def __init__(self, pieces: Sequence[str]) -> None:
        super().__init__([bytes([byte]) for byte in range(256)] + [piece.encode() for piece in pieces])
        self._ids = {chr(byte): NUM_SPECIALS + byte for byte in range(128)}
        self._ids |= {unit: id_ for id_, unit in enumerate(pieces, NUM_SPECIALS + 256)}
        self._known = list(pieces)

    @classmethod
    @abstractmethod
    def units(cls, text: str) -> Sequence[str]:
        """The units of a text (with its lead); joined, they are the text."""

    @classmethod
    def train(cls, texts: Iterable[str], min_count: int, max_size: int | None = None) -> Self:
        """The `max_size` most frequent of the units that were seen at least `min_count` times."""
        counts = Counter(unit for text in texts for unit in cls.units(cls.lead + text))
        often = [unit for unit, count in counts.items() if count >= min_count and not _is_byte(unit)]
        often.sort(key=lambda unit: (-counts[unit], unit))
        return cls(often[:max_size])

    def encode(self, text: str) -> list[int]:
        ids: list[int] = []
        for unit in self.units(self.lead + text) if text else ():
            id_ = self._ids.get(unit)
            if id_ is not None:
                ids.append(id_)
            else:
                ids.extend(NUM_SPECIALS + byte for byte in unit.encode())
        return ids

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "pieces": self._known}


def _is_byte(unit: str) -> bool:
    return len(unit) == 1 and unit.isascii()
