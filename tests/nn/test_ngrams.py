"""n-grams around a token."""

from __future__ import annotations

import random

import msgspec
import torch

from regard.models import Seq2SeqSettings, build_seq2seq
from regard.nn.around.ngrams import Ngrams
from regard.text.tokenisers.base import PAD


def grams(text: list[int], order: int) -> list[tuple[int | None, ...]]:
    """By hand: the n-gram that each token is in the middle of, or just before it; None is outside of the text."""
    before = (order - 1) // 2
    padded = [None] * before + text + [None] * order
    return [tuple(padded[s : s + order]) for s in range(len(text))]


def test_tokens_with_the_same_surroundings_and_no_others_have_the_same_numbers() -> None:
    rng = random.Random(3)
    orders = (2, 3, 4, 5)
    texts = [[rng.randrange(3, 6) for _ in range(rng.randint(1, 12))] for _ in range(300)]
    size = max(map(len, texts))
    token_BS = torch.tensor([text + [PAD] * (size - len(text)) for text in texts])
    number_BSO = Ngrams(8, orders, 100, 4, 0.0).hashed(token_BS, torch.tensor([len(text) for text in texts]))
    number_of: dict[tuple[int | None, ...], int] = {}
    for text, number_SO in zip(texts, number_BSO.tolist(), strict=True):
        for column, order in enumerate(orders):
            for s, gram in enumerate(grams(text, order)):
                assert number_of.setdefault(gram, number_SO[s][column]) == number_SO[s][column]
    assert len(number_of) > 500
    assert len(set(number_of.values())) == len(number_of)
    # and they spread over a table: with as many rows as n-grams, 1 − 1/e of the rows are taken
    taken = len({number % len(number_of) for number in number_of.values()}) / len(number_of)
    assert 0.57 < taken < 0.70


def test_an_ngram_that_was_never_seen_says_nothing() -> None:
    settings = {"embedding": {"around": {"kind": "ngrams", "rows": 50}}}
    torch.manual_seed(1)
    network = build_seq2seq(msgspec.convert(settings, Seq2SeqSettings), num_source=9, num_target=9, joint=False)
    assert network.around is not None
    source_BS, length_B = torch.tensor([[3, 4, 5, 6]]), torch.tensor([4])
    with torch.no_grad():
        assert not network.around(source_BS, length_B).any(), "before training"
        before = network.encode(source_BS, length_B).states_BSM
        network.around.table_RN.normal_()
        assert network.around(source_BS, length_B).any()
        assert not torch.allclose(network.encode(source_BS, length_B).states_BSM, before)
