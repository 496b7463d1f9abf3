"""What search says of its outputs is what the network says of them, however they are found and batched."""

from __future__ import annotations

from typing import get_args

import msgspec
import numpy as np
import pytest
from variants import FEW, examples, name, network

from regard.models import Seq2SeqSettings
from regard.search import BeamSettings, GreedySettings, Hypothesis, SampleSettings, SearchSettings
from regard.tasks.transduce import LengthRule, Transducer, target_ids
from regard.text import tokenisers
from regard.text.batch import Example
from regard.text.tokenisers import CharSettings

SEARCHES: list[SearchSettings] = [GreedySettings(), BeamSettings(width=3), SampleSettings(temperature=1.5)]
SOURCES = [example.source for example in examples()]


def test_every_kind_of_search_is_here() -> None:
    assert {type(settings) for settings in SEARCHES} == set(get_args(SearchSettings))


def transducer(settings: Seq2SeqSettings) -> Transducer:
    tokeniser = tokenisers.train(CharSettings(), [])  # nobody asks it: the tests speak in numbers
    return Transducer(network(settings), tokeniser, tokeniser, LengthRule(0.5))


def find(task: Transducer, settings: SearchSettings, batch_tokens: int = 4096) -> list[list[Hypothesis]]:
    num_best = 1 if isinstance(settings, GreedySettings) else 3
    return task.search(SOURCES, settings, num_best=num_best, batch_tokens=batch_tokens)


@pytest.mark.parametrize("search", SEARCHES, ids=name)
@pytest.mark.parametrize("settings", FEW, ids=name)
def test_logprobs_are_those_of_forced_decoding(settings: Seq2SeqSettings, search: SearchSettings) -> None:
    task = transducer(settings)
    found = [(source, best) for source, some in zip(SOURCES, find(task, search), strict=True) for best in some]
    looked = task.look([Example(source, target_ids(best.tokens)) for source, best in found])
    for (_, best), one in zip(found, looked, strict=True):
        said = one.logprobs if best.finished else one.logprobs[:-1]
        assert best.logprob == pytest.approx(sum(said), abs=1e-9)
        assert len(one.logprobs) == len(best.tokens) + 1


@pytest.mark.parametrize("search", [*SEARCHES, BeamSettings(width=3, coverage=0.2)], ids=name)
@pytest.mark.parametrize("settings", FEW, ids=name)
def test_outputs_do_not_depend_on_the_batch(settings: Seq2SeqSettings, search: SearchSettings) -> None:
    task = transducer(settings)
    if isinstance(search, BeamSettings) and search.coverage and not task.network.decoder.attends:
        pytest.skip("it looks at nothing")
    if isinstance(search, BeamSettings) and search.coverage and task.network.both_ways:
        pytest.skip("refused")
    for together, alone in zip(find(task, search), find(task, search, batch_tokens=1), strict=True):
        assert [best.tokens for best in together] == [best.tokens for best in alone]
        assert [best.logprob for best in together] == pytest.approx([best.logprob for best in alone], abs=1e-9)


@pytest.mark.parametrize("search", SEARCHES, ids=name)
def test_a_length_that_is_given_is_the_longest(search: SearchSettings) -> None:
    """In the place of what the training pairs showed: shorter, or longer."""
    task = transducer(FEW[0])
    usual = max(task.max_length(len(source)) for source in SOURCES)
    for given in (2, 3 * usual):
        found = find(task, msgspec.structs.replace(search, max_length=given))
        lengths = [len(best.tokens) for some in found for best in some if not best.finished]
        assert all(length == given for length in lengths)
        assert lengths or given > usual


@pytest.mark.parametrize("search", SEARCHES, ids=name)
@pytest.mark.parametrize("settings", FEW[::3], ids=name)
def test_outputs_do_not_depend_on_the_number_of_workers(settings: Seq2SeqSettings, search: SearchSettings) -> None:
    task = transducer(settings)
    one, three = (task.search(SOURCES * 3, search, workers=workers, batch_tokens=16) for workers in (1, 3))
    assert one == three, "to the bit"


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_a_beam_of_one_is_greedy(settings: Seq2SeqSettings) -> None:
    task, alone = transducer(settings), BeamSettings(width=1, both_ways=False)
    for narrow, greedy in zip(task.search(SOURCES, alone), find(task, GreedySettings()), strict=True):
        assert narrow[0].tokens == greedy[0].tokens
        assert narrow[0].logprob == pytest.approx(greedy[0].logprob, abs=1e-9)


def test_the_outputs_are_worth_looking_at() -> None:
    """Some end and some are cut off, and they differ: otherwise the tests above would show little."""
    found = [best for settings in FEW for some in find(transducer(settings), SEARCHES[1]) for best in some]
    assert {best.finished for best in found} == {True, False}
    assert np.unique([len(best.tokens) for best in found]).size > 4
