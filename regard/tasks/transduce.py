"""One sequence into another: texts become numbers, numbers become texts, and a network stands between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor

from regard.errors import located
from regard.evaluate.measure import Measure
from regard.models.ensemble import Ensemble, TwiceRead
from regard.models.seq2seq import Forced, Network, Seq2Seq
from regard.nn.dropout import Noise
from regard.nn.loss import Loss
from regard.search import BeamSettings, Hypothesis, SearchSettings
from regard.tasks.base import Between, Floats, Side, TaskName, check_lengths, in_batches
from regard.tasks.both_ways import agree
from regard.tasks.measures import chief
from regard.tasks.workers import choose
from regard.tasks.writing import FORWARDS, Sharing, write
from regard.text.batch import Batch, Example, Ids, collate, pad
from regard.text.pair import Pair
from regard.text.pictures import Pictures
from regard.text.tokenisers import Reader
from regard.text.tokenisers.base import BOS, EOS, PAD, Tokeniser
from regard.text.tokenisers.recalling import RecallingTokeniser


@dataclass(frozen=True)
class LengthRule:
    """How long an output may be: ratio · (S + 10) tokens, with a ratio that training showed to be enough."""

    ratio: float

    @staticmethod
    def learn(examples: Sequence[Example]) -> LengthRule:
        """A quarter more than nearly all of the training pairs need: the odd one out must not make search endless.

        And a quarter more than all of them need together, T/S, lest sources longer than any of them be cut.
        """
        ratios = [example.num_tokens / (len(example.source) + 10) for example in examples]
        together = sum(example.num_tokens for example in examples) / sum(len(example.source) for example in examples)
        return LengthRule(round(1.25 * max(float(np.quantile(ratios, 0.999)), together), 4))

    def max_length(self, source_length: int) -> int:
        return max(1, math.ceil(self.ratio * (source_length + 10)))


@dataclass(frozen=True)
class Looked:
    """A given output under the model: log p of each of its tokens (EOS last), and the weights if there are any."""

    logprobs: tuple[float, ...]
    weights_LHTS: Floats | None


@dataclass(frozen=True)
class Transducer(Between):
    name: ClassVar[TaskName] = "transduce"
    care: ClassVar[int] = 1

    network: Seq2Seq
    source: Reader
    target: Tokeniser
    length: LengthRule
    others: tuple[Seq2Seq, ...] = ()  # that write together with the network

    @cached_property
    def writer(self) -> Network:
        """Who searches: the network, or all of them together; each reads twice if it has learnt to."""
        networks = [self.network, *self.others]
        each = [TwiceRead(one) for one in networks] if self.reads_twice else networks
        return Ensemble(each) if self.others else each[0]

    @property
    def recalls(self) -> bool:
        """Whether the targets of similar pairs stand beside a source."""
        return isinstance(self.source, RecallingTokeniser)

    @property
    def reads_twice(self) -> bool:
        """With similar pairs, and without."""
        return isinstance(self.source, RecallingTokeniser) and self.source.alone

    @property
    def limits(self) -> dict[str, tuple[Side, int | None]]:
        return {"encoder": ("source", self.network.encoder.most), "decoder": ("target", self.network.decoder.most)}

    # pairs → numbers

    def examples(self, pairs: Sequence[Pair]) -> list[Example]:
        texts = [pair.source for pair in pairs]
        with located(lambda number: pairs[number].where):
            sources = self.source.read(texts) if isinstance(self.source, Pictures) else self._ids(texts)
        targets = self.target.encode_all([pair.target for pair in pairs])
        return [Example(source, target_ids(ids)) for source, ids in zip(sources, targets, strict=True)]

    def sources(self, texts: Sequence[str]) -> list[Ids]:
        """Of texts; or of pictures, given by their paths, as columns of pixels."""
        if isinstance(self.source, Pictures):
            return self.source.read(texts)
        found = self._ids(texts)
        check_lengths(texts, found, self.writer.most_source)
        return found

    def _ids(self, texts: Sequence[str]) -> list[Ids]:
        assert isinstance(self.source, Tokeniser)
        return [np.array([*ids, EOS], dtype=np.int64) for ids in self.source.encode_all(texts)]

    def max_length(self, source_length: int, given: int | None = None) -> int:
        """Tokens that an output may have: as given, or as the rule says; no more than the decoder has positions for."""
        most, wanted = self.writer.most_target, given or self.length.max_length(source_length)
        return wanted if most is None else min(wanted, most)

    # batch → loss

    def loss(
        self, examples: Sequence[Example], *, smoothing: float = 0.0, sampling: float = 0.0, noise: Noise | None = None
    ) -> Loss:
        batch = collate(examples, PAD)
        return self.network.loss(*self._tensors(batch), smoothing=smoothing, sampling=sampling, noise=noise)

    def watched(
        self, pairs: Sequence[Pair], examples: Sequence[Example], nll: float, search: SearchSettings
    ) -> Measure:
        found = self.search([example.source for example in examples], search)
        texts = [self.target.decode(best[0].tokens) for best in found]
        return chief(texts, [pair.references for pair in pairs], self.kinds)

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
        sharing = Sharing(choose(workers, self.device), batch_tokens)
        if self.writer.both_ways and isinstance(settings, BeamSettings) and settings.both_ways:
            return agree(self, sources, settings, sharing, num_best=num_best, prefix=prefix)
        return write(self, sources, settings, FORWARDS, sharing, num_best=num_best, prefix=prefix, names=names)

    def embed(self, sources: Sequence[Ids], *, workers: int | None = None, batch_tokens: int = 8192) -> Floats:
        """The encoder's summary of each source."""

        @torch.inference_mode()
        def one(numbers: Ids) -> list[Floats]:
            memory = self.network.encode(*self.read(*pad([sources[n] for n in numbers], PAD)))
            return list(memory.summary_BM.cpu().numpy())

        lengths = [len(source) for source in sources]
        rows: list[Floats] = in_batches(one, lengths, batch_tokens, choose(workers, self.device))
        return np.stack(rows) if rows else np.zeros((0, self.network.encoder.summary_size), dtype=np.float32)

    def look(
        self,
        examples: Sequence[Example],
        *,
        at: Literal["source", "past"] | None = "source",
        workers: int | None = None,
        batch_tokens: int = 4096,
    ) -> list[Looked]:
        """A second, forced pass over given outputs: exact under any search.

        The weights are those over the source, over what was written before, or none; of several networks there are
        none.
        """
        network = self.writer if at is None else self.network

        @torch.inference_mode()
        def one(numbers: Ids) -> list[Looked]:
            source_BS, source_length_B, target_BT, target_length_B = self._tensors(
                collate([examples[n] for n in numbers], PAD)
            )
            memory = network.encode(source_BS, source_length_B)
            forced = network.force(memory, target_BT, target_length_B, look=at == "source", back=at == "past")
            return one_by_one(forced, target_length_B, target_length_B if at == "past" else memory.length_B)

        lengths = [max(len(x.source), len(x.target)) for x in examples]
        return in_batches(one, lengths, batch_tokens, choose(workers, self.device))

    def look_within(self, sources: Sequence[Ids]) -> list[Floats]:
        """weights_LHSS of each source: where its positions looked at each other when it was read."""

        @torch.inference_mode()
        def one(numbers: Ids) -> list[Floats]:
            memory = self.network.encode(*self.read(*pad([sources[n] for n in numbers], PAD)), look=True)
            assert memory.weights_BLHSS is not None
            return without_padding(memory.weights_BLHSS, memory.length_B, memory.length_B)

        return in_batches(one, [len(source) for source in sources], 4096, choose(None, self.device))

    def _tensors(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        target = (torch.from_numpy(x).to(self.device) for x in (batch.target_BT, batch.target_length_B))
        return *self.read(batch.source_BS, batch.source_length_B), *target  # type: ignore[return-value]

    def read(self, source: Ids, length_B: Ids) -> tuple[Tensor, Tensor]:
        """What an encoder is given."""
        tensor = torch.from_numpy(source).to(self.device)
        if isinstance(self.source, Pictures):
            tensor = tensor.to(next(self.network.parameters()).dtype) / 255
        return tensor, torch.from_numpy(length_B).to(self.device)


def one_by_one(forced: Forced, num_rows_B: Tensor, num_columns_B: Tensor) -> list[Looked]:
    """Sentence by sentence."""
    weights: Sequence[Floats | None] = [None] * len(num_rows_B)
    if forced.weights_BLHTS is not None:
        weights = without_padding(forced.weights_BLHTS, num_rows_B, num_columns_B)
    logprobs = zip(forced.logprobs_BT, num_rows_B.tolist(), strict=True)
    said = [tuple(logprobs_T[:num_rows].tolist()) for logprobs_T, num_rows in logprobs]
    return list(map(Looked, said, weights))


def without_padding(weights_BLHTS: Tensor, num_rows_B: Tensor, num_columns_B: Tensor) -> list[Floats]:
    """The weights of each sentence; copies, lest one of them hold the whole batch."""
    shapes = zip(weights_BLHTS, num_rows_B.tolist(), num_columns_B.tolist(), strict=True)
    return [weights_LHTS[:, :, :rows, :columns].float().cpu().numpy().copy() for weights_LHTS, rows, columns in shapes]


def target_ids(ids: Sequence[int], *, ended: bool = True) -> Ids:
    return np.array([BOS, *ids, EOS] if ended else [BOS, *ids], dtype=np.int64)
