"""Attention after the cell with input feeding, all steps: the twin of `AfterFed.forward`.

s(t) = gates(W_y y + W_f features(t−1) + b, U s(t−1) + b)        features(t) = tanh(W_s s(t) + W_c context of s(t))
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.fast.attending import Additive, Attending, Dot
from regard.nn.fast.gates import GATES
from regard.nn.fast.tape import Outputs


class AfterFedTape:
    num_constants = 1
    recording = False

    def __init__(self, kind: str, mask_BS: Tensor) -> None:
        self.gates_of = GATES[kind]
        self.mask_BS = mask_BS

    def forward(self, *inputs: Tensor) -> Outputs:
        """features_TBE and weights_TBS from the products of y, x_TBG; the memory; the weights; the first cell and what
        is fed first.

        With W_q, b_q and v the score is additive; without them the query is the state itself.
        """
        x_TBG, keys, states_BSM, fed_BE, w_fed_GE, w_s_ED, w_c_EM, w_state_GD, b_state_G, *others = inputs
        num_parts = 1 if len(others) in (1, 4) else 2
        num_steps, num_rows, _ = x_TBG.shape
        self.gates = self.gates_of(num_steps, tuple(others[:num_parts]))
        self.w_fed, self.w_c = w_fed_GE, w_c_EM
        # what reads a state: the readout, the next step's gates, and perhaps the query
        self.w_reading = [w_s_ED, w_state_GD]
        b_reading = [b_state_G.new_zeros(len(w_s_ED)), b_state_G]
        scoring: Additive | Dot = Dot(keys)
        if len(others) > num_parts:
            w_query_AD, b_query_A, v_A = others[num_parts:]
            self.w_reading.append(w_query_AD)
            b_reading.append(b_query_A)
            scoring = Additive(keys, v_A, num_steps, recording=self.recording)
        self.w_all, b_all = torch.cat(self.w_reading), torch.cat(b_reading)
        self.sizes = [len(w) for w in self.w_reading]
        self.attending = Attending(scoring, states_BSM, self.mask_BS, num_steps)
        self.fed = x_TBG.new_empty(num_steps + 1, num_rows, fed_BE.shape[1])
        self.fed[0] = fed_BE
        self.read = x_TBG.new_empty(num_steps + 1, num_rows, len(b_all))
        x_BG = torch.empty_like(x_TBG[0])
        torch.addmm(b_all, self.gates.h[0], self.w_all.T, out=self.read[0])
        for t in range(num_steps):
            torch.addmm(x_TBG[t], self.fed[t], w_fed_GE.T, out=x_BG)
            self.gates.forward(t, x_BG, self.read[t].split(self.sizes, 1)[1])
            h_BD = self.gates.h[t + 1]
            readout_BE, _, *query = torch.addmm(b_all, h_BD, self.w_all.T, out=self.read[t + 1]).split(self.sizes, 1)
            context_BM = self.attending.forward(t, query[0] if query else h_BD)
            torch.addmm(readout_BE, context_BM, w_c_EM.T, out=self.fed[t + 1]).tanh_()
        return self.fed[1:], self.attending.weights

    def backward(self, *gradients: Tensor) -> Outputs:
        dfeatures_TBE, _ = gradients
        gates, attending = self.gates, self.attending
        gates.start_backward()
        attending.start_backward()
        slope = torch.addcmul(self.fed.new_ones(()), self.fed, self.fed, value=-1)  # tanh' = 1 − tanh²
        dread = torch.zeros_like(self.read)
        dx = dread.new_empty(len(dread) - 1, dread.shape[1], gates.size)
        dfed_BE: Tensor | None = None
        rest_BD: Tensor | None = None
        for t in reversed(range(len(dx))):
            dreadout_BE, _, *dquery = dread[t + 1].split(self.sizes, 1)
            dfeatures_BE = dfeatures_TBE[t] if dfed_BE is None else dfed_BE.add_(dfeatures_TBE[t])
            torch.mul(dfeatures_BE, slope[t + 1], out=dreadout_BE)
            dquery_BQ = dquery[0] if dquery else torch.empty_like(gates.h[0])
            attending.backward(t, dreadout_BE @ self.w_c, dquery_BQ)
            dh_BD = dread[t + 1] @ self.w_all
            if not dquery:
                dh_BD += dquery_BQ
            if rest_BD is not None:
                dh_BD += rest_BD
            rest_BD = gates.backward(t, dh_BD, dx[t], dread[t].split(self.sizes, 1)[1])
            dfed_BE = dx[t] @ self.w_fed
        dh_BD = dread[0] @ self.w_all
        if rest_BD is not None:
            dh_BD += rest_BD
        assert dfed_BE is not None
        return self._gradients(dx, dread, dfed_BE, gates.first(dh_BD))

    def _gradients(self, dx: Tensor, dread: Tensor, dfed_BE: Tensor, dcell: tuple[Tensor, ...]) -> Outputs:
        h_UBD, contexts = self.gates.h, self.attending.contexts
        queries = self.read.split(self.sizes, 2)[2][1:] if len(self.sizes) == 3 else h_UBD[1:]
        dkeys, dstates, dv_A = self.attending.finish(queries)
        dw_s, dw_state, *dw_query = (dread.flatten(0, 1).T @ h_UBD.flatten(0, 1)).split(self.sizes)
        _, db_state, *db_query = dread.sum((0, 1)).split(self.sizes)
        dreadout = dread.split(self.sizes, 2)[0][1:].flatten(0, 1)
        dw_c = dreadout.T @ contexts.flatten(0, 1)
        dw_fed = dx.flatten(0, 1).T @ self.fed[:-1].flatten(0, 1)
        dscore = () if dv_A is None else (dw_query[0], db_query[0], dv_A)
        return dx, dkeys, dstates, dfed_BE, dw_fed, dw_s, dw_c, dw_state, db_state, *dcell, *dscore
