"""What all tokenisers share: every id stands for some bytes, so that ids always lead back to a text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

PAD, BOS, EOS = 0, 1, 2
NUM_SPECIALS = 3
_SHOWN_SPECIALS = {PAD: "⟨pad⟩", BOS: "⟨start⟩", EOS: "⟨end⟩"}


class Tokeniser(ABC):
    """Text to ids and back: `decode(encode(text)) == text` for every text that UTF-8 can encode."""

    kind: str
    # put before every text and taken off again, so that a first word is the same piece as one inside a sentence
    lead: str = ""

    pieces: Sequence[bytes]  # the bytes that each id stands for; none for the special symbols

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self.pieces = (b"",) * NUM_SPECIALS + tuple(pieces)

    @property
    def size(self) -> int:
        """The number of ids, special symbols included."""
        return len(self.pieces)

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """The ids of a text, without BOS and EOS."""

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.encode(text) for text in texts]

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """What is stored: `kind`, `pieces` and what else the constructor takes."""

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids. A model may write bytes that are no UTF-8: they become U+FFFD."""
        data = b"".join(self.pieces[id_] for id_ in ids)
        return data.removeprefix(self.lead.encode()).decode(errors="replace")

    def spans(self, ids: Sequence[int]) -> list[tuple[int, int]]:
        """For each id, the (start, end) of the characters of `decode(ids)` that it stands for, if only for a part."""
        pieces = [self.pieces[id_] for id_ in ids]
        data = b"".join(pieces)
        bare = data.removeprefix(self.lead.encode())
        owners = [index for index, (raw, _) in enumerate(characters(bare)) for _ in raw]
        owners.append(owners[-1] + 1 if owners else 0)
        spans = []
        end = len(bare) - len(data)  # the lead stands before the text's first byte
        for piece in pieces:
            start, end = end, end + len(piece)
            first, last = max(start, 0), max(end, 0)
            spans.append((owners[first], owners[last - 1] + 1 if last > first else owners[first]))
        return spans

    def piece_text(self, id_: int) -> str:
        """How a piece is shown: a space as "▁", what cannot be printed as its bytes "⟨C3⟩", EOS as "⟨end⟩"."""
        if id_ in _SHOWN_SPECIALS:
            return _SHOWN_SPECIALS[id_]
        return "".join(_shown(raw, character) for raw, character in characters(self.pieces[id_]))


def characters(data: bytes) -> Iterator[tuple[bytes, str]]:
    """The characters of `data.decode(errors="replace")`, each with the bytes it was read from."""
    while data:
        try:
            text, broken = data.decode(), b""
        except UnicodeDecodeError as error:
            text, broken = data[: error.start].decode(), data[error.start : error.end]
            data = data[error.end :]
        else:
            data = b""
        for character in text:
            yield character.encode(), character
        if broken:
            yield broken, "\ufffd"


def _shown(raw: bytes, character: str) -> str:
    if character == " ":
        return "▁"
    if character.isprintable() and raw == character.encode():
        return character
    return "".join(f"⟨{byte:02X}⟩" for byte in raw)
