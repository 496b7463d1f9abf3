"""Greedy search: the most probable token at each step."""

from __future__ import annotations

import torch
from torch import Tensor

from regard.search.best import best
from regard.search.hypothesis import Hypothesis
from regard.search.rules import Rules
from regard.search.state import S, StepFunction
from regard.search.walk import walk


def greedy(state: S, step: StepFunction[S], rules: Rules) -> list[list[Hypothesis]]:
    """y(t) = argmax_v P(v | y(<t)), until it is EOS."""
    return walk(state, step, rules, 1, _most_probable)


def _most_probable(logits_RV: Tensor, number_R: Tensor, t: int) -> Tensor:
    place_R = torch.arange(len(logits_RV), device=logits_RV.device)
    return best(logits_RV, place_R, logits_RV.new_zeros(len(logits_RV), 1), 1)[2][:, 0]
