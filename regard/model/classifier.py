"""A model that gives a text one of some labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from regard.errors import UserError, located
from regard.explain.hops import Hops
from regard.model.base import Model, pieces, several
from regard.nn.summaries.structured import StructuredSummary
from regard.tasks.base import Floats
from regard.tasks.classify import Labeller
from regard.tasks.evaluation import Evaluation, Outputs, evaluate
from regard.text.labelled import labelled
from regard.text.pair import Pair, as_pairs


@dataclass(frozen=True)
class Label:
    """The most probable label of a text, how probable it is, and how probable each label is."""

    label: str
    probability: float
    probabilities: dict[str, float]


@dataclass(frozen=True, repr=False)
class Classifier(Model):
    task: Labeller
    does = "gives a text one of some labels"
    command = "classify"

    @property
    def labels(self) -> list[str]:
        return self.task.target.labels

    @property
    def can_be_looked_into(self) -> bool:
        return isinstance(self.task.network.encoder.summary, StructuredSummary)

    def classify(self, texts: Iterable[str], *, workers: int | None = None) -> list[Label]:
        """The label of each text."""
        found = self.task.label(self.task.sources(several(texts, "classify")), workers=workers)
        result = []
        for one in found:
            probabilities = dict(zip(self.labels, np.exp(one.logprobs_C).tolist(), strict=True))
            best = max(probabilities, key=lambda label: probabilities[label])
            result.append(Label(best, probabilities[best], probabilities))
        return result

    def embed(self, texts: Iterable[str], *, workers: int | None = None) -> Floats:
        """A vector for each text: what the labels are told from."""
        found = self.task.label(self.task.sources(several(texts, "embed")), workers=workers)
        size = self.task.network.encoder.summary_size
        return np.stack([one.summary_M for one in found]) if found else np.zeros((0, size), dtype=np.float32)

    def inspect(self, text: str) -> Hops:
        """Where each hop of a structured summary looked."""
        if not text.strip():
            raise UserError("there is no text to look at")
        (source,) = self.task.sources([text])
        (found,) = self.task.label([source])
        if found.hops_RS is None:
            raise UserError("this model has no hops to look at: its encoder's summary is not of kind `structured`")
        probabilities = dict(zip(self.labels, np.exp(found.logprobs_C).tolist(), strict=True))
        return Hops(text, pieces(self.task.source, source.tolist()), found.hops_RS, probabilities)

    def evaluate(
        self,
        pairs: Sequence[Pair | tuple[str, str]],
        *,
        lengths: bool = False,
        workers: int | None = None,
    ) -> Evaluation:
        """How many labels are right. Pairs are (text, label), or all of them (label, text)."""
        given = labelled(as_pairs(pairs), self.labels)
        return evaluate(self.outputs(given, workers=workers), given, self.task.kinds, lengths=lengths)

    def outputs(self, pairs: Sequence[Pair], *, workers: int | None = None) -> Outputs:
        with located(lambda number: pairs[number].where):
            sources = self.task.sources([pair.source for pair in pairs])
        return Outputs(self.task.labels(self.task.label(sources, workers=workers)))
