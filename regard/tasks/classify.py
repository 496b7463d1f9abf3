"""A text into one of some labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from regard.errors import UserError
from regard.evaluate.measure import Measure
from regard.models.classifier import Classifier
from regard.nn.dropout import Noise
from regard.nn.loss import Loss
from regard.search import SearchSettings
from regard.tasks.base import Between, Floats, Side, TaskName, check_lengths, in_batches
from regard.tasks.measures import chief
from regard.tasks.workers import choose
from regard.text.batch import Example, Ids, pad
from regard.text.pair import Pair
from regard.text.tokenisers.base import BOS, EOS, PAD, Tokeniser
from regard.text.tokenisers.label import LabelTokeniser


@dataclass(frozen=True)
class Labelled:
    """What a classifier says of a text: log p of each label, its embedding, and where each hop looked."""

    logprobs_C: Floats
    summary_M: Floats
    hops_RS: Floats | None


@dataclass(frozen=True)
class Labeller(Between):
    name: ClassVar[TaskName] = "classify"
    care: ClassVar[int] = 1

    network: Classifier
    source: Tokeniser
    target: LabelTokeniser

    @property
    def limits(self) -> dict[str, tuple[Side, int | None]]:
        return {"encoder": ("source", self.network.encoder.most)}

    # pairs → numbers

    def examples(self, pairs: Sequence[Pair]) -> list[Example]:
        """A label is a target of one token."""
        sources = self._ids([pair.source for pair in pairs])
        return [Example(source, self._label(pair)) for source, pair in zip(sources, pairs, strict=True)]

    def sources(self, texts: Sequence[str]) -> list[Ids]:
        found = self._ids(texts)
        check_lengths(texts, found, self.network.encoder.most)
        return found

    def _ids(self, texts: Sequence[str]) -> list[Ids]:
        return [np.array([*ids, EOS], dtype=np.int64) for ids in self.source.encode_all(texts)]

    # batch → loss

    def loss(
        self, examples: Sequence[Example], *, smoothing: float = 0.0, sampling: float = 0.0, noise: Noise | None = None
    ) -> Loss:
        class_B = torch.tensor([example.target[1] for example in examples], device=self.device) - self.target.first
        return self.network.loss(
            *self._tensors([example.source for example in examples]), class_B, smoothing=smoothing, noise=noise
        )

    def watched(
        self, pairs: Sequence[Pair], examples: Sequence[Example], nll: float, search: SearchSettings
    ) -> Measure:
        said = self.labels(self.label([example.source for example in examples]))
        return chief(said, [pair.references for pair in pairs], self.kinds)

    # texts → predictions

    def label(self, sources: Sequence[Ids], *, workers: int | None = None, batch_tokens: int = 8192) -> list[Labelled]:
        @torch.inference_mode()
        def one(numbers: Ids) -> list[Labelled]:
            logprobs_BC, memory = self.network(*self._tensors([sources[n] for n in numbers]))
            hops: list[Floats | None] = [None] * len(numbers)
            if memory.hops_BRS is not None:
                hops = [
                    hops_RS[:, : len(sources[n])].cpu().numpy()
                    for n, hops_RS in zip(numbers, memory.hops_BRS, strict=True)
                ]
            rows = zip(logprobs_BC.cpu().numpy(), memory.summary_BM.cpu().numpy(), hops, strict=True)
            return [Labelled(*row) for row in rows]

        lengths = [len(source) for source in sources]
        return in_batches(one, lengths, batch_tokens, choose(workers, self.device))

    def labels(self, found: Sequence[Labelled]) -> list[str]:
        """The most probable label of each."""
        return [self.target.labels[int(one.logprobs_C.argmax())] for one in found]

    def _label(self, pair: Pair) -> Ids:
        ids = self.target.encode(pair.target)
        if len(ids) != 1 or ids[0] < self.target.first:
            known = self.target.labels
            some = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
            raise UserError(f"{pair.where or 'a pair'}: `{pair.target}` is not a label to learn: those are {some}")
        return np.array([BOS, *ids], dtype=np.int64)

    def _tensors(self, sources: Sequence[Ids]) -> tuple[Tensor, Tensor]:
        source_BS, length_B = pad(sources, PAD)
        return torch.from_numpy(source_BS).to(self.device), torch.from_numpy(length_B).to(self.device)
