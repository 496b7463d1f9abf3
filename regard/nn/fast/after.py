"""Attention after the cell with input feeding, all steps: the twin of `AfterFed.forward`.

s(t) = gates(W_y y + W_f features(t−1) + b, U s(t−1) + b)        features(t) = tanh(W_s s(t) + W_c context of s(t))
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.fast.parts import Parts
from regard.nn.fast.tape import Outputs


class AfterFedTape:
    num_constants = 1
    recording = False

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def forward(self, *inputs: Tensor) -> Outputs:
        """features_TBE and weights_TBS from the products of y, x_TBG; the memory; what is fed first; the weights of the
        readout and of the parts."""
        x_TBG, keys, states_BSM, fed_BE, self.w_fed, w_s_ED, self.w_c, w_state_GD, b_state_G, *others = inputs
        split, (num_steps, num_rows, _) = self.parts.split(others), x_TBG.shape
        self.gates = self.parts.gates(num_steps, split.cell)
        self.attending = self.parts.attending(keys, states_BSM, split, num_steps, recording=self.recording)
        # all that reads a state is one product: the readout, the next step's gates, and the query, if it is one
        self.w_reading = torch.cat([w_s_ED, w_state_GD, *split.query[:1]])
        b_reading = torch.cat([b_state_G.new_zeros(len(w_s_ED)), b_state_G, *split.query[1:]])
        self.sizes = [len(w_s_ED), len(w_state_GD), len(b_reading) - len(w_s_ED) - len(w_state_GD)]
        self.fed = x_TBG.new_empty(num_steps + 1, num_rows, fed_BE.shape[1])
        self.fed[0] = fed_BE
        x_BG = torch.empty_like(x_TBG[0])
        _, u_BG, _ = torch.addmm(b_reading, self.gates.h[0], self.w_reading.T).split(self.sizes, 1)
        for t in range(num_steps):
            torch.addmm(x_TBG[t], self.fed[t], self.w_fed.T, out=x_BG)
            self.gates.forward(t, x_BG, u_BG)
            h_BD = self.gates.h[t + 1]
            readout_BE, u_BG, query_BQ = torch.addmm(b_reading, h_BD, self.w_reading.T).split(self.sizes, 1)
            context_BM = self.attending.forward(t, query_BQ if split.query else h_BD, h_BD)
            torch.addmm(readout_BE, context_BM, self.w_c.T, out=self.fed[t + 1]).tanh_()
        weights = self.attending.weights() if self.parts.look else x_TBG.new_empty(0)
        return self.fed[1:], weights

    def backward(self, *gradients: Tensor) -> Outputs:
        dfeatures_TBE, _ = gradients
        gates, attending = self.gates, self.attending
        gates.start_backward()
        attending.start_backward()
        slope = torch.addcmul(self.fed.new_ones(()), self.fed, self.fed, value=-1)  # tanh' = 1 − tanh²
        dread = self.fed.new_zeros(*self.fed.shape[:2], len(self.w_reading))
        dx = self.fed.new_empty(len(self.fed) - 1, self.fed.shape[1], gates.size)
        dfed_BE = torch.zeros_like(self.fed[0])
        passed_BD: Tensor | None = None
        for t in reversed(range(len(dx))):
            dreadout_BE, _, dquery_BQ = dread[t + 1].split(self.sizes, 1)
            torch.mul(dfed_BE.add_(dfeatures_TBE[t]), slope[t + 1], out=dreadout_BE)
            dstate_BD = None if self.sizes[2] else torch.empty_like(gates.h[0])
            asked_BD = attending.backward(t, dreadout_BE @ self.w_c, dquery_BQ if dstate_BD is None else dstate_BD)
            dh_BD = dread[t + 1] @ self.w_reading
            for more_BD in (passed_BD, asked_BD, dstate_BD):
                if more_BD is not None:
                    dh_BD += more_BD
            passed_BD = gates.backward(t, dh_BD, dx[t], dread[t].split(self.sizes, 1)[1])
            dfed_BE = dx[t] @ self.w_fed
        dh_BD = dread[0] @ self.w_reading
        if passed_BD is not None:
            dh_BD += passed_BD
        return self._gradients(dx, dread, dfed_BE, gates.first(dh_BD))

    def _gradients(self, dx: Tensor, dread: Tensor, dfed_BE: Tensor, dcell: tuple[Tensor, ...]) -> Outputs:
        h_UBD, contexts = self.gates.h, self.attending.contexts
        dkeys, dstates, dscore = self.attending.finish(h_UBD[1:])
        dw_s, dw_state, dw_query = (dread.flatten(0, 1).T @ h_UBD.flatten(0, 1)).split(self.sizes)
        _, db_state, db_query = dread.sum((0, 1)).split(self.sizes)
        dreadout = dread[1:, :, : self.sizes[0]].flatten(0, 1)
        dw_c = dreadout.T @ contexts.flatten(0, 1)
        dw_fed = dx.flatten(0, 1).T @ self.fed[:-1].flatten(0, 1)
        dquery = (dw_query, db_query) if self.sizes[2] else ()
        return dx, dkeys, dstates, dfed_BE, dw_fed, dw_s, dw_c, dw_state, db_state, *dcell, *dquery, *dscore
