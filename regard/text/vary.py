"""BPE-dropout (Provilkov et al. 2020): sub-words are formed anew in each epoch, with some of the merges left out.

A model then sees many spellings of each word, and learns what its parts mean. To form a word takes long, so that some
spellings of each are formed once, and each epoch draws among them: a pure function of (seed, epoch).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np

from regard.text.batch import Ids
from regard.text.tokenisers.subword import BpeTokeniser

_MOST = 32  # spellings of a word


class Varied:
    """Texts as ids, `first` before each and `last` after it."""

    def __init__(
        self,
        tokeniser: BpeTokeniser,
        texts: Sequence[str],
        rate: float,
        *,
        seed: tuple[int, ...],
        first: Sequence[int],
        last: Sequence[int],
    ) -> None:
        self.seed = seed
        words = [tokeniser.words(text) for text in texts]
        counts = Counter(word for text in words for word in text)
        generator = random.Random(repr(seed))
        # what stands before and after each text is a word that is always spelt in one way
        spellings: list[list[Sequence[int]]] = [[first], [last]]
        for word, count in counts.items():
            number = min(_MOST, 4 + 4 * count)
            spellings.append([tokeniser.merge(word, lambda: generator.random() >= rate) for _ in range(number)])
        kinds = {word: kind for kind, word in enumerate(counts, start=2)}
        self.kind_N = np.array([kind for text in words for kind in (0, *(kinds[word] for word in text), 1)])
        self.end_of_text = np.cumsum([len(text) + 2 for text in words])
        self.num_spellings = np.array([len(some) for some in spellings])
        self.first_spelling = np.concatenate([[0], np.cumsum(self.num_spellings)[:-1]])
        flat = [ids for some in spellings for ids in some]
        self.ids = np.array([id_ for ids in flat for id_ in ids], dtype=np.int64)
        self.size = np.array([len(ids) for ids in flat])
        self.start = np.concatenate([[0], np.cumsum(self.size)[:-1]])

    def draw(self, epoch: int) -> list[Ids]:
        """The texts of an epoch."""
        generator = np.random.Generator(np.random.SFC64(np.random.SeedSequence((*self.seed, epoch))))
        drawn_N = (generator.random(len(self.kind_N)) * self.num_spellings[self.kind_N]).astype(np.int64)
        spelling_N = self.first_spelling[self.kind_N] + drawn_N
        size_N = self.size[spelling_N]
        end_N = np.cumsum(size_N)
        # each word's ids lie in one piece: count on from its start
        place = np.repeat(self.start[spelling_N] - (end_N - size_N), size_N) + np.arange(end_N[-1])
        return np.split(self.ids[place], end_N[self.end_of_text - 1][:-1])
