"""Attention inside a recurrence, one query a sentence and step: forward and backward by hand.

e = score(q, k)        α = softmax(e) · gain        context = Σ_s α_s h_s
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from regard.nn.fast.additive_score import exp_minus_2
from regard.nn.fast.windows import Sight, Sliding

_MOST_KEPT = 1 << 26  # numbers: what a hidden layer of more would hold is computed a second time instead


class Scoring(Protocol):
    """Compares a query with all keys, or with those at some rows of the flattened keys (B·S)."""

    def forward(self, t: int, query_BQ: Tensor, rows_BW: Tensor | None) -> Tensor:
        """scores_BS, or scores_BW"""

    def backward(self, t: int, dscores_BS: Tensor, dquery_BQ: Tensor, rows_BW: Tensor | None) -> None:
        """Write the gradient of the query."""

    def finish(self) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The gradients of the keys, and of v if there is one."""


class Additive:
    """vᵀtanh(k + q), where q = W₂s + b, as 2vᵀσ(2k + 2q): tanh(x) = 2σ(2x) − 1, and a softmax does not see what is the
    same for all positions. σ(2k + 2q) = 1 / (1 + e^(−2k) · e^(−2q)) is one division for each key and query, since what
    is exponentiated is either alone."""

    def __init__(self, keys_BSA: Tensor, v_A: Tensor, num_kept: int) -> None:
        self.e_keys, self.v2, self.v4 = exp_minus_2(keys_BSA), 2 * v_A, 4 * v_A
        self.one = v_A.new_ones(())
        self.keeps = 0 < num_kept <= _MOST_KEPT
        self.e_queries: list[Tensor] = []
        self.hidden: list[Tensor] = []
        self.scratch: Tensor | None = None
        self.dkeys = torch.zeros_like(keys_BSA) if num_kept else keys_BSA
        self.dv = torch.zeros_like(v_A)

    def forward(self, t: int, query_BQ: Tensor, rows_BW: Tensor | None) -> Tensor:
        self.e_queries.append(exp_minus_2(query_BQ))
        hidden_BSA = self._hidden(t, rows_BW)
        if self.keeps:
            self.hidden.append(hidden_BSA)
        return hidden_BSA @ self.v2

    def backward(self, t: int, dscores_BS: Tensor, dquery_BQ: Tensor, rows_BW: Tensor | None) -> None:
        hidden_BSA = self.hidden.pop() if self.keeps else self._hidden(t, rows_BW)
        self.dv += dscores_BS.flatten() @ hidden_BSA.flatten(0, 1)
        slope_BSA = torch.addcmul(hidden_BSA, hidden_BSA, hidden_BSA, value=-1, out=hidden_BSA)  # σ' = σ − σ²
        torch.mul(torch.bmm(dscores_BS[:, None], slope_BSA)[:, 0], self.v4, out=dquery_BQ)
        if rows_BW is None:
            self.dkeys.addcmul_(slope_BSA, dscores_BS[:, :, None])
        else:
            put(self.dkeys, rows_BW, slope_BSA.mul_(dscores_BS[:, :, None]))

    def finish(self) -> tuple[Tensor, tuple[Tensor, ...]]:
        return self.dkeys.mul_(self.v4), (2 * self.dv,)

    def _hidden(self, t: int, rows_BW: Tensor | None) -> Tensor:
        keys, query_B1A = take(self.e_keys, rows_BW), self.e_queries[t][:, None]
        hidden_BSA = torch.addcmul(self.one, keys, query_B1A, out=self.scratch).reciprocal_()
        if not self.keeps:  # written over by the next step: a large block for each would leave holes in the heap
            self.scratch = hidden_BSA
        return hidden_BSA


class Dot:
    """qᵀk: the whole dot family, whose maps and scales are in the keys."""

    def __init__(self, keys_BSD: Tensor) -> None:
        self.keys = keys_BSD
        self.queries: list[Tensor] = []
        self.dkeys: Tensor | None = None
        self.dscores: list[Tensor] = []

    def forward(self, t: int, query_BQ: Tensor, rows_BW: Tensor | None) -> Tensor:
        self.queries.append(query_BQ)
        return compare(query_BQ, take(self.keys, rows_BW))

    def backward(self, t: int, dscores_BS: Tensor, dquery_BQ: Tensor, rows_BW: Tensor | None) -> None:
        dquery_BQ.copy_(torch.bmm(dscores_BS[:, None], take(self.keys, rows_BW))[:, 0])
        if rows_BW is None:
            self.dscores.append(dscores_BS)
        else:
            self.dkeys = torch.zeros_like(self.keys) if self.dkeys is None else self.dkeys
            put(self.dkeys, rows_BW, dscores_BS[:, :, None] * self.queries[t][:, None])

    def finish(self) -> tuple[Tensor, tuple[Tensor, ...]]:
        if self.dkeys is not None:
            return self.dkeys, ()
        return torch.bmm(torch.stack(self.dscores[::-1], 2), torch.stack(self.queries, 1)), ()


class Step(NamedTuple):
    """What a step of attention leaves for its backward."""

    sight: Sight | None
    softmax_BS: Tensor
    weights_BS: Tensor


class Attending:
    """The memory as seen from a recurrence: everywhere, or through a sliding window."""

    def __init__(
        self, scoring: Scoring, sliding: Sliding | None, states_BSM: Tensor, mask_BS: Tensor, num_steps: int
    ) -> None:
        self.scoring, self.sliding = scoring, sliding
        self.states = states_BSM
        self.padding_BS = None if bool(mask_BS.all()) else ~mask_BS
        self.contexts = states_BSM.new_empty(num_steps, len(states_BSM), states_BSM.shape[2])
        self.steps_context = self.contexts[:, :, None].unbind()
        self.steps: list[Step] = []

    def forward(self, t: int, query_BQ: Tensor, h_BD: Tensor) -> Tensor:
        """The context, which is also kept in contexts[t]."""
        sight = None if self.sliding is None else self.sliding.look(t, h_BD)
        rows_BW = None if sight is None else sight.rows_BW
        hidden_BS = self.padding_BS if sight is None else sight.outside_BW
        scores_BS = self.scoring.forward(t, query_BQ, rows_BW)
        if hidden_BS is not None:
            scores_BS.masked_fill_(hidden_BS, -torch.inf)
        softmax_BS = torch.softmax(scores_BS, dim=-1)
        weights_BS = softmax_BS if sight is None or sight.gain_BW is None else softmax_BS * sight.gain_BW
        self.steps.append(Step(sight, softmax_BS, weights_BS))
        return torch.bmm(weights_BS[:, None], take(self.states, rows_BW), out=self.steps_context[t])[:, 0]

    def start_backward(self) -> None:
        self.dcontexts = torch.empty_like(self.contexts)
        self.dstates = None if self.sliding is None else torch.zeros_like(self.states)

    def backward(self, t: int, dcontext_BM: Tensor, dquery_BQ: Tensor) -> Tensor | None:
        """Write the gradient of the query; give that of h, if the window asked h where to look."""
        sight, softmax_BS, weights_BS = self.steps[t]
        rows_BW = None if sight is None else sight.rows_BW
        dweights_BS = compare(dcontext_BM, take(self.states, rows_BW))
        weighted_BS = dweights_BS.mul_(weights_BS)
        # softmax' = diag(α) − ααᵀ
        dscores_BS = torch.addcmul(weighted_BS, softmax_BS, weighted_BS.sum(-1, keepdim=True), value=-1)
        self.scoring.backward(t, dscores_BS, dquery_BQ, rows_BW)
        if self.sliding is None or rows_BW is None or self.dstates is None:
            self.dcontexts[t] = dcontext_BM
            return None
        put(self.dstates, rows_BW, weights_BS[:, :, None] * dcontext_BM[:, None])
        return self.sliding.backward(t, weighted_BS)

    def finish(self, h_TBD: Tensor) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        """The gradients of the keys, of the memory's states, and of v and the window's weights."""
        dkeys, dv = self.scoring.finish()
        if self.sliding is not None and self.dstates is not None:
            return dkeys, self.dstates, (*dv, *self.sliding.finish(h_TBD))
        weights_BST = torch.stack([step.weights_BS for step in self.steps], 2)
        return dkeys, torch.bmm(weights_BST, self.dcontexts.transpose(0, 1)), dv

    def weights(self) -> Tensor:
        """weights_TBS, for those who look."""
        weights_TBS = self.states.new_zeros(len(self.steps), *self.states.shape[:2])
        for weights_BS, (sight, _, found) in zip(weights_TBS, self.steps, strict=True):
            if sight is None:
                weights_BS.copy_(found)
            else:
                put(weights_BS[:, :, None], sight.rows_BW, found[:, :, None])
        return weights_TBS


def take(x_BSA: Tensor, rows_BW: Tensor | None) -> Tensor:
    """All positions, or those of some rows of the flattened tensor."""
    if rows_BW is None:
        return x_BSA
    return x_BSA.flatten(0, 1).index_select(0, rows_BW.flatten()).view(*rows_BW.shape, -1)


def compare(x_BA: Tensor, y_BSA: Tensor) -> Tensor:
    """xᵀy_s for each s. With the vector on the right, the library takes seven times as long."""
    return torch.bmm(x_BA[:, None], y_BSA.mT)[:, 0]


def put(total_BSA: Tensor, rows_BW: Tensor, x_BWA: Tensor) -> None:
    """Add to some rows of the flattened tensor, in place."""
    total_BSA.view(-1, total_BSA.shape[2]).index_add_(0, rows_BW.flatten(), x_BWA.flatten(0, 1))
