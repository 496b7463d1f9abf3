"""What search gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One output of a model, and how likely the model holds it to be."""

    tokens: tuple[int, ...]  # without BOS and EOS
    logprob: float  # sum of the log-probabilities of the tokens, and of EOS if finished, under the full softmax
    score: float  # what it was ranked by
    finished: bool  # ended by EOS rather than by its maximum length
