"""Attention before the cell, all steps: the twin of `Before.forward` up to the readout.

context(t) = attend(s(t−1))        s(t) = gates(W_y y + W_c context(t) + b, U s(t−1) + b)
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.fast.attending import Additive, Attending, Dot
from regard.nn.fast.gates import GATES
from regard.nn.fast.tape import Outputs


class BeforeTape:
    num_constants = 1
    recording = False

    def __init__(self, kind: str, mask_BS: Tensor) -> None:
        self.gates_of = GATES[kind]
        self.mask_BS = mask_BS

    def forward(self, *inputs: Tensor) -> Outputs:
        """s_TBD, contexts_TBM and weights_TBS from the products of y, x_TBG; the memory; the weights; the first cell.

        With W_q, b_q and v the score is additive; without them the query is the state itself.
        """
        x_TBG, keys, states_BSM, w_context_GM, w_state_GD, b_state_G, *others = inputs
        num_parts = 1 if len(others) in (1, 4) else 2
        num_steps = len(x_TBG)
        self.gates = self.gates_of(num_steps, tuple(others[:num_parts]))
        self.w_context = w_context_GM
        self.w_reading, b_reading = w_state_GD, b_state_G
        self.num_query = 0  # the first columns of all that reads the state, if the query is a product
        scoring: Additive | Dot = Dot(keys)
        if len(others) > num_parts:
            w_query_AD, b_query_A, v_A = others[num_parts:]
            self.num_query = len(b_query_A)
            self.w_reading = torch.cat([w_query_AD, w_state_GD])
            b_reading = torch.cat([b_query_A, b_state_G])
            scoring = Additive(keys, v_A, num_steps, recording=self.recording)
        self.attending = Attending(scoring, states_BSM, self.mask_BS, num_steps)
        self.read = x_TBG.new_empty(num_steps, x_TBG.shape[1], len(b_reading))
        x_BG = torch.empty_like(x_TBG[0])
        for t in range(num_steps):
            h_BD, read = self.gates.h[t], self.read[t]
            torch.addmm(b_reading, h_BD, self.w_reading.T, out=read)
            context_BM = self.attending.forward(t, read[:, : self.num_query] if self.num_query else h_BD)
            torch.addmm(x_TBG[t], context_BM, w_context_GM.T, out=x_BG)
            self.gates.forward(t, x_BG, read[:, self.num_query :])
        return self.gates.h[1:], self.attending.contexts, self.attending.weights

    def backward(self, *gradients: Tensor) -> Outputs:
        ds_TBD, dcontexts_TBM, _ = gradients
        gates, attending = self.gates, self.attending
        gates.start_backward()
        attending.start_backward()
        dread = torch.empty_like(self.read)
        dx = dread.new_empty(*dread.shape[:2], gates.size)
        dh_BD = torch.zeros_like(ds_TBD[0])
        for t in reversed(range(len(dx))):
            dh_BD += ds_TBD[t]
            rest_BD = gates.backward(t, dh_BD, dx[t], dread[t, :, self.num_query :])
            dcontext_BM = torch.addmm(dcontexts_TBM[t], dx[t], self.w_context)
            dquery_BQ = dread[t, :, : self.num_query] if self.num_query else torch.empty_like(dh_BD)
            attending.backward(t, dcontext_BM, dquery_BQ)
            dh_BD = dread[t] @ self.w_reading
            if rest_BD is not None:
                dh_BD += rest_BD
            if not self.num_query:
                dh_BD += dquery_BQ
        h_TBD = gates.h[:-1]
        queries_TBQ = self.read[:, :, : self.num_query] if self.num_query else h_TBD
        dkeys, dstates, dv_A = attending.finish(queries_TBQ)
        dw_reading = dread.flatten(0, 1).T @ h_TBD.flatten(0, 1)
        db_reading = dread.sum((0, 1))
        dw_context = dx.flatten(0, 1).T @ attending.contexts.flatten(0, 1)
        dstate = (dw_reading[self.num_query :], db_reading[self.num_query :])
        dscore = () if dv_A is None else (dw_reading[: self.num_query], db_reading[: self.num_query], dv_A)
        return dx, dkeys, dstates, dw_context, *dstate, *gates.first(dh_BD), *dscore
