"""Sub-words over bytes: BPE (Sennrich et al., 2016) and unigram (Kudo, 2018), by the `tokenizers` library.

The library writes bytes as the printable characters of GPT-2's table; its ids begin after our special symbols.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Self

import msgspec
from tokenizers import Tokenizer, models, trainers
from tokenizers.pre_tokenizers import ByteLevel, PreTokenizer, WhitespaceSplit
from tokenizers.pre_tokenizers import Sequence as Chain

from regard.text.tokenisers.base import NUM_SPECIALS, Tokeniser
from regard.text.tokenisers.split import splitter

Score = tuple[str, float]


class SubwordTokeniser(Tokeniser):
    """A model of the library, with pieces that never cross words and always hold all 256 bytes."""

    lead = " "

    def __init__(self, pieces: Sequence[str], model: models.Model) -> None:
        table = byte_table()
        super().__init__([bytes(table[character] for character in piece) for piece in pieces])
        if not table.keys() <= set(pieces):
            raise ValueError("some of the 256 bytes are missing")
        self._written = list(pieces)
        self._library = _library(model, _byte_words())

    def encode(self, text: str) -> list[int]:
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        found = self._library.encode_batch_fast([self.lead + text for text in texts], add_special_tokens=False)
        return [[NUM_SPECIALS + id_ for id_ in one.ids] if text else [] for text, one in zip(texts, found, strict=True)]


class BpeTokeniser(SubwordTokeniser):
    kind = "bpe"

    def __init__(self, pieces: Sequence[str], merges: Sequence[tuple[str, str]]) -> None:
        super().__init__(pieces, models.BPE({piece: id_ for id_, piece in enumerate(pieces)}, list(merges)))
        self._merges = list(merges)
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._ids = {piece: NUM_SPECIALS + id_ for id_, piece in enumerate(pieces)}

    @classmethod
    def train(cls, texts: Sequence[str], size: int) -> Self:
        """Merge the most frequent neighbours until there are `size` ids or no pair is seen twice."""
        library = _library(models.BPE(), _byte_words())
        trainer = trainers.BpeTrainer(
            vocab_size=size - NUM_SPECIALS,
            min_frequency=2,
            initial_alphabet=sorted(byte_table()),
            special_tokens=[],
            show_progress=False,
        )
        library.train_from_iterator((cls.lead + text for text in texts), trainer)
        model = _learnt(library)
        pieces = sorted(model["vocab"], key=model["vocab"].__getitem__)
        return cls(pieces, [(left, right) for left, right in model["merges"]])

    def words(self, text: str) -> list[str]:
        """What no piece crosses, in the library's characters."""
        return [word for word, _ in self._library.pre_tokenizer.pre_tokenize_str(self.lead + text)] if text else []

    def merge(self, word: str, keeps: Callable[[], bool]) -> list[int]:
        """The ids of a word, formed by those merges that `keeps` says yes to, each time that one is looked at."""
        parts = list(word)
        while True:
            found = [
                (rank, place)
                for place, pair in enumerate(pairwise(parts))
                if (rank := self._ranks.get(pair)) is not None and keeps()
            ]
            if not found:
                return [self._ids[part] for part in parts]
            _, place = min(found)
            parts[place : place + 2] = ["".join(parts[place : place + 2])]

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "pieces": self._written, "merges": self._merges}


class UnigramTokeniser(SubwordTokeniser):
    kind = "unigram"

    def __init__(self, pieces: Sequence[str], scores: Sequence[float]) -> None:
        super().__init__(pieces, models.Unigram(list(zip(pieces, scores, strict=True)), None, False))
        self._scores = list(scores)

    @classmethod
    def train(cls, texts: Sequence[str], size: int) -> Self:
        """EM over a large set of candidate pieces, pruned until `size` ids are left.

        The library looks for candidates in the list of different words, where a word that many lines hold stands
        once, and so misses frequent words. Each word is therefore listed again, log2(count) times, each time with
        another mark at its end; the pieces that hold a mark are dropped.
        """
        byte_words = _byte_words()
        lines = [[word for word, _ in byte_words.pre_tokenize_str(cls.lead + text)] for text in texts or [""]]
        counts = Counter(word for line in lines for word in line)
        marks = [chr(0x4E00 + n) for n in range(max(counts.values()).bit_length() - 1)]
        again = [word + mark for word, count in counts.items() for mark in marks[: count.bit_length() - 1]]

        library = _library(models.Unigram(), WhitespaceSplit())
        trainer = trainers.UnigramTrainer(
            vocab_size=size - NUM_SPECIALS + len(marks),
            initial_alphabet=sorted(byte_table()),
            special_tokens=[],
            show_progress=False,
            max_piece_length=32,
        )
        library.train_from_iterator([" ".join(line) for line in lines] + again, trainer)
        learnt = _settled([(piece, score) for piece, score in _learnt(library)["vocab"] if piece[-1] not in marks])
        return cls([piece for piece, _ in learnt], [score for _, score in learnt])

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "pieces": self._written, "scores": self._scores}


def _settled(learnt: list[Score]) -> list[Score]:
    """The same for every training on the same texts: most probable first, without what depends on hash order.

    That is the last bits of a score, and the scores of bytes that the training did not need: the library hands out
    lowest, lowest + 0.0001, lowest + 0.0002, … among them as they come.
    """
    lowest = min(score for _, score in learnt)
    rare = lowest + 0.0001 * (len(byte_table()) + 64)
    scores = [(piece, lowest if len(piece) == 1 and score < rare else score) for piece, score in learnt]
    return sorted(((piece, round(score, 4)) for piece, score in scores), key=lambda one: (-one[1], one[0]))


def byte_table() -> dict[str, int]:
    """The byte that each of the library's characters stands for (GPT-2's table)."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + n): byte for n, byte in enumerate(hidden)}


def _byte_words() -> PreTokenizer:
    return Chain([splitter(), ByteLevel(add_prefix_space=False, use_regex=False)])


def _library(model: models.Model, words: PreTokenizer) -> Tokenizer:
    _allow_threads()
    library = Tokenizer(model)
    library.pre_tokenizer = words
    return library


@functools.cache
def _allow_threads() -> None:
    """The library's threads are not there after a fork, where it would warn and wait for them: a child has none."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: os.environ.update(TOKENIZERS_PARALLELISM="false"))


def _learnt(library: Tokenizer) -> dict[str, Any]:
    model = msgspec.json.decode(library.to_str())["model"]
    assert isinstance(model, dict)
    return model
