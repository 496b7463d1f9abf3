"""Text to ids to the same text: by characters, words or sub-words, chosen for each side of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, assert_never

import msgspec

from regard.config import Choice, Meta
from regard.errors import UserError
from regard.files import write
from regard.text.pictures import Pictures
from regard.text.tokenisers.base import BOS, EOS, PAD, Tokeniser

__all__ = ["BOS", "EOS", "PAD", "Chosen", "Tokeniser", "TokeniserSettings", "choose", "load", "save", "train"]

MinCount = Annotated[int, Meta(description="what was seen less often in training is spelt in bytes", ge=1)]
Size = Annotated[int, Meta(description="number of ids, 256 bytes and 3 special symbols included", ge=300)]


class AutoSettings(Choice, frozen=True, tag="auto"):
    """One of the others, told from the data."""


class CharSettings(Choice, frozen=True, tag="char"):
    """One id a character."""

    min_count: MinCount = 1


class WordSettings(Choice, frozen=True, tag="word"):
    """One id a word or punctuation mark."""

    min_count: MinCount = 2
    max_size: Annotated[int, Meta(description="number of words, the most frequent ones", ge=1)] = 30_000


class BpeSettings(Choice, frozen=True, tag="bpe"):
    """Sub-words by merging the most frequent neighbours."""

    size: Size = 8000


class UnigramSettings(Choice, frozen=True, tag="unigram"):
    """Sub-words by a unigram language model."""

    size: Size = 8000


class LabelSettings(Choice, frozen=True, tag="label"):
    """One id a whole text: for labels, and for answers that are always one of a few."""


class ImageSettings(Choice, frozen=True, tag="image"):
    """Pictures in the place of texts, each given by the path of its file (needs an encoder of pictures)."""

    height: Annotated[int, Meta(ge=4, description="pictures are scaled to so many pixels")] = 32
    max_width: Annotated[int, Meta(ge=4, description="wider ones are refused, in pixels at that height")] = 1024


ConcreteSettings = CharSettings | WordSettings | BpeSettings | UnigramSettings | LabelSettings
TokeniserSettings = AutoSettings | CharSettings | WordSettings | BpeSettings | UnigramSettings | LabelSettings
SourceSettings = TokeniserSettings | ImageSettings
Reader = Tokeniser | Pictures


@dataclass(frozen=True, slots=True)
class Chosen:
    """What `auto` became, and why, in a few words."""

    settings: ConcreteSettings
    reason: str


def choose(texts: Sequence[str]) -> Chosen:
    """What suits these texts."""
    from regard.text.tokenisers import auto

    return auto.choose(texts)


def train(settings: TokeniserSettings, texts: Sequence[str]) -> Tokeniser:
    """A tokeniser learnt from texts; the same one for the same texts. `auto` is for `choose` first."""
    match settings:
        case CharSettings():
            from regard.text.tokenisers.char import CharTokeniser

            return CharTokeniser.train(texts, settings.min_count)
        case WordSettings():
            from regard.text.tokenisers.word import WordTokeniser

            return WordTokeniser.train(texts, settings.min_count, settings.max_size)
        case BpeSettings():
            from regard.text.tokenisers.subword import BpeTokeniser

            return BpeTokeniser.train(texts, settings.size)
        case UnigramSettings():
            from regard.text.tokenisers.subword import UnigramTokeniser

            return UnigramTokeniser.train(texts, settings.size)
        case LabelSettings():
            from regard.text.tokenisers.label import LabelTokeniser

            return LabelTokeniser.train(texts)
        case AutoSettings():
            raise AssertionError("auto is resolved by choose() before training")
        case _:
            assert_never(settings)


class _Stored(msgspec.Struct, forbid_unknown_fields=True):
    kind: Literal["char", "word", "bpe", "unigram", "label", "image", "recalling"]
    pieces: list[str]
    height: int = 0
    max_width: int = 0
    merges: list[tuple[str, str]] = []
    scores: list[float] = []
    parts: dict[str, _Stored] = {}
    memory: list[tuple[str, str]] = []
    count: int = 0
    alone: bool = False


def save(tokeniser: Reader, path: Path) -> None:
    """One JSON file, all that `load` needs."""
    write(path, msgspec.json.encode(tokeniser.to_json()) + b"\n")


def load(path: Path) -> Reader:
    try:
        return _restore(msgspec.json.decode(path.read_bytes(), type=_Stored))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    except Exception as error:  # the library raises nothing more precise for what does not fit together
        raise UserError(f"{path}: is not a tokeniser: {' '.join(str(error).split())}") from None


def _restore(stored: _Stored) -> Reader:
    match stored.kind:
        case "char":
            from regard.text.tokenisers.char import CharTokeniser

            return CharTokeniser(stored.pieces)
        case "word":
            from regard.text.tokenisers.word import WordTokeniser

            return WordTokeniser(stored.pieces)
        case "bpe":
            from regard.text.tokenisers.subword import BpeTokeniser

            return BpeTokeniser(stored.pieces, stored.merges)
        case "unigram":
            from regard.text.tokenisers.subword import UnigramTokeniser

            return UnigramTokeniser(stored.pieces, stored.scores)
        case "label":
            from regard.text.tokenisers.label import LabelTokeniser

            return LabelTokeniser(stored.pieces)
        case "image":
            return Pictures(stored.height, stored.max_width)
        case "recalling":
            from regard.text.tokenisers.recalling import RecallingTokeniser

            source, target = (_restore(stored.parts[side]) for side in ("source", "target"))
            assert isinstance(source, Tokeniser) and isinstance(target, Tokeniser)
            return RecallingTokeniser(source, target, stored.memory, stored.count, alone=stored.alone)
        case _:
            assert_never(stored.kind)
