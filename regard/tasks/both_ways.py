"""What both ways of a model that writes from either end agree on.

Written forwards, an output begins well and drifts; written backwards, it ends well. What either way finds is judged by
both: (log P→(y | x) + log P←(y | x)) / 2, over what the beam divides by (after Liu et al. 2016, "Agreement on
target-bidirectional neural machine translation").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from regard.models.seq2seq import Network, turned
from regard.search import BeamSettings, Hypothesis
from regard.search.beam import normaliser
from regard.tasks.base import in_batches
from regard.tasks.writing import BACKWARDS, FORWARDS, Sharing, write
from regard.text.batch import Ids, pad
from regard.text.tokenisers.base import BOS, EOS, PAD

if TYPE_CHECKING:
    from regard.tasks.transduce import Transducer

Tokens = tuple[int, ...]


def agree(
    task: Transducer,
    sources: Sequence[Ids],
    settings: BeamSettings,
    sharing: Sharing,
    *,
    num_best: int,
    prefix: Sequence[int] = (),
) -> list[list[Hypothesis]]:
    """The best of what a beam finds from either end, ranked by what both ways say of it; then, forwards, what was cut.

    Each way searches for as many as are asked for, and all that it finds on the way is judged.
    """
    writer, by_the_way = task.writer, settings.width - num_best
    forwards = write(
        task, sources, settings, FORWARDS, sharing, num_best=num_best, by_the_way=by_the_way, prefix=prefix
    )
    # what an output has to begin with cannot be said first by who begins at its end
    backwards: list[list[Hypothesis]] = [[] for _ in sources]
    if not prefix:
        backwards = write(task, sources, settings, BACKWARDS, sharing, num_best=num_best, by_the_way=by_the_way)
    given = [_candidates(*found) for found in zip(forwards, backwards, strict=True)]

    @torch.inference_mode()
    def rank(numbers: Ids) -> list[list[Hypothesis]]:
        memory = writer.encode(*task.read(*pad([sources[n] for n in numbers], PAD)))
        judged = _judge(writer, memory, [given[n] for n in numbers], settings)
        cut = ([one for one in forwards[n] if not one.finished] for n in numbers)
        return [[*whole, *others][:num_best] for whole, others in zip(judged, cut, strict=True)]

    lengths = [max([len(source), *map(len, some)]) for source, some in zip(sources, given, strict=True)]
    return in_batches(rank, lengths, max(1, sharing.batch_tokens // (2 * settings.width)), sharing.workers)


def _candidates(forwards: Sequence[Hypothesis], backwards: Sequence[Hypothesis]) -> list[Tokens]:
    """What either way has brought to an end, each once."""
    whole = [one.tokens for one in forwards if one.finished]
    return list(dict.fromkeys([*whole, *(one.tokens[::-1] for one in backwards if one.finished)]))


def _judge(
    network: Network, memory: Any, given: Sequence[Sequence[Tokens]], settings: BeamSettings
) -> list[list[Hypothesis]]:
    """The candidates of each sentence, best first."""
    judged: list[list[Hypothesis]] = [[] for _ in given]
    owners = [number for number, some in enumerate(given) for _ in some]
    every = [tokens for some in given for tokens in some]
    if not every:
        return judged
    target_RT, length_R = (
        torch.from_numpy(part).to(memory.length_B) for part in pad([np.array([BOS, *y, EOS]) for y in every], PAD)
    )
    length_R = length_R - 1  # what it begins with is not predicted
    of_each = memory.keep(memory.length_B.new_tensor(owners))
    forwards_R, backwards_R = (
        way.network(network).force(of_each, way_RT, length_R).logprobs_BT.sum(dim=1)
        for way, way_RT in ((FORWARDS, target_RT), (BACKWARDS, turned(target_RT, length_R)))
    )
    score_R = (forwards_R + backwards_R) / 2 / normaliser(settings, length_R)
    for owner, tokens, logprob, score in zip(owners, every, forwards_R.tolist(), score_R.tolist(), strict=True):
        judged[owner].append(Hypothesis(tokens, logprob, score, True))
    return [sorted(some, key=lambda one: one.score, reverse=True) for some in judged]
