"""A text that goes on: how probable it is, and what may come next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from regard.errors import UserError
from regard.evaluate.measure import Measure, sign
from regard.models.language_model import LanguageModel
from regard.nn.dropout import Noise
from regard.nn.loss import Loss
from regard.nn.memory import State
from regard.search import Hypothesis, SearchSettings, search
from regard.search.state import Sentences, Step
from regard.tasks.base import Side, TaskName, check_lengths, in_batches, in_shares
from regard.tasks.transduce import Looked, one_by_one, target_ids
from regard.tasks.workers import choose
from regard.text.batch import Example, Ids, pad
from regard.text.pair import Pair
from regard.text.tokenisers import Reader
from regard.text.tokenisers.base import BOS, EOS, PAD, Tokeniser

NOTHING = np.zeros(0, dtype=np.int64)
LogProbs = NDArray[np.float64]
_WINDOWS = 1024  # of a running text, looked at together
OVERLAP = 4  # a window of a running text begins a quarter of a window after the one before


@dataclass(frozen=True)
class Writer:
    """`running` texts have no end: they are read in windows of `context` tokens. Others are lines, each by itself."""

    name: ClassVar[TaskName] = "language"
    care: ClassVar[int] = OVERLAP

    network: LanguageModel
    target: Tokeniser
    context: int
    running: bool

    @property
    def device(self) -> torch.device:
        return next(self.network.parameters()).device

    @property
    def tokenisers(self) -> dict[str, Reader]:
        return {"target": self.target}

    @property
    def limits(self) -> dict[str, tuple[Side, int | None]]:
        return {"trunk": ("target", self.network.trunk.most)}

    @property
    def stride(self) -> int:
        """How far apart the windows of a running text begin, when it is to be read with care."""
        return max(1, self.context // OVERLAP)

    @property
    def first(self) -> int:
        """What a text is read after. A running one begins on a new line, as many of its windows do."""
        return self.target.encode("\n")[-1] if self.running else BOS

    # texts → numbers

    def examples(self, pairs: Sequence[Pair]) -> list[Example]:
        """Each token is predicted once: in its line, or in one of the windows that stand side by side."""
        texts = self.target.encode_all([pair.target for pair in pairs])
        if not self.running:
            return [Example(NOTHING, target_ids(ids)) for ids in texts]
        return [example for ids in texts for example in self.windows(np.array(ids, dtype=np.int64), 0)]

    def windows(self, ids: Ids, first: int) -> list[Example]:
        """A running text in windows side by side; the first one has `first` tokens, if that is not 0."""
        if not len(ids):
            raise UserError("there is no text to learn from")
        cuts = [0, *range(first or self.context, len(ids), self.context), len(ids)]
        given = np.concatenate([[self.first], ids])
        return [Example(NOTHING, given[start : end + 1]) for start, end in pairwise(cuts)]

    # batch → loss

    def loss(
        self, examples: Sequence[Example], *, smoothing: float = 0.0, sampling: float = 0.0, noise: Noise | None = None
    ) -> Loss:
        text_BT, length_B = self._tensors([example.target for example in examples])
        return self.network.loss(text_BT, length_B - 1, smoothing=smoothing, noise=noise)

    def watched(
        self, pairs: Sequence[Pair], examples: Sequence[Example], nll: float, search: SearchSettings
    ) -> Measure:
        return self.bits(nll, pairs)

    # texts → probabilities

    def look(
        self, texts: Sequence[Ids], *, weights: bool = True, workers: int | None = None, batch_tokens: int = 4096
    ) -> list[Looked]:
        """log p of each token but the first, and where the model looked back."""

        @torch.inference_mode()
        def one(numbers: Ids) -> list[Looked]:
            text_BT, length_B = self._tensors([texts[n] for n in numbers])
            forced = self.network.force(text_BT, length_B - 1, look=weights)
            return one_by_one(forced, length_B - 1, length_B - 1)

        return in_batches(one, [len(text) for text in texts], batch_tokens, choose(workers, self.device))

    def logprobs(self, texts: Sequence[str], *, workers: int | None = None) -> list[LogProbs]:
        """log p of each token of each text, and of its end if it has one.

        Each token of a running text is predicted once, with three quarters of a context to a whole one before it
        (with less only where there is less).
        """
        if not self.running:
            lines = [target_ids(ids) for ids in self.target.encode_all(texts)]
            check_lengths(texts, [line[1:] for line in lines], self.network.trunk.most)
            return [np.array(looked.logprobs) for looked in self.look(lines, weights=False, workers=workers)]
        return [self._running_logprobs(self.prompt(text), workers) for text in texts]

    def _running_logprobs(self, ids: list[int], workers: int | None) -> LogProbs:
        given, stride = np.array([self.first, *ids], dtype=np.int64), self.stride
        starts = range(0, max(1, len(ids) - self.context + stride), stride)
        logprob_T, done = np.empty(len(ids)), 0
        # some at a time: a long text has more windows than fit into memory
        for first in range(0, len(starts) if ids else 0, _WINDOWS):
            some = starts[first : first + _WINDOWS]
            windows = [given[start : start + self.context + 1] for start in some]
            for start, window in zip(some, self.look(windows, weights=False, workers=workers), strict=True):
                end = start + len(window.logprobs)
                logprob_T[done:end] = window.logprobs[done - start :]
                done = end
        assert done == len(ids)
        return logprob_T

    def bits(self, nll: float, pairs: Sequence[Pair], stride: int | None = None) -> Measure:
        """Bits per character: −log₂ p of the texts, divided by their characters (a line's end is one)."""
        num_characters = sum(len(pair.target) + (not self.running) for pair in pairs)
        unit = f"context:{self.context}|stride:{stride or self.context}" if self.running else "unit:line"
        value = nll / math.log(2) / num_characters
        return Measure("bits/char", value, sign(unit, f"tok:{self.target.kind}"), False)

    # prompts → texts

    def search(
        self,
        prompts: Sequence[Sequence[int]],
        settings: SearchSettings,
        *,
        max_length: int,
        num_best: int = 1,
        before: Sequence[int] | None = None,
        names: Sequence[int] | None = None,
    ) -> list[list[Hypothesis]]:
        """How texts that begin with these prompts may go on: hypotheses hold the prompt and at most `max_length` more.

        `before` has the token that stands before each prompt, if it is not the first of its text. `names` tell the
        prompts apart in sampling.
        """
        lengths = [self._room(len(prompt), max_length) for prompt in prompts]

        def begin(numbers: Ids) -> Sentences[State]:
            return Sentences(
                self.network.start(len(numbers)),
                torch.tensor([lengths[n] for n in numbers], device=self.device),
                first=None if before is None else [before[n] for n in numbers],
                prefixes=[prompts[n] for n in numbers],
                numbers=numbers.tolist() if names is None else [names[n] for n in numbers],
            )

        @torch.inference_mode()
        def walk(batches: list[Ids]) -> list[list[Hypothesis]]:
            banned = (PAD, BOS, EOS) if self.running else (PAD, BOS)
            return search(
                settings, map(begin, batches), self._step, bos=self.first, eos=EOS, banned=banned, num_best=num_best
            )

        return in_shares(walk, lengths, 8192, choose(None, self.device))

    def _room(self, prompt_length: int, max_length: int) -> int:
        """Tokens that a text may have: as many as asked for, and no more than there are positions."""
        most = self.network.trunk.most
        if most is not None and prompt_length >= most:
            raise UserError(
                f"a prompt of {prompt_length:,} tokens: this model has {most:,} positions in all (learned ones); "
                "shorten it"
            )
        return prompt_length + max_length if most is None else min(prompt_length + max_length, most)

    def prompt(self, text: str) -> list[int]:
        """The ids of a text by itself. A running one begins on a new line: what comes before a text's first word, if it
        is not the first of all, is a new line and no blank."""
        if not self.running:
            return self.target.encode(text)
        line = self.target.encode("\n")
        ids = self.target.encode(f"\n{text}")
        return ids[len(line) :] if ids[: len(line)] == line else self.target.encode(text)

    def _step(self, token_R: torch.Tensor, state: State) -> Step[State]:
        logits_RV, _, state = self.network.step(token_R, state)
        return Step(logits_RV, None, state)

    def _tensors(self, texts: Sequence[Ids]) -> tuple[torch.Tensor, torch.Tensor]:
        text_BT, length_B = pad(texts, PAD)
        return torch.from_numpy(text_BT).to(self.device), torch.from_numpy(length_B).to(self.device)
