"""A network that has learnt to do without similar pairs reads a source with them and without: the mean of both."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from test_contract_search import SEARCHES, SOURCES, transducer
from variants import FEW, covering, name

from regard.models import Seq2SeqSettings
from regard.search import GreedySettings, SearchSettings
from regard.tasks.transduce import Transducer, target_ids
from regard.text.batch import Example
from regard.text.tokenisers.base import EOS
from regard.text.tokenisers.recalling import RecallingTokeniser, alone

SOME = covering(FEW)
# something like it beside each source, and nothing beside the last
BESIDE = [np.array([*source, *other[:number], EOS]) for number, (source, other) in enumerate(pairwise(SOURCES))]
BESIDE.append(SOURCES[-1])


def twice(settings: Seq2SeqSettings) -> Transducer:
    task = transducer(settings)
    assert not isinstance(task.source, RecallingTokeniser)
    return replace(task, source=RecallingTokeniser(task.target, task.target, [], 1, alone=True))


def test_alone_a_source_is_as_if_nothing_had_been_beside_it() -> None:
    for source, beside in zip(SOURCES, BESIDE, strict=True):
        assert alone(beside).tolist() == source.tolist()
    assert any(len(source) < len(beside) for source, beside in zip(SOURCES, BESIDE, strict=True))


@pytest.mark.parametrize("settings", SOME, ids=name)
def test_the_probability_of_a_token_is_the_mean_of_both_readings(settings: Seq2SeqSettings) -> None:
    target, once = target_ids([5, 6, 5]), transducer(settings)
    found = twice(settings).look([Example(source, target) for source in BESIDE], at=None)
    each = (
        [np.exp(one.logprobs) for one in once.look([Example(x, target) for x in some])] for some in (BESIDE, SOURCES)
    )
    differences = []
    for one, beside, by_itself in zip(found, *each, strict=True):
        assert np.exp(one.logprobs) == pytest.approx((beside + by_itself) / 2, abs=1e-12)
        differences.append(np.abs(beside - by_itself).max())
    assert max(differences) > 1e-6, "or this would show nothing"
    assert differences[-1] < 1e-12, "nothing stands beside the last"


@pytest.mark.parametrize("search", SEARCHES, ids=name)
@pytest.mark.parametrize("settings", SOME, ids=name)
def test_what_search_says_is_what_is_said_of_given_outputs_in_any_batch(
    settings: Seq2SeqSettings, search: SearchSettings
) -> None:
    task, num_best = twice(settings), 1 if isinstance(search, GreedySettings) else 3
    found, lone = (task.search(BESIDE, search, num_best=num_best, batch_tokens=size) for size in (4096, 1))
    said = [(source, best) for source, some in zip(BESIDE, found, strict=True) for best in some]
    looked = task.look([Example(source, target_ids(best.tokens)) for source, best in said], at=None)
    for (_, best), one in zip(said, looked, strict=True):
        assert best.logprob == pytest.approx(sum(one.logprobs if best.finished else one.logprobs[:-1]), abs=1e-9)
    assert [[best.tokens for best in some] for some in found] == [[best.tokens for best in some] for some in lone]
