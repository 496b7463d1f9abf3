"""One sequence into another: texts become numbers, numbers become texts, and a network stands between."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from regard.models.seq2seq import Seq2Seq, Twin
from regard.nn.dropout import Noise
from regard.nn.loss import Loss
from regard.nn.memory import State
from regard.search import BeamSettings, Hypothesis, SearchSettings, search
from regard.search.state import Sentences, Step, StepFunction
from regard.tasks.measures import Kinds
from regard.tasks.workers import choose, shares, side_by_side
from regard.text.batch import Batch, Example, Ids, collate, fill, pad
from regard.text.pair import Pair
from regard.text.tokenisers.base import BOS, EOS, PAD, Tokeniser

T = TypeVar("T")
ENCODED = 2048  # tokens: small batches are encoded together, but what an encoder holds shall stay in the cache


@dataclass(frozen=True)
class LengthRule:
    """How long an output may be: ratio · (S + 10) tokens, with a ratio that training showed to be enough."""

    ratio: float

    @staticmethod
    def learn(examples: Sequence[Example]) -> LengthRule:
        """A quarter more than nearly all of the training pairs need: the odd one out must not make search endless."""
        ratios = [example.num_tokens / (len(example.source) + 10) for example in examples]
        return LengthRule(round(1.25 * float(np.quantile(ratios, 0.999)), 4))

    def max_length(self, source_length: int) -> int:
        return max(1, math.ceil(self.ratio * (source_length + 10)))


@dataclass(frozen=True)
class Looked:
    """A given output under the model: log p of each of its tokens (EOS last), and the weights if there are any."""

    logprobs: tuple[float, ...]
    weights_LHTS: np.ndarray[tuple[int, ...], np.dtype[np.float32]] | None


@dataclass(frozen=True)
class Transducer:
    network: Seq2Seq
    source: Tokeniser
    target: Tokeniser
    length: LengthRule

    @property
    def device(self) -> torch.device:
        return next(self.network.parameters()).device

    @property
    def kinds(self) -> Kinds:
        return Kinds(self.source.kind, self.target.kind)

    # pairs → numbers

    def examples(self, pairs: Sequence[Pair]) -> list[Example]:
        sources = self.sources([pair.source for pair in pairs])
        targets = self.target.encode_all([pair.target for pair in pairs])
        return [Example(source, target_ids(ids)) for source, ids in zip(sources, targets, strict=True)]

    def sources(self, texts: Sequence[str]) -> list[Ids]:
        return [np.array([*ids, EOS], dtype=np.int64) for ids in self.source.encode_all(texts)]

    # batch → loss

    def loss(
        self, examples: Sequence[Example], *, smoothing: float = 0.0, sampling: float = 0.0, noise: Noise | None = None
    ) -> Loss:
        batch = collate(examples, PAD)
        return self.network.loss(*self._tensors(batch), smoothing=smoothing, sampling=sampling, noise=noise)

    # texts → predictions

    @torch.inference_mode()
    def search(
        self,
        sources: Sequence[Ids],
        settings: SearchSettings,
        *,
        num_best: int = 1,
        prefix: Sequence[int] = (),
        names: Sequence[int] | None = None,
        workers: int | None = None,
        batch_tokens: int = 8192,
    ) -> list[list[Hypothesis]]:
        """The hypotheses of each source, in order; they do not depend on how the sources are batched.

        `names` tell the sources apart in sampling: what is drawn for one follows from its name and the seed. `workers`
        share the sources, each on one core: all cores if not given.
        """

        # a sentence takes as many rows as it has hypotheses side by side
        width = settings.width if isinstance(settings, BeamSettings) else num_best
        twin = self.network.twin(width=width, num_rows=width * sum(map(len, sources)))

        tokens, together = max(1, batch_tokens // width), 1
        if isinstance(settings, BeamSettings):  # it has two batches in hand, less what has left and what is given up
            tokens = max(1, 3 * tokens // 4)
            together = max(1, round(ENCODED / tokens))

        def begin(batches: list[Ids]) -> Iterator[Sentences[State]]:
            for first in range(0, len(batches), together):
                some = batches[first : first + together]
                read = pad([sources[n] for numbers in some for n in numbers], PAD)
                source_BS, length_B = (torch.from_numpy(x).to(self.device) for x in read)
                encoded = self.network.encode(source_BS, length_B)
                ends = itertools.accumulate(map(len, some))
                for numbers, end in zip(some, ends, strict=True):
                    memory = encoded.keep(torch.arange(end - len(numbers), end, device=self.device))
                    max_lengths = [self.length.max_length(len(sources[n])) for n in numbers]
                    yield Sentences(
                        self.network.start(memory, twin),
                        torch.tensor(max_lengths, device=self.device),
                        prefixes=[prefix] * len(numbers),
                        numbers=numbers.tolist() if names is None else [names[n] for n in numbers],
                        source_mask_BS=memory.mask_BS,
                    )

        @torch.inference_mode()  # which each thread has to say for itself
        def walk(batches: list[Ids]) -> list[list[Hypothesis]]:
            step = self._step(twin, look=isinstance(settings, BeamSettings) and settings.coverage > 0)
            return search(settings, begin(batches), step, bos=BOS, eos=EOS, banned=(PAD, BOS), num_best=num_best)

        return in_shares(walk, [len(source) for source in sources], tokens, choose(workers, self.device))

    @torch.inference_mode()
    def look(self, examples: Sequence[Example], *, weights: bool = True, batch_tokens: int = 4096) -> list[Looked]:
        """A second, forced pass over given outputs: exact under any search."""

        def one(numbers: Ids) -> list[Looked]:
            source_BS, source_length_B, target_BT, target_length_B = self._tensors(
                collate([examples[n] for n in numbers], PAD)
            )
            memory = self.network.encode(source_BS, source_length_B)
            forced = self.network.force(memory, target_BT, target_length_B, look=weights)
            return [
                Looked(
                    tuple(forced.logprobs_BT[row, :num_target].tolist()),
                    None
                    if forced.weights_BLHTS is None
                    else forced.weights_BLHTS[row, :, :, :num_target, :num_source].float().cpu().numpy(),
                )
                for row, (num_target, num_source) in enumerate(
                    zip(target_length_B.tolist(), source_length_B.tolist(), strict=True)
                )
            ]

        return in_batches(one, [max(len(x.source), len(x.target)) for x in examples], batch_tokens)

    def _step(self, twin: Twin | None, *, look: bool) -> StepFunction[State]:
        def step(token_R: Tensor, state: State) -> Step[State]:
            logits_RV, weights_RLHTS, state = self.network.step(token_R, state, twin, look=look)
            # one distribution a row, whatever the number of layers and heads: coverage asks how much a position got
            return Step(logits_RV, None if weights_RLHTS is None else weights_RLHTS.mean((1, 2, 3)), state)

        return step

    def _tensors(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        arrays = (batch.source_BS, batch.source_length_B, batch.target_BT, batch.target_length_B)
        return tuple(torch.from_numpy(x).to(self.device) for x in arrays)  # type: ignore[return-value]


def target_ids(ids: Sequence[int]) -> Ids:
    return np.array([BOS, *ids, EOS], dtype=np.int64)


def in_batches(one: Callable[[Ids], list[T]], lengths: Sequence[int], tokens: int) -> list[T]:
    """Apply `one` to batches of items of like length; the results in the order of the items."""
    batches = batches_by_length(lengths, tokens)
    return _in_order(batches, [result for numbers in batches for result in one(numbers)])


def in_shares(walk: Callable[[list[Ids]], list[T]], lengths: Sequence[int], tokens: int, workers: int) -> list[T]:
    """Let `workers` go through shares of the batches, on one core each; the results in the order of the items.

    What is shared out depends on the machine and not on the number of workers, and neither do the bits of the results.
    """
    batches = batches_by_length(lengths, tokens)
    batches.reverse()  # the longest first: what is short fills the gaps that are left at the end
    sizes = [len(numbers) * lengths[numbers[-1]] for numbers in batches]
    # one a core of the machine, whoever walks them; more if there is so much to do that one core may fall behind
    num_cores = os.cpu_count() or 1
    num_shares = min(len(batches), num_cores * math.ceil(len(batches) / num_cores / 16))
    parts = [[batches[n] for n in share] for share in shares(sizes, num_shares)]
    found = side_by_side(walk, parts, workers)
    return _in_order([numbers for part in parts for numbers in part], [result for some in found for result in some])


def _in_order(batches: Sequence[Ids], found: Sequence[T]) -> list[T]:
    results = dict(zip((number for numbers in batches for number in numbers.tolist()), found, strict=True))
    return [results[number] for number in range(len(results))]


def batches_by_length(lengths: Sequence[int], tokens: int) -> list[Ids]:
    if not lengths:
        return []
    order = np.argsort(np.array(lengths), kind="stable")
    return [order[batch] for batch in fill(np.array(lengths)[order], tokens)]
