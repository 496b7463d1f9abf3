"""A recurrent language model: h_t = cell(x_t, h_{t−1}), features tanh(W h_t + b).

With attention to its own past, features are tanh(W[c_t; h_t] + b), where c_t = Σ_s α_s h_s over all s < t, and
α = softmax(score(h_t, h_s)). Before the first word there is nothing to look at: a state of zeros stands for that.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from regard.nn import masks
from regard.nn.attention import weigh
from regard.nn.cells import CellKind, Stack, from_rows, to_rows
from regard.nn.dropout import Noise, dropout
from regard.nn.memory import Output, State, nothing
from regard.nn.products import Linear
from regard.nn.scores.base import Score
from regard.nn.trunks.base import Trunk


class RnnTrunk(Trunk):
    looks_before = True

    def __init__(
        self, embedding_size: int, *, cell: CellKind, size: int, num_layers: int, dropout: float, score: Score | None
    ) -> None:
        super().__init__()
        self.attends = score is not None
        self.num_layers = num_layers
        self.dropout = dropout
        self.stack = Stack(cell, embedding_size, size, num_layers, dropout)
        self.score = score
        self.readout = Linear(size if score is None else 2 * size, embedding_size)

    def forward(self, x_BTE: Tensor, noise: Noise | None = None, *, look: bool = False) -> Output:
        state = self.start(len(x_BTE))
        cells = from_rows(state.rows, self.num_layers, self.stack.num_parts)
        h_BTD, _ = self.stack(x_BTE, cells, noise, "trunk")
        if self.score is None:
            return Output(self._features(h_BTD, noise), None)
        past_BTD = torch.cat([torch.zeros_like(h_BTD[:, :1]), h_BTD[:, :-1]], dim=1)
        scores_BTT = self.score(h_BTD, self.score.prepare(past_BTD))
        weights_BTT = weigh(scores_BTT, masks.past(h_BTD.shape[1], h_BTD.device))
        features_BTE = self._features(torch.cat([weights_BTT @ past_BTD, h_BTD], dim=-1), noise)
        return Output(features_BTE, weights_BTT[:, None, None] if look else None)

    def start(self, num_rows: int) -> State:
        weight = self.readout.weight
        zero_RD = weight.new_zeros(num_rows, self.stack.size)
        rows = to_rows(((zero_RD,) * self.stack.num_parts,) * self.num_layers)
        rows["position"] = torch.zeros(num_rows, dtype=torch.long, device=weight.device)
        if self.score is not None:
            rows["past"] = zero_RD[:, None]
            rows["keys"] = self.score.prepare(zero_RD[:, None])
        return State(nothing(num_rows, weight), None, rows)

    def step(self, x_RE: Tensor, state: State, *, look: bool = False) -> tuple[Output, State]:
        cells = self.stack.step(x_RE, from_rows(state.rows, self.num_layers, self.stack.num_parts))
        rows, weights_R1S = to_rows(cells) | {"position": state.position_R + 1}, None
        h_R1D = read_R1X = cells[-1][0][:, None]
        if self.score is not None:
            past_RSD, keys = state.rows["past"], state.rows["keys"]
            scores_R1S = self.score(h_R1D, keys)
            # some may have begun later than others; before their first word all have a state of zeros to look at
            mask_RS = masks.newest(state.position_R + 1, past_RSD.shape[1])
            weights_R1S = weigh(scores_R1S, None if mask_RS is None else mask_RS[:, None])
            read_R1X = torch.cat([weights_R1S @ past_RSD, h_R1D], dim=-1)
            rows["past"] = torch.cat([past_RSD, h_R1D], dim=1)
            rows["keys"] = torch.cat([keys, self.score.prepare(h_R1D)], dim=1)
        weights = weights_R1S[:, None, None] if look and weights_R1S is not None else None
        return Output(self._features(read_R1X, None), weights), replace(state, rows=rows)

    def _features(self, read_BTX: Tensor, noise: Noise | None) -> Tensor:
        return dropout(torch.tanh(self.readout(read_BTX)), self.dropout, noise, "trunk.features")
