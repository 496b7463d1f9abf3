"""Several networks that write one output: the mean of what they say, whatever they are."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch
from test_contract_search import SEARCHES, SOURCES, find, transducer
from variants import BOTH_WAYS, FEW, SMALL, covering, name, network

from regard.models import Seq2SeqSettings
from regard.models.ensemble import Ensemble
from regard.search import BeamSettings, SearchSettings
from regard.tasks.transduce import Transducer, target_ids
from regard.text.batch import Example

# neighbours of other kinds: what one remembers has another shape than what the other does
SOME = covering(FEW)
PAIRS = list(zip(SOME, [*SOME[1:], SOME[0]], strict=True))
Two = tuple[Seq2SeqSettings, Seq2SeqSettings]


def together(settings: Two) -> Transducer:
    other, generator = deepcopy(network(settings[1])), torch.Generator().manual_seed(7)
    with torch.no_grad():  # or they would say the same where their settings are the same
        for parameter in other.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return replace(transducer(settings[0]), others=(other,))


def alone(task: Transducer) -> list[Transducer]:
    return [replace(task, network=one, others=()) for one in (task.network, *task.others)]


def two(settings: Two) -> str:
    return " with ".join(map(name, settings))


@pytest.mark.parametrize("settings", PAIRS, ids=two)
def test_the_probability_of_a_token_is_the_mean_of_theirs(settings: Two) -> None:
    task = together(settings)
    given = [Example(source, target_ids([5, 6, 5])) for source in SOURCES]
    each = [[np.exp(one.logprobs) for one in who.look(given, at=None)] for who in alone(task)]
    for found, one, other in zip(task.look(given, at=None), *each, strict=True):
        assert np.exp(found.logprobs) == pytest.approx((one + other) / 2, abs=1e-12)
        assert not np.allclose(one, other), "or this would show nothing"


@pytest.mark.parametrize("search", SEARCHES, ids=name)
@pytest.mark.parametrize("settings", PAIRS, ids=two)
def test_what_search_says_is_what_they_say_of_given_outputs(settings: Two, search: SearchSettings) -> None:
    task = together(settings)
    found = [(source, best) for source, some in zip(SOURCES, find(task, search), strict=True) for best in some]
    looked = task.look([Example(source, target_ids(best.tokens)) for source, best in found], at=None)
    for (_, best), one in zip(found, looked, strict=True):
        assert best.logprob == pytest.approx(sum(one.logprobs if best.finished else one.logprobs[:-1]), abs=1e-9)


@pytest.mark.parametrize("search", SEARCHES, ids=name)
@pytest.mark.parametrize("settings", PAIRS, ids=two)
def test_outputs_do_not_depend_on_the_batch(settings: Two, search: SearchSettings) -> None:
    task = together(settings)
    for some, lone in zip(find(task, search), find(task, search, batch_tokens=1), strict=True):
        assert [best.tokens for best in some] == [best.tokens for best in lone]
        assert [best.logprob for best in some] == pytest.approx([best.logprob for best in lone], abs=1e-9)


@pytest.mark.parametrize("search", SEARCHES, ids=name)
@pytest.mark.parametrize("settings", SOME, ids=name)
def test_a_network_with_itself_is_itself(settings: Seq2SeqSettings, search: SearchSettings) -> None:
    task = transducer(settings)
    for one, twice in zip(find(task, search), find(replace(task, others=(task.network,)), search), strict=True):
        assert [best.tokens for best in one] == [best.tokens for best in twice]
        assert [best.score for best in one] == pytest.approx([best.score for best in twice], abs=1e-9)


@pytest.mark.parametrize("settings", BOTH_WAYS[:4], ids=name)
def test_from_both_ends_if_all_of_them_can(settings: Seq2SeqSettings) -> None:
    both, one = network(settings), network(FEW[0])
    assert Ensemble([both, both]).both_ways and not Ensemble([both, one]).both_ways
    task = together((settings, settings))
    for number, some in enumerate(task.search(SOURCES, BeamSettings(width=4), num_best=4)):
        for best in (one for one in some if one.finished):
            ways = []
            for way, ids in ((Transducer.look, target_ids(best.tokens)), (backwards, target_ids(best.tokens)[::-1])):
                (looked,) = way(task, [Example(SOURCES[number], ids.copy())], at=None)
                ways.append(sum(looked.logprobs))
            assert best.score == pytest.approx(sum(ways) / 2 / (len(best.tokens) + 1), abs=1e-9)


def backwards(task: Transducer, examples: list[Example], at: None) -> list:
    network, *others = [one.network.from_the_end() for one in alone(task)]
    return replace(task, network=network, others=tuple(others)).look(examples, at=at)


def test_the_shortest_of_their_limits_holds() -> None:
    some = [network(settings) for settings in FEW]
    free = next(one for one in some if one.most_source is one.most_target is None)
    short = deepcopy(next(one for one in some if one.most_source is not None))
    assert (short.most_source, short.most_target) == (SMALL["most"][0], None)
    short.decoder.most, less = 7, deepcopy(short)
    less.encoder.most = less.decoder.most = 5
    limits = [(one.most_source, one.most_target) for one in map(Ensemble, ([free], [short, free], [short, less]))]
    assert limits == [(None, None), (20, 7), (5, 5)]
