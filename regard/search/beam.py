"""Beam search: the W most probable beginnings of each sentence grow side by side.

At each step the candidates are all one-token continuations of a sentence's open hypotheses. Those that end in EOS and
are among its W best are finished; its W best others stay open (after Sutskever et al. 2014, section 3.2). A sentence is
done when W finished ones (or a share of W: the patience) are better than its best open one, or no open one can come to
be among its best, or at its maximum length.

Sentences are done at very different times, and the last of a batch would keep a machine busy with few rows: when no
more sentences are under way than came in last, the next batch joins them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.search import BeamSettings
from regard.search.best import best, numbers
from regard.search.found import Found
from regard.search.hypothesis import Hypothesis
from regard.search.rows import Rows
from regard.search.rules import Rules
from regard.search.state import S, Sentences, StepFunction
from regard.search.underway import Underway


def beam(
    settings: BeamSettings,
    batches: Iterable[tuple[Sentences[S], Rules]],
    step: StepFunction[S],
    num_best: int,
    num_kept: int,
) -> list[list[Hypothesis]]:
    """The `num_best` best hypotheses of each sentence, and others that were found on the way, `num_kept` in all at
    most: finished ones before unfinished ones, then by score."""
    found = Found(num_best, num_kept)
    grow = partial(_grow, settings, step, found)
    underway: Underway[S] | None = None
    for batch, rules in batches:
        # its first step is taken alone: it has one row a sentence, not W
        new = grow(_start(settings, batch, rules, found))
        underway = new if underway is None else underway if new is None else underway.join(new)
        while underway is not None and len(underway) > len(rules.max_length_B):
            underway = grow(underway)
    while underway is not None:
        underway = grow(underway)
    return found.ranked()


def _start(settings: BeamSettings, batch: Sentences[S], rules: Rules, found: Found) -> Underway[S]:
    """One row a sentence, which says what stands before it: BOS. Padding counts as covered: it costs nothing."""
    length_B = torch.zeros_like(rules.max_length_B)
    logprob_B1 = length_B[:, None].float()
    coverage_B1S = logprob_B1.new_zeros(*logprob_B1.shape, 0)
    if settings.coverage:
        assert batch.source_mask_BS is not None, "the coverage penalty needs to know what is padding"
        coverage_B1S = (~batch.source_mask_BS).to(logprob_B1)[:, None]
    rows = Rows(rules.first_B[:, None, None], logprob_B1, coverage_B1S, length_B[:, None])
    best_BW = logprob_B1.new_full((len(length_B), settings.width), -torch.inf)
    return Underway(batch.state, rules, rows, found.begin(length_B), length_B, best_BW)


def _grow(settings: BeamSettings, step: StepFunction[S], found: Found, now: Underway[S]) -> Underway[S] | None:
    """One more token for every hypothesis. None if all sentences are done."""
    rules, rows, length_B = now.rules, now.rows, now.length_B + 1
    place_R = rows.place_R
    number_BW = numbers(place_R, rows.logprob_BW)
    logits_RV, weights_RS, state = step(rows.tokens_BWT[..., -1].flatten()[place_R], now.state)
    if settings.coverage:
        assert weights_RS is not None, "the coverage penalty needs the weights of attention"
        rows = rows.cover(weights_RS, place_R)
    rows = rows.minus(rules.normaliser(logits_RV), place_R)
    rules.forbid(logits_RV, now.length_B, place_R // number_BW.shape[1])
    ended, rows = _split(_continue(rows, logits_RV, place_R, 2 * settings.width), rules.eos)
    if settings.margin and found.num_best == 1:
        rows = rows.near(settings.margin)

    last_B = rules.max_length_B <= length_B
    open_BW, best_BW = score(settings, rows, length_B), now.best_BW
    if ended.there_BW.any():
        ended_BK = score(settings, ended, length_B)
        best_BW = torch.cat([best_BW, ended_BK], dim=1).topk(settings.width).values
        found.add(now.sentence_B, length_B, ended, ended_BK, ended.there_BW, finished=True)
    if last_B.any():
        found.add(now.sentence_B, length_B, rows, open_BW, rows.there_BW & last_B[:, None], finished=False)
    # log-probabilities only fall and coverage only costs: this is the most that an open hypothesis can reach
    bound_B = rows.logprob_BW[:, 0] / normaliser(settings, rules.max_length_B)
    # W finished of any kind would not do: a smoothed model gives every early end a little probability, and W such
    # stumps are soon found while the right output, far more probable, is still being written
    num_enough = max(found.num_best, math.ceil(settings.patience * settings.width))
    better_B = best_BW[:, num_enough - 1] >= open_BW.max(dim=1).values
    done_B = last_B | better_B | (best_BW[:, found.num_best - 1] >= bound_B)
    if done_B.all():
        return None
    grown = Underway(state, rules, rows, now.sentence_B, length_B, best_BW).select(number_BW)
    return grown.keep((~done_B).nonzero()[:, 0]) if done_B.any() else grown


def score(settings: BeamSettings, rows: Rows, length_B: Tensor) -> Tensor:
    """s(Y, X) = log P(Y | X) / lp(Y) + β Σ_s log(min(Σ_t a_ts, 1)) (Wu et al. 2016, eq. 14)."""
    # where a model never looks (outside of its window) the sum is 0: the least number keeps the rest comparable
    covered_BWS = rows.coverage_BWS.clamp(torch.finfo(rows.coverage_BWS.dtype).tiny, 1.0)
    return rows.logprob_BW / normaliser(settings, length_B[:, None]) + settings.coverage * covered_BWS.log().sum(dim=-1)


def normaliser(settings: BeamSettings, length: Tensor) -> float | Tensor:
    """lp(Y), from the length of Y with its EOS; gnmt's is ((5 + |Y|) / (5 + 1))^α (Wu et al. 2016, eq. 14)."""
    match settings.normalise:
        case "none":
            return 1.0
        case "average":
            return length
        case "gnmt":
            power: Tensor = ((5 + length) / 6) ** settings.alpha
            return power


def _continue(rows: Rows, logits_RV: Tensor, place_R: Tensor, num_kept: int) -> Rows:
    """The `num_kept` most probable continuations of each sentence's rows, whose logits are to be added."""
    logprob_BK, row_BK, token_BK = best(logits_RV, place_R, rows.logprob_BW, num_kept)
    num_missing = num_kept - logprob_BK.shape[1]
    if num_missing:
        logprob_BK = pad(logprob_BK, (0, num_missing), value=-torch.inf)
        row_BK, token_BK = pad(row_BK, (0, num_missing)), pad(token_BK, (0, num_missing))
    return rows.extend(row_BK, token_BK, logprob_BK)


def _split(rows: Rows, eos: int) -> tuple[Rows, Rows]:
    """Of 2W candidates, those that end and are among the W best, and the W best that do not end.

    There are W of the latter, since each of W rows can end in one way only.
    """
    num_candidates = rows.logprob_BW.shape[1]
    ends_BK = rows.tokens_BWT[..., -1] == eos
    among_K = torch.arange(num_candidates, device=ends_BK.device) < num_candidates // 2
    return rows.only(ends_BK & among_K), rows.only(~ends_BK).best(num_candidates // 2)
