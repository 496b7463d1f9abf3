"""Search with a network: sources in shares and batches, a state for each, one way or the other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from regard.models.seq2seq import Network
from regard.search import BeamSettings, Hypothesis, SearchSettings, search
from regard.search.state import Sentences, Step, StepFunction
from regard.tasks.base import in_shares
from regard.text.batch import Ids, pad
from regard.text.tokenisers.base import BOS, EOS, PAD

if TYPE_CHECKING:
    from regard.tasks.transduce import Transducer

ENCODED = 2048  # tokens: small batches are encoded together, but what an encoder holds shall stay in the cache


class Way(NamedTuple):
    """What an output is written after, and what ends it."""

    first: int
    last: int

    def network(self, network: Network) -> Network:
        """As it writes this way."""
        return network if self.first == BOS else network.from_the_end()


FORWARDS, BACKWARDS = Way(BOS, EOS), Way(EOS, BOS)


class Sharing(NamedTuple):
    """How many workers share the sources, and how many tokens a batch of theirs has."""

    workers: int
    batch_tokens: int


def write(
    task: Transducer,
    sources: Sequence[Ids],
    settings: SearchSettings,
    way: Way,
    sharing: Sharing,
    *,
    num_best: int,
    by_the_way: int = 0,
    prefix: Sequence[int] = (),
    names: Sequence[int] | None = None,
) -> list[list[Hypothesis]]:
    """The hypotheses of each source, written one way; backwards, their last token comes first."""
    network, device = way.network(task.writer), task.device
    # a sentence takes as many rows as it has hypotheses side by side
    width = settings.width if isinstance(settings, BeamSettings) else num_best
    twin = network.twin(width=width, num_rows=width * sum(map(len, sources)))
    step = _steps(network, twin, look=isinstance(settings, BeamSettings) and settings.coverage > 0)

    tokens, together = max(1, sharing.batch_tokens // width), 1
    if isinstance(settings, BeamSettings):  # it has two batches in hand, less what has left and what is given up
        tokens = max(1, 3 * tokens // 4)
        together = max(1, round(ENCODED / tokens))

    def begin(batches: list[Ids]) -> Iterator[Sentences[Any]]:
        for first in range(0, len(batches), together):
            some = batches[first : first + together]
            read = pad([sources[n] for numbers in some for n in numbers], PAD)
            encoded = network.encode(*task.read(*read))
            ends = itertools.accumulate(map(len, some))
            for numbers, end in zip(some, ends, strict=True):
                memory = encoded.keep(torch.arange(end - len(numbers), end, device=device))
                max_lengths = [task.max_length(len(sources[n]), settings.max_length) for n in numbers]
                yield Sentences(
                    network.start(memory, twin),
                    torch.tensor(max_lengths, device=device),
                    prefixes=[prefix] * len(numbers),
                    numbers=numbers.tolist() if names is None else [names[n] for n in numbers],
                    source_mask_BS=memory.mask_BS,
                )

    @torch.inference_mode()  # which each thread has to say for itself
    def walk(batches: list[Ids]) -> list[list[Hypothesis]]:
        return search(
            settings,
            begin(batches),
            step,
            bos=way.first,
            eos=way.last,
            banned=(PAD, way.first),
            num_best=num_best,
            by_the_way=by_the_way,
        )

    return in_shares(walk, [len(source) for source in sources], tokens, sharing.workers)


def _steps(network: Network, twin: Any, *, look: bool) -> StepFunction[Any]:
    def step(token_R: Tensor, state: Any) -> Step[Any]:
        logits_RV, weights_RLHTS, state = network.step(token_R, state, twin, look=look)
        # one distribution a row, whatever the number of layers and heads: coverage asks how much a position got
        return Step(logits_RV, None if weights_RLHTS is None else weights_RLHTS.mean((1, 2, 3)), state)

    return step
