"""A network that writes from either end: what it learns, what it finds, and how that is ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Literal

import msgspec
import pytest
import torch
from test_contract_search import SOURCES, transducer
from variants import BOTH_WAYS, NUM_TOKENS, batch, close, covering, examples, name, network

from regard import models
from regard.errors import UserError
from regard.models import Seq2SeqSettings
from regard.models.seq2seq import Seq2Seq, turned
from regard.nn.decoders import RnnDecoderSettings
from regard.nn.windows import LocalMSettings
from regard.nn.wirings import BeforeSettings
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
    (_, forwards), (from_the_end, backwards) = tensors.ways(both)
    ways = [alike(settings).loss(*forwards, smoothing=0.1), from_the_end.loss(*backwards, smoothing=0.1)]
    found = both.loss(*tensors, smoothing=0.1)
    penalty = both.encoder.penalty(tensors.memory(both))
    assert close(found.total - penalty, sum(way.total - penalty for way in ways) / 2)
    assert close(found.nll, sum(way.nll for way in ways) / 2)
    assert found.num_tokens == ways[0].num_tokens


def alike(settings: Seq2SeqSettings) -> Seq2Seq:
    """The same weights, one way only."""
    model = network(msgspec.structs.replace(settings, both_ways="no"))
    assert all(map(torch.equal, model.parameters(), network(settings).parameters()))
    return model


@pytest.mark.parametrize("settings", BOTH_WAYS, ids=name)
def test_it_has_a_decoder_for_both_or_one_for_each(settings: Seq2SeqSettings) -> None:
    model = network(settings)
    back = model.from_the_end()
    assert (back.decoder is model.decoder) == (settings.both_ways == "shared")
    assert back.encoder is model.encoder and back.target is model.target and back.output is model.output
    assert {id(one) for one in back.parameters()} <= {id(one) for one in model.parameters()}, "or nobody would learn it"


def logprobs(task: Transducer, source: int, some: Sequence[tuple[int, ...]]) -> list[tuple[float, float]]:
    """log P→ and log P← of outputs, by two forced passes."""
    targets = [target_ids(tokens) for tokens in some]
    ways = [[Example(SOURCES[source], t) for t in way] for way in (targets, [t[::-1].copy() for t in targets])]
    tasks = (task, replace(task, network=task.network.from_the_end()))
    found = [[sum(one.logprobs) for one in who.look(way, at=None)] for who, way in zip(tasks, ways, strict=True)]
    return list(zip(*found, strict=True))


@pytest.mark.parametrize("settings", BOTH_WAYS, ids=name)
def test_outputs_are_ranked_by_what_both_ways_say(settings: Seq2SeqSettings) -> None:
    task = transducer(settings)
    for number, some in enumerate(task.search(SOURCES, BeamSettings(width=4), num_best=4)):
        whole = [one for one in some if one.finished]
        assert some[: len(whole)] == whole, "what has ended stands before what was cut"
        assert [one.score for one in whole] == sorted((one.score for one in whole), reverse=True)
        for one, both in zip(whole, logprobs(task, number, [one.tokens for one in whole]), strict=True):
            assert one.score == pytest.approx(sum(both) / 2 / (len(one.tokens) + 1), abs=1e-9)


@pytest.mark.parametrize("settings", covering(BOTH_WAYS)[:3], ids=name)
def test_a_wide_beam_finds_the_best_of_all(settings: Seq2SeqSettings) -> None:
    task, words = transducer(settings), range(3, NUM_TOKENS)
    everything = [tokens for length in range(3) for tokens in product(words, repeat=length)]
    width = len(words) ** 2
    found = task.search(SOURCES, BeamSettings(width=width, max_length=3), num_best=width)
    for number, (best, *_) in enumerate(found):
        judged = zip(everything, logprobs(task, number, everything), strict=True)
        most = max(sum(both) / 2 / (len(tokens) + 1) for tokens, both in judged)
        assert best.finished and best.score == pytest.approx(most, abs=1e-9)


def test_for_the_best_alone_it_takes_fewer_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way searches as it would for its own best: what is far behind is given up, and what was found is judged."""
    task, rows, step = transducer(BOTH_WAYS[0]), [], Seq2Seq.step
    monkeypatch.setattr(Seq2Seq, "step", lambda self, t, *x, **y: (rows.append(len(t)), step(self, t, *x, **y))[1])
    best = task.search(SOURCES, BeamSettings(width=4))
    num_rows = sum(rows)
    four = task.search(SOURCES, BeamSettings(width=4), num_best=4)
    assert [len(some) for some in best + four] == [1] * len(SOURCES) + [4] * len(SOURCES)
    assert num_rows < (sum(rows) - num_rows)


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


@pytest.mark.parametrize("ways", ["shared", "apart"])
def test_a_window_that_moves_from_the_front_is_refused(ways: Literal["shared", "apart"]) -> None:
    decoder = RnnDecoderSettings(wiring=BeforeSettings(window=LocalMSettings()))
    settings = Seq2SeqSettings(decoder=decoder, both_ways=ways)
    with pytest.raises(UserError, match="choose local_p or everywhere"):
        models.build_seq2seq(settings, num_source=NUM_TOKENS, num_target=NUM_TOKENS, joint=True)


def test_a_coverage_penalty_is_refused() -> None:
    check_both_ways(BeamSettings(coverage=0.2), False)
    check_both_ways(BeamSettings(coverage=0.2, both_ways=False), True)
    with pytest.raises(UserError, match=r"search\.both_ways=false"):
        check_both_ways(BeamSettings(coverage=0.2), True)
