"""Attention inside a recurrence, one query a sentence and step: forward and backward by hand.

e = score(q, k)        α = softmax(e)        context = Σ_s α_s h_s
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

_MOST_KEPT = 1 << 26  # numbers: what a hidden layer of more would hold is computed a second time instead


class Scoring(Protocol):
    def forward(self, t: int, query_BQ: Tensor) -> Tensor:
        """scores_BS"""

    def backward(self, t: int, dscores_BS: Tensor, dquery_BQ: Tensor) -> None:
        """Write the gradient of the query."""

    def finish(self, queries_TBQ: Tensor, dscores_TBS: Tensor) -> tuple[Tensor, Tensor | None]:
        """The gradients of the keys and of v, if there is one."""


class Additive:
    """vᵀtanh(k + q), where q = W₂s + b, as 2vᵀσ(2k + 2q): tanh(x) = 2σ(2x) − 1, a softmax does not see what is the same
    for all positions, and on a CPU σ takes a third of the time of tanh."""

    def __init__(self, keys_BSA: Tensor, v_A: Tensor, num_steps: int, *, recording: bool) -> None:
        self.keys2, self.v = 2 * keys_BSA, v_A
        self.keeps = recording and num_steps * keys_BSA.numel() <= _MOST_KEPT
        self.queries: list[Tensor] = []
        self.hidden: list[Tensor] = []
        self.dkeys = torch.zeros_like(keys_BSA) if recording else keys_BSA
        self.dv = torch.zeros_like(v_A)

    def forward(self, t: int, query_BQ: Tensor) -> Tensor:
        self.queries.append(query_BQ)
        hidden_BSA = self._hidden(t)
        if self.keeps:
            self.hidden.append(hidden_BSA)
        return hidden_BSA @ (2 * self.v)

    def backward(self, t: int, dscores_BS: Tensor, dquery_BQ: Tensor) -> None:
        hidden_BSA = self.hidden.pop() if self.keeps else self._hidden(t)
        self.dv += dscores_BS.flatten() @ hidden_BSA.flatten(0, 1)
        slope_BSA = torch.addcmul(hidden_BSA, hidden_BSA, hidden_BSA, value=-1, out=hidden_BSA)  # σ' = σ − σ²
        torch.mul(torch.bmm(dscores_BS[:, None], slope_BSA)[:, 0], 4 * self.v, out=dquery_BQ)
        self.dkeys.addcmul_(slope_BSA, dscores_BS[:, :, None])

    def finish(self, queries_TBQ: Tensor, dscores_TBS: Tensor) -> tuple[Tensor, Tensor]:
        return self.dkeys.mul_(4 * self.v), 2 * self.dv

    def _hidden(self, t: int) -> Tensor:
        return torch.add(self.keys2, self.queries[t][:, None], alpha=2).sigmoid_()


class Dot:
    """qᵀk: the whole dot family, whose maps and scales are in the keys."""

    def __init__(self, keys_BSD: Tensor) -> None:
        self.keys = keys_BSD

    def forward(self, t: int, query_BQ: Tensor) -> Tensor:
        return torch.bmm(self.keys, query_BQ[:, :, None])[:, :, 0]

    def backward(self, t: int, dscores_BS: Tensor, dquery_BQ: Tensor) -> None:
        dquery_BQ.copy_(torch.bmm(dscores_BS[:, None], self.keys)[:, 0])

    def finish(self, queries_TBQ: Tensor, dscores_TBS: Tensor) -> tuple[Tensor, None]:
        return torch.bmm(dscores_TBS.permute(1, 2, 0), queries_TBQ.transpose(0, 1)), None


class Attending:
    def __init__(self, scoring: Scoring, states_BSM: Tensor, mask_BS: Tensor, num_steps: int) -> None:
        num_rows, num_source, size = states_BSM.shape
        self.scoring = scoring
        self.states = states_BSM
        self.padding_BS = None if bool(mask_BS.all()) else ~mask_BS
        self.weights = states_BSM.new_empty(num_steps, num_rows, num_source)
        self.contexts = states_BSM.new_empty(num_steps, num_rows, size)

    def forward(self, t: int, query_BQ: Tensor) -> Tensor:
        """The context, which is also kept in contexts[t]."""
        scores_BS = self.scoring.forward(t, query_BQ)
        if self.padding_BS is not None:
            scores_BS.masked_fill_(self.padding_BS, -torch.inf)
        weights_BS = torch.softmax(scores_BS, dim=-1, out=self.weights[t])
        return torch.bmm(weights_BS[:, None], self.states, out=self.contexts[t][:, None])[:, 0]

    def start_backward(self) -> None:
        self.dscores = torch.empty_like(self.weights)
        self.dcontexts = torch.empty_like(self.contexts)

    def backward(self, t: int, dcontext_BM: Tensor, dquery_BQ: Tensor) -> None:
        self.dcontexts[t] = dcontext_BM
        dweights_BS = torch.bmm(self.states, dcontext_BM[:, :, None])[:, :, 0]
        weighted_BS = dweights_BS.mul_(self.weights[t])
        # softmax' = diag(α) − ααᵀ
        torch.addcmul(weighted_BS, self.weights[t], weighted_BS.sum(-1, keepdim=True), value=-1, out=self.dscores[t])
        self.scoring.backward(t, self.dscores[t], dquery_BQ)

    def finish(self, queries_TBQ: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """The gradients of the keys, of the memory's states, and of v."""
        dkeys, dv = self.scoring.finish(queries_TBQ, self.dscores)
        dstates_BSM = torch.bmm(self.weights.permute(1, 2, 0), self.dcontexts.transpose(0, 1))
        return dkeys, dstates_BSM, dv
