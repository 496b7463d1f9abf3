"""n-grams around a token."""

from __future__ import annotations

import random
from collections import Counter

import msgspec
import numpy as np
import pytest
import torch

from regard.errors import UserError
from regard.models import Seq2SeqSettings, build_seq2seq
from regard.nn.around import ngrams
from regard.nn.around.ngrams import Ngrams
from regard.nn.dropout import Noise
from regard.text.tokenisers.base import EOS, PAD


def grams(text: list[int], order: int) -> list[tuple[int | None, ...]]:
    """By hand: the n-gram that each token is in the middle of, or just before it; None is outside of the text."""
    before = (order - 1) // 2
    padded = [None] * before + text + [None] * order
    return [tuple(padded[s : s + order]) for s in range(len(text))]


def padded(texts: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    size = max(map(len, texts))
    token_BS = torch.tensor([text + [PAD] * (size - len(text)) for text in texts])
    return token_BS, torch.tensor([len(text) for text in texts])


def some_texts(count: int) -> list[list[int]]:
    rng = random.Random(3)
    return [[rng.randrange(3, 6) for _ in range(rng.randint(1, 12))] for _ in range(count)]


def test_tokens_with_the_same_surroundings_and_no_others_have_the_same_numbers() -> None:
    orders = (2, 3, 4, 5)
    texts = some_texts(300)
    number_BSO = Ngrams(8, orders, 1, 100, 4, 0.0).numbers(*padded(texts))
    number_of: dict[tuple[int | None, ...], int] = {}
    for text, number_SO in zip(texts, number_BSO.tolist(), strict=True):
        for column, order in enumerate(orders):
            for s, gram in enumerate(grams(text, order)):
                assert number_of.setdefault(gram, number_SO[s][column]) == number_SO[s][column]
    assert len(number_of) > 500
    assert len(set(number_of.values())) == len(number_of)


@pytest.mark.parametrize(("least", "most"), [(1, 10_000), (4, 10_000), (4, 50)])
def test_the_frequent_ones_have_vectors(least: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ngrams, "_AT_ONCE", 64)
    texts = some_texts(300)
    different = {tuple(text) for text in texts}
    assert len(different) < len(texts)
    counts = Counter(gram for text in different for order in (2, 4) for gram in grams(list(text), order))
    around = Ngrams(8, (2, 4), least, most, 4, 0.0)
    around.learn([np.array(text) for text in texts])
    with torch.no_grad():
        around.table_GN.fill_(1.0)
        around.map.weight.zero_()
        # one unit for each order: it is on if the n-gram has a row
        around.map.weight[0, 0] = around.map.weight[1, 4] = 1.0
        found_BSE = around(*padded(texts))
    has: dict[tuple[int | None, ...], bool] = {}
    for text, found_SE in zip(texts, found_BSE.tolist(), strict=True):
        for column, order in enumerate((2, 4)):
            for s, gram in enumerate(grams(text, order)):
                assert has.setdefault(gram, found_SE[s][column] > 0) == (found_SE[s][column] > 0)
    assert sum(has.values()) == min(most, sum(count >= least for count in counts.values()))
    rest = [counts[gram] for gram in has if not has[gram]]
    assert min(counts[gram] for gram in has if has[gram]) >= max(rest, default=least)


def test_none_that_is_frequent_is_refused() -> None:
    with pytest.raises(UserError, match=r"model\.embedding\.around\.least = 9"):
        Ngrams(8, (3,), 9, 100, 4, 0.0).learn([np.array([3, 4, 5, 2])])


def test_an_ngram_that_was_never_seen_says_nothing() -> None:
    settings = {"embedding": {"around": {"kind": "ngrams", "least": 1}}}
    torch.manual_seed(1)
    network = build_seq2seq(msgspec.convert(settings, Seq2SeqSettings), num_source=9, num_target=9, joint=False)
    assert network.around is not None
    source_BS, length_B = torch.tensor([[3, 4, 5, 6]]), torch.tensor([4])
    network.around.learn([source_BS[0].numpy()])
    with torch.no_grad():
        assert not network.around(source_BS, length_B).any(), "before training"
        before = network.encode(source_BS, length_B).states_BSM
        network.around.table_GN.normal_()
        assert not network.around(source_BS.flip(1), length_B).any()
        assert network.around(source_BS, length_B).any()
        assert not torch.allclose(network.encode(source_BS, length_B).states_BSM, before)


def test_a_source_with_similar_pairs_beside_it_goes_without() -> None:
    settings = {"embedding": {"around": {"kind": "ngrams", "least": 1}}}
    torch.manual_seed(1)
    network = build_seq2seq(msgspec.convert(settings, Seq2SeqSettings), num_source=9, num_target=9, joint=False)
    assert network.around is not None
    texts = [[3, 4, 5, EOS], [3, 4, 5, EOS, 7, 8, EOS]]
    source_BS, length_B = padded(texts)
    source_BS[0, 4:] = EOS  # padding, whatever stands there
    network.around.learn([np.array(text) for text in texts])
    states = []
    with torch.no_grad():
        for fill in (0.0, 1.0):
            network.around.table_GN.fill_(fill)
            states.append(network.encode(source_BS, length_B).states_BSM)
    assert not torch.allclose(states[0][0, :4], states[1][0, :4])
    assert torch.equal(states[0][1], states[1][1])


def test_an_order_is_dropped_for_a_whole_source() -> None:
    orders, texts = (2, 3, 4), some_texts(200)
    around = Ngrams(len(orders), orders, 1, 10_000, 1, 0.4)
    around.learn([np.array(text) for text in texts])
    with torch.no_grad():
        around.table_GN.fill_(1.0)
        around.map.weight.copy_(torch.eye(len(orders)))
        found_BSO = around(*padded(texts), Noise(seed=1, step=1))
    patterns = Counter()
    for text, found_SO in zip(texts, found_BSO, strict=True):
        assert (found_SO[: len(text)] == found_SO[0]).all()
        patterns[tuple((found_SO[0] > 0).tolist())] += 1
    assert len(patterns) == 2 ** len(orders), "each by itself"
    share = sum(count * pattern.count(False) for pattern, count in patterns.items()) / (len(orders) * len(texts))
    assert share == pytest.approx(0.4, abs=0.08)
