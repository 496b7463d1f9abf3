"""A network that writes from either end: what it learns, what it finds, and how that is ranked."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest
import torch
from test_contract_search import SOURCES, transducer
from variants import BOTH_WAYS, NUM_TOKENS, batch, close, covering, examples, name, network

from regard.errors import UserError
from regard.models import Seq2SeqSettings
from regard.models.seq2seq import Seq2Seq, turned
from regard.search import BeamSettings, check_both_ways
from regard.tasks.transduce import Transducer, target_ids
from regard.text.batch import Example
from regard.text.tokenisers.base import BOS, EOS, PAD


def test_a_target_is_turned_around_where_it_stands() -> None:
    target_BT = torch.tensor([[BOS, 5, 6, 7, EOS], [BOS, 8, EOS, PAD, PAD]])
    turned_BT = turned(target_BT, torch.tensor([4, 2]))
    assert turned_BT.tolist() == [[EOS, 7, 6, 5, BOS], [EOS, 8, BOS, PAD, PAD]]
    assert torch.equal(turned(turned_BT, torch.tensor([4, 2])), target_BT)


@pytest.mark.parametrize("settings", BOTH_WAYS, ids=name)
def test_the_loss_is_the_mean_of_both_ways(settings: Seq2SeqSettings) -> None:
    both, tensors = network(settings), batch(examples())
    one_way = alike(settings)
    ways = [one_way.loss(*way, smoothing=0.1) for way in tensors.ways(both)]
    assert len(ways) == 2
    found = both.loss(*tensors, smoothing=0.1)
    penalty = both.encoder.penalty(tensors.memory(both))
    assert close(found.total - penalty, sum(way.total - penalty for way in ways) / 2)
    assert close(found.nll, sum(way.nll for way in ways) / 2)
    assert found.num_tokens == ways[0].num_tokens


def alike(settings: Seq2SeqSettings) -> Seq2Seq:
    """The same weights, one way only."""
    model = network(msgspec.structs.replace(settings, both_ways=False))
    assert all(map(torch.equal, model.parameters(), network(settings).parameters()))
    return model


def agreement(task: Transducer, source: int, tokens: tuple[int, ...]) -> float:
    """(log P→ + log P←) / 2 a token, by two forced passes."""
    target = target_ids(tokens)
    pair = [Example(SOURCES[source], way) for way in (target, target[::-1].copy())]
    return sum(sum(one.logprobs) for one in task.look(pair, at=None)) / 2 / (len(tokens) + 1)


@pytest.mark.parametrize("settings", BOTH_WAYS, ids=name)
def test_outputs_are_ranked_by_what_both_ways_say(settings: Seq2SeqSettings) -> None:
    task = transducer(settings)
    for number, some in enumerate(task.search(SOURCES, BeamSettings(width=4), num_best=4)):
        whole = [one for one in some if one.finished]
        assert some[: len(whole)] == whole, "what has ended stands before what was cut"
        assert [one.score for one in whole] == sorted((one.score for one in whole), reverse=True)
        for one in whole:
            assert one.score == pytest.approx(agreement(task, number, one.tokens), abs=1e-9)


@pytest.mark.parametrize("settings", covering(BOTH_WAYS)[:3], ids=name)
def test_a_wide_beam_finds_the_best_of_all(settings: Seq2SeqSettings) -> None:
    task, words = transducer(settings), range(3, NUM_TOKENS)
    everything = [tokens for length in range(3) for tokens in product(words, repeat=length)]
    found = task.search(SOURCES, BeamSettings(width=len(words) ** 2, max_length=3))
    for number, (best, *_) in enumerate(found):
        targets = [target_ids(tokens) for tokens in everything]
        ways = [[Example(SOURCES[number], t) for t in some] for some in (targets, [t[::-1].copy() for t in targets])]
        logprobs = [[sum(one.logprobs) for one in task.look(way, at=None)] for way in ways]
        scores = [sum(both) / 2 / (len(t) - 1) for *both, t in zip(*logprobs, targets, strict=True)]
        assert best.finished and best.score == pytest.approx(max(scores), abs=1e-9)


def test_it_finds_what_one_way_misses() -> None:
    """Otherwise the tests above would show little: both ways bring something, and the ranking changes."""
    news = 0
    for settings in BOTH_WAYS:
        task = transducer(settings)
        both = task.search(SOURCES, BeamSettings(width=2))
        one = task.search(SOURCES, BeamSettings(width=2, both_ways=False))
        news += sum(mine[0].tokens != yours[0].tokens for mine, yours in zip(both, one, strict=True))
    assert news > len(BOTH_WAYS) / 4


def test_a_prefix_is_kept() -> None:
    task = transducer(BOTH_WAYS[0])
    for some in task.search(SOURCES, BeamSettings(width=3), num_best=3, prefix=[5, 6]):
        assert all(one.tokens[:2] == (5, 6) for one in some)


def test_a_coverage_penalty_is_refused() -> None:
    check_both_ways(BeamSettings(coverage=0.2), False)
    check_both_ways(BeamSettings(coverage=0.2, both_ways=False), True)
    with pytest.raises(UserError, match=r"search\.both_ways=false"):
        check_both_ways(BeamSettings(coverage=0.2), True)
