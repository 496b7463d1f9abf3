"""A model that goes on with a text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from regard.errors import UserError, located
from regard.evaluate.measure import Measure
from regard.explain.inspection import START, Inspection, Piece
from regard.model.base import Model, pieces, several
from regard.search import BeamSettings, SampleSettings, SearchSettings
from regard.tasks.evaluation import Evaluation
from regard.tasks.language import Writer
from regard.tasks.transduce import target_ids
from regard.text.pair import Pair

NOTHING = Piece("⟨nothing⟩", 0, 0)
MOST_NATS = 700.0  # of a token: e to the power of more is no number any more


@dataclass(frozen=True, repr=False)
class LanguageModel(Model):
    task: Writer
    does = "goes on with a text"
    command = "generate"

    def generate(
        self,
        prompt: str = "",
        *,
        settings: SearchSettings | None = None,
        max_length: int = 200,
        count: int = 1,
    ) -> list[str]:
        """`count` texts that begin with the prompt and go on for at most `max_length` tokens.

        Without `settings`, tokens are drawn as probable as the model holds them to be.
        """
        settings = SampleSettings() if settings is None else settings
        max_length = min(max_length, settings.max_length or max_length)
        if isinstance(settings, BeamSettings) and settings.coverage > 0:
            raise UserError("a coverage penalty is for what was read of a source, and there is none: leave it at 0")
        if max_length < 1 or count < 1:
            raise UserError(f"{count} texts of {max_length} tokens were asked for: ask for at least one of one token")
        begun = self.task.prompt(prompt)
        ids = [begun] * (count if isinstance(settings, SampleSettings) else 1)
        num_best = 1 if isinstance(settings, SampleSettings) else count
        found = self._going_on(ids, settings, max_length, num_best)
        # a blank at the very beginning is not in what tokens say together
        said = len(self.task.target.decode(begun))
        return [prompt + self.task.target.decode(one)[said:] for one in found]

    def _going_on(
        self, prompts: list[list[int]], settings: SearchSettings, max_length: int, num_best: int
    ) -> list[list[int]]:
        """A running text is written a window at a time: half a window of what was written is the next prompt."""
        if not self.task.running:
            found = self.task.search(prompts, settings, max_length=max_length, num_best=num_best)
            return [list(one.tokens) for best in found for one in best]
        texts, done, turn = prompts, 0, 0
        while done < max_length:
            texts, more = self._window(texts, settings, max_length - done, turn, num_best if turn == 0 else 1)
            done, turn = done + more, turn + 1
        return texts

    def _window(
        self, texts: list[list[int]], settings: SearchSettings, left: int, turn: int, num_best: int
    ) -> tuple[list[list[int]], int]:
        """Each text, going on in `num_best` ways as far as a window reaches; and how many tokens that are."""
        half = self.task.context // 2
        held = [text[-half:] for text in texts]
        before = [text[-half - 1] if len(text) > half else self.task.first for text in texts]
        room = min(left, self.task.context - max(map(len, held)))
        names = [number + turn * 1_000_003 for number in range(len(texts))]  # another draw in each window
        found = self.task.search(held, settings, max_length=room, num_best=num_best, before=before, names=names)
        longer = [
            [*text, *one.tokens[len(begun) :]]
            for text, begun, best in zip(texts, held, found, strict=True)
            for one in best
        ]
        return longer, room

    def score(self, texts: Iterable[str]) -> list[float]:
        """log P of each text, its end included if the model knows ends."""
        return [float(logprob_T.sum()) for logprob_T in self.task.logprobs(several(texts, "score"))]

    def evaluate(self, *args: Any, **options: Any) -> Evaluation:
        raise UserError("this model goes on with a text, and there is nothing to compare: ask for its measures(...)")

    def measures(self, texts: Sequence[Pair | str], *, workers: int | None = None) -> list[Measure]:
        """Bits per character and perplexity of a token."""
        pairs = [Pair.of(text, text) if isinstance(text, str) else text for text in texts]
        with located(lambda number: pairs[number].where):
            logprobs = self.task.logprobs([pair.target for pair in pairs], workers=workers)
        nll, num_tokens = -float(sum(logprob_T.sum() for logprob_T in logprobs)), sum(map(len, logprobs))
        if not num_tokens:
            raise UserError("there is no text to evaluate")
        if not nll / num_tokens < MOST_NATS:
            raise UserError(
                f"the model finds the text impossible (−log p of a token is {nll / num_tokens:.0f}): it has not learnt "
                "but diverged; train it again with a lower train.optimiser.learning_rate"
            )
        bits = self.task.bits(nll, pairs, self.task.stride)
        perplexity = replace(bits, name="perplexity", value=math.exp(nll / num_tokens))
        return [bits, perplexity]

    @property
    def can_be_looked_into(self) -> bool:
        return self.task.network.trunk.attends

    def inspect(self, text: str) -> Inspection:
        """What the model looked back at when it came to each token of a text."""
        if not self.can_be_looked_into:
            raise UserError("this model has no attention to look at: it does not look back at its own past")
        ids = self.task.prompt(text)
        if not ids:
            raise UserError("there is no text to look at")
        if self.task.running and len(ids) > self.task.context:
            raise UserError(f"a text of {len(ids)} tokens is more than the {self.task.context} that are read at once")
        given = np.array([self.task.first, *ids], dtype=np.int64) if self.task.running else target_ids(ids)
        (looked,) = self.task.look([given])
        assert looked.weights_LHTS is not None
        written = given[1:].tolist()
        read = (START, *pieces(self.task.target, written)[:-1])
        if self.task.network.trunk.looks_before:
            read = (NOTHING, *read[:-1])
        return Inspection(
            source=text,
            target=text,
            source_pieces=read,
            target_pieces=pieces(self.task.target, written),
            weights_LHTS=looked.weights_LHTS,
            logprobs=looked.logprobs,
            itself="target",
        )
