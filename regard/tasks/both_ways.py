"""What both ways of a model that writes from either end agree on.

Written forwards, an output begins well and drifts; written backwards, it ends well. What either way finds is judged by
both: (log P→(y | x) + log P←(y | x)) / 2, over what the beam divides by (after Liu et al. 2016, "Agreement on
target-bidirectional neural machine translation").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from regard.models.seq2seq import Seq2Seq, turned
from regard.nn.memory import Memory
from regard.search import BeamSettings, Hypothesis
from regard.search.beam import normaliser
from regard.text.batch import pad
from regard.text.tokenisers.base import BOS, EOS, PAD


class Way(NamedTuple):
    """What an output is written after, and what ends it."""

    first: int
    last: int


FORWARDS, BACKWARDS = Way(BOS, EOS), Way(EOS, BOS)
Tokens = tuple[int, ...]


def candidates(forwards: Sequence[Hypothesis], backwards: Sequence[Hypothesis]) -> list[Tokens]:
    """What either way has brought to an end, each once."""
    whole = [one.tokens for one in forwards if one.finished]
    return list(dict.fromkeys([*whole, *(one.tokens[::-1] for one in backwards if one.finished)]))


def judge(network: Seq2Seq, memory: Memory, given: Sequence[Sequence[Tokens]]) -> list[list[tuple[float, float]]]:
    """log P of each candidate of each sentence, forwards and backwards."""
    device = memory.length_B.device
    owner_R = [number for number, some in enumerate(given) for _ in some]
    if not owner_R:
        return [[] for _ in given]
    targets = [np.array([BOS, *tokens, EOS]) for some in given for tokens in some]
    target_RT, length_R = (torch.from_numpy(part).to(device) for part in pad(targets, PAD))
    of_each = memory.keep(torch.tensor(owner_R, device=device))
    ways = (target_RT, turned(target_RT, length_R - 1))
    both = (_logprobs(network, of_each, way_RT, length_R - 1) for way_RT in ways)
    said = iter(zip(*both, strict=True))
    return [[next(said) for _ in some] for some in given]


def _logprobs(network: Seq2Seq, memory: Memory, target_RT: Tensor, length_R: Tensor) -> list[float]:
    found: list[float] = network.force(memory, target_RT, length_R).logprobs_BT.sum(dim=1).tolist()
    return found


def ranked(
    settings: BeamSettings, given: Sequence[Tokens], said: Sequence[tuple[float, float]], cut: Sequence[Hypothesis]
) -> list[Hypothesis]:
    """Best first: what both ways find most probable; then, forwards, what was cut at its maximum length."""
    whole = []
    for tokens, (forwards, backwards) in zip(given, said, strict=True):
        divisor = float(normaliser(settings, torch.tensor(float(len(tokens) + 1))))
        whole.append(Hypothesis(tokens, forwards, (forwards + backwards) / 2 / divisor, True))
    return [*sorted(whole, key=lambda one: one.score, reverse=True), *(one for one in cut if not one.finished)]
