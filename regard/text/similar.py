"""Which of many texts are most like another one: a translation memory's question, for texts as ids.

Texts are alike if they share n-grams that few others have. A candidate c for a text x has the score

    Σ_{g in x and in c} idf(g) / (Σ_{g in c} idf(g))^¼,    idf(g) = log(texts / texts with g)

whose divisor keeps those from winning that are only long. The second one is found for what the first one left: by the
n-grams that it does not have, so that together they cover the text. A text itself is never among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

ORDERS = range(1, 7)
_ENOUGH = 2000  # owners of the rarest n-grams: whoever shares none of these is not among the most similar
_BEGIN, _END = 1, 2  # stand around each text, so that n-grams know where it begins and ends
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: neighbours become far apart (Knuth, vol. 3, 6.4)


class Index(NamedTuple):
    """Of G n-grams, sorted by their hashes, who has them."""

    hashes_G: Array
    first_G: Array  # where its owners begin in `owners`
    count_G: Array  # how many they are
    idf_G: Array
    owners: Array  # those of all n-grams, one n-gram after the other
    weights: Array  # of each text: what its scores are divided by
    ngrams: Array  # those of all texts, one text after the other, as places among the G, which rise within a text
    bounds: Array  # where those of each text begin in `ngrams`, and where the last one's end


class Similar:
    """Many texts, as ids. They are indexed when they are first asked for."""

    def __init__(self, texts: Sequence[Sequence[int]]) -> None:
        self.texts = [tuple(text) for text in texts]

    def find_all(self, texts: Sequence[Sequence[int]], count: int) -> list[list[int]]:
        """For each of `texts` the numbers of at most `count` others that are like it, the most similar first."""
        hashes, bounds = _ngrams(texts)
        places, known = _places(self._index.hashes_G, hashes)
        return [
            self._find(tuple(text), places[begin:end][known[begin:end]], count)
            for text, (begin, end) in zip(texts, pairwise(bounds.tolist()), strict=True)
        ]

    def _find(self, text: tuple[int, ...], ngrams: Array, count: int) -> list[int]:
        index, found = self._index, list[int]()
        ngrams = ngrams[np.argsort(index.count_G[ngrams], kind="stable")]  # the rarest first
        while len(found) < count and len(ngrams):
            best = self._best(text, ngrams, found)
            if best is None:
                break
            found.append(best)
            if len(found) < count:
                its = index.ngrams[index.bounds[best] : index.bounds[best + 1]]
                ngrams = ngrams[~_places(its, ngrams)[1]]
        return found

    def _best(self, text: tuple[int, ...], ngrams: Array, found: list[int]) -> int | None:
        index = self._index
        count = index.count_G[ngrams]
        enough = max(1, int(np.searchsorted(count.cumsum(), _ENOUGH)))
        ngrams, count = ngrams[:enough], count[:enough]
        ends = count.cumsum()
        shift = np.repeat(index.first_G[ngrams] - ends + count, count)
        owner = index.owners[shift + np.arange(ends[-1])]
        candidates, which = np.unique(owner, return_inverse=True)
        score = np.bincount(which, np.repeat(index.idf_G[ngrams], count)) / index.weights[candidates]
        for number in np.argsort(-score, kind="stable")[: len(found) + 2].tolist():
            candidate = int(candidates[number])
            if score[number] > 0 and candidate not in found and self.texts[candidate] != text:
                return candidate
        return None

    @cached_property
    def _index(self) -> Index:
        hashes, bounds = _ngrams(self.texts)
        owner = np.repeat(np.arange(len(self.texts), dtype=np.int32), np.diff(bounds))
        order = np.argsort(hashes, kind="stable")
        hashes_G, first_G, count_G = np.unique(hashes[order], return_index=True, return_counts=True)
        idf_G = np.log(len(self.texts) / count_G)
        ngrams = np.empty(len(order), dtype=np.int32)
        ngrams[order] = np.repeat(np.arange(len(hashes_G), dtype=np.int32), count_G)
        weights = np.maximum(np.bincount(owner, idf_G[ngrams], minlength=len(self.texts)), 1e-9) ** 0.25
        return Index(hashes_G, first_G, count_G, idf_G, owner[order], weights, ngrams, bounds)


def _places(rising: Array, sought: Array) -> tuple[Array, Array]:
    """Where each stands among numbers that rise, and whether it does."""
    if not len(rising):
        return np.zeros(len(sought), dtype=np.int64), np.zeros(len(sought), dtype=bool)
    places = np.minimum(np.searchsorted(rising, sought), len(rising) - 1)
    return places, rising[places] == sought


def _ngrams(texts: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Hashes of the different n-grams of each text, one text after the other, and where those of each begin and end."""
    ids = np.array([id_ for text in texts for id_ in (_BEGIN, *text, _END)], dtype=np.uint64)
    owner = np.repeat(np.arange(len(texts)), [len(text) + 2 for text in texts])
    found, owners, running = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.int64)], np.zeros_like(ids)
    for order in ORDERS:
        num_ngrams = max(0, len(ids) - order + 1)
        running = (running[:num_ngrams] + ids[order - 1 :] + np.uint64(order)) * _FACTOR
        running ^= running >> np.uint64(29)
        within = owner[:num_ngrams] == owner[order - 1 :]
        found.append(running[within])
        owners.append(owner[:num_ngrams][within])
    hashes, owner = np.concatenate(found), np.concatenate(owners)
    order_N = np.lexsort((hashes, owner))
    hashes, owner = hashes[order_N], owner[order_N]
    new = np.ones(len(hashes), dtype=bool)
    new[1:] = (hashes[1:] != hashes[:-1]) | (owner[1:] != owner[:-1])
    return hashes[new], np.searchsorted(owner[new], np.arange(len(texts) + 1))
