"""Beam search: the W most probable beginnings of each sentence grow side by side.

At each step the candidates are all one-token continuations of a sentence's open hypotheses. Those that end in EOS and
are among its W best are finished; its W best others stay open (after Sutskever et al. 2014, section 3.2). A sentence is
done when W finished ones are better than its best open one, or no open one can come to be among its best, or at its
maximum length.
"""

from __future__ import annotations

from itertools import count

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.search import BeamSettings
from regard.search.best import best
from regard.search.found import Found
from regard.search.hypothesis import Hypothesis
from regard.search.rows import Rows
from regard.search.rules import Rules
from regard.search.state import S, StepFunction


def beam(
    settings: BeamSettings, state: S, step: StepFunction[S], rules: Rules, num_best: int, source_mask_BS: Tensor | None
) -> list[list[Hypothesis]]:
    """The `num_best` best hypotheses of each sentence: finished ones before unfinished ones, then by score."""
    rows = _start(settings, rules, source_mask_BS)
    found = Found(len(rules.max_length_B), num_best, settings.width, rules.max_length_B.device)
    for length in count(1):
        num_rows = rows.logprob_BW.shape[1]
        logits_RV, weights_RS, state = step(rows.tokens_BWT[..., -1].flatten(), state)
        if settings.coverage:
            assert weights_RS is not None, "the coverage penalty needs the weights of attention"
            rows = rows._replace(coverage_BWS=rows.coverage_BWS + weights_RS.view_as(rows.coverage_BWS))
        normaliser_R = rules.normaliser(logits_RV)
        rules.forbid(logits_RV, length - 1)
        ended, rows = _split(_grow(rows, logits_RV, normaliser_R, 2 * settings.width), rules.eos)

        last_B = rules.max_length_B <= length
        open_BW = score(settings, rows, length)
        if ended.there_BW.any():
            found.add_finished(ended, score(settings, ended, length))
        if last_B.any():
            found.add_unfinished(rows, open_BW, last_B)
        # log-probabilities only fall and coverage only costs: this is the most that an open hypothesis can reach
        bound_B = rows.logprob_BW[:, 0] / normaliser(settings, rules.max_length_B)
        done_B = last_B | found.enough(open_BW.max(dim=1).values, bound_B)
        if done_B.all():
            break
        if done_B.any():
            stay_B = (~done_B).nonzero()[:, 0]
            state, rules, rows = state.keep(stay_B), rules.keep(stay_B), rows.keep(stay_B)
            found.keep(stay_B)
        state = state.select(rows.in_state(num_rows))
    return found.ranked()


def score(settings: BeamSettings, rows: Rows, length: int) -> Tensor:
    """s(Y, X) = log P(Y | X) / lp(Y) + β Σ_s log(min(Σ_t a_ts, 1)) (Wu et al. 2016, eq. 14)."""
    # where a model never looks (outside of its window) the sum is 0: the least number keeps the rest comparable
    covered_BWS = rows.coverage_BWS.clamp(torch.finfo(rows.coverage_BWS.dtype).tiny, 1.0)
    return rows.logprob_BW / normaliser(settings, length) + settings.coverage * covered_BWS.log().sum(dim=-1)


def normaliser(settings: BeamSettings, length: int | Tensor) -> float | Tensor:
    """lp(Y), from the length of Y with its EOS; gnmt's is ((5 + |Y|) / (5 + 1))^α (Wu et al. 2016, eq. 14)."""
    match settings.normalise:
        case "none":
            return 1.0
        case "average":
            return length
        case "gnmt":
            power: float | Tensor = ((5 + length) / 6) ** settings.alpha
            return power


def _start(settings: BeamSettings, rules: Rules, source_mask_BS: Tensor | None) -> Rows:
    """One row a sentence, which says BOS. Padding counts as covered: it costs nothing."""
    parent_B1 = torch.zeros_like(rules.max_length_B)[:, None]
    logprob_B1 = parent_B1.float()
    coverage_B1S = logprob_B1.new_zeros(*parent_B1.shape, 0)
    if settings.coverage:
        assert source_mask_BS is not None, "the coverage penalty needs to know what is padding"
        coverage_B1S = (~source_mask_BS).to(logprob_B1)[:, None]
    return Rows(torch.full_like(parent_B1, rules.bos)[..., None], logprob_B1, coverage_B1S, parent_B1)


def _grow(rows: Rows, logits_RV: Tensor, normaliser_R: Tensor, num_kept: int) -> Rows:
    """The `num_kept` most probable continuations of each sentence's rows."""
    plus_BW = rows.logprob_BW - normaliser_R.view_as(rows.logprob_BW)
    logprob_BK, row_BK, token_BK = best(logits_RV, plus_BW, num_kept)
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
