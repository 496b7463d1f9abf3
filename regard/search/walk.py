"""One path for each row, which never looks back: what greedy search and sampling share."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import torch
from torch import Tensor

from regard.search.hypothesis import Hypothesis
from regard.search.rules import Rules
from regard.search.state import S, StepFunction

Pick = Callable[[Tensor, Tensor, int], Tensor]
"""(logits_RV, number_R, t) -> token_R, where a row's number is its row in the first batch."""


def walk(state: S, step: StepFunction[S], rules: Rules, width: int, pick: Pick) -> list[list[Hypothesis]]:
    """`width` paths for each sentence, each going where `pick` says until EOS or its sentence's maximum length."""
    num_sentences, device = len(rules.max_length_B), rules.max_length_B.device
    number_BW = torch.arange(num_sentences * width, device=device).view(num_sentences, width)
    tokens_BWT = rules.first_B[:, None, None].expand(num_sentences, width, 1)
    logprob_BW = torch.zeros((num_sentences, width), device=device)
    ended_BW = torch.zeros_like(logprob_BW, dtype=torch.bool)
    found: list[list[Hypothesis]] = [[] for _ in range(num_sentences)]
    if width > 1:
        state = state.select(number_BW.flatten() // width)
    for t in count():
        logits_RV, _, state = step(tokens_BWT[..., -1].flatten(), state)
        normaliser_BW = rules.normaliser(logits_RV).view_as(number_BW)
        sentence_R = torch.arange(len(logits_RV), device=device) // width
        rules.forbid(logits_RV, torch.full_like(rules.max_length_B, t), sentence_R)
        # a path that has ended goes on as EOS until its whole sentence leaves
        token_BW = pick(logits_RV, number_BW.flatten(), t).view_as(number_BW).masked_fill(ended_BW, rules.eos)
        logit_BW = logits_RV.gather(1, token_BW.view(-1, 1)).view_as(number_BW)
        logprob_BW = torch.where(ended_BW, logprob_BW, logprob_BW - normaliser_BW + logit_BW)
        tokens_BWT = torch.cat([tokens_BWT, token_BW[..., None]], dim=-1)
        ended_BW = ended_BW | (token_BW == rules.eos)

        done_B = ended_BW.all(dim=1) | (rules.max_length_B <= t + 1)
        if done_B.any():
            done = (x[done_B].tolist() for x in (number_BW, tokens_BWT, logprob_BW))
            for number_W, tokens_WT, logprob_W in zip(*done, strict=True):
                found[number_W[0] // width] = [
                    _hypothesis(*path, rules.eos) for path in zip(tokens_WT, logprob_W, strict=True)
                ]
            if done_B.all():
                break
            stay_B = (~done_B).nonzero()[:, 0]
            number_BW, tokens_BWT, logprob_BW, ended_BW = (
                x[stay_B] for x in (number_BW, tokens_BWT, logprob_BW, ended_BW)
            )
            state, rules = state.keep(stay_B), rules.keep(stay_B)
    return found


def _hypothesis(tokens: list[int], logprob: float, eos: int) -> Hypothesis:
    """A path's tokens are BOS, what it says, and EOS from where it has ended."""
    finished = tokens[-1] == eos
    said = tokens[1 : tokens.index(eos, 1)] if finished else tokens[1:]
    return Hypothesis(tuple(said), logprob, logprob, finished)
