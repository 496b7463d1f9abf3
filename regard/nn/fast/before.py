"""Attention before the cell, all steps: the twin of `Before.forward` up to the readout.

context(t) = attend(s(t−1))        s(t) = gates(W_y y + W_c context(t) + b, U s(t−1) + b)
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.fast.parts import Parts
from regard.nn.fast.tape import Outputs


class BeforeTape:
    num_constants = 1
    recording = False

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def forward(self, *inputs: Tensor) -> Outputs:
        """s_TBD, contexts_TBM and weights_TBS from the products of y, x_TBG; the memory; the weights of the parts."""
        x_TBG, keys, states_BSM, self.w_context, w_state_GD, b_state_G, *others = inputs
        split, num_steps = self.parts.split(others), len(x_TBG)
        self.gates = self.parts.gates(num_steps, split.cell)
        self.attending = self.parts.attending(keys, states_BSM, split, num_steps, recording=self.recording)
        # all that reads the state is one product: the query, if it is one, and the gates
        self.w_reading = torch.cat([*split.query[:1], w_state_GD])
        b_reading = torch.cat([*split.query[1:], b_state_G])
        self.num_query = len(b_reading) - len(b_state_G)
        x_BG = torch.empty_like(x_TBG[0])
        for t in range(num_steps):
            h_BD = self.gates.h[t]
            read = torch.addmm(b_reading, h_BD, self.w_reading.T)
            query_BQ = read[:, : self.num_query] if self.num_query else h_BD
            context_BM = self.attending.forward(t, query_BQ, h_BD)
            torch.addmm(x_TBG[t], context_BM, self.w_context.T, out=x_BG)
            self.gates.forward(t, x_BG, read[:, self.num_query :])
        weights = self.attending.weights() if self.parts.look else x_TBG.new_empty(0)
        return self.gates.h[1:], self.attending.contexts, weights

    def backward(self, *gradients: Tensor) -> Outputs:
        ds_TBD, dcontexts_TBM, _ = gradients
        gates, attending, num_query = self.gates, self.attending, self.num_query
        gates.start_backward()
        attending.start_backward()
        num_steps, num_rows, _ = ds_TBD.shape
        dread = ds_TBD.new_empty(num_steps, num_rows, len(self.w_reading))
        dx = ds_TBD.new_empty(num_steps, num_rows, gates.size)
        dh_BD = torch.zeros_like(ds_TBD[0])
        for t in reversed(range(num_steps)):
            dh_BD += ds_TBD[t]
            passed_BD = gates.backward(t, dh_BD, dx[t], dread[t, :, num_query:])
            dcontext_BM = torch.addmm(dcontexts_TBM[t], dx[t], self.w_context)
            dquery_BQ = dread[t, :, :num_query] if num_query else torch.empty_like(dh_BD)
            asked_BD = attending.backward(t, dcontext_BM, dquery_BQ)
            dh_BD = dread[t] @ self.w_reading
            for more_BD in (passed_BD, asked_BD, None if num_query else dquery_BQ):
                if more_BD is not None:
                    dh_BD += more_BD
        h_TBD = gates.h[:-1]
        dkeys, dstates, dscore = attending.finish(h_TBD)
        dw_query, dw_state = (dread.flatten(0, 1).T @ h_TBD.flatten(0, 1)).split([num_query, gates.size])
        db_query, db_state = dread.sum((0, 1)).split([num_query, gates.size])
        dw_context = dx.flatten(0, 1).T @ attending.contexts.flatten(0, 1)
        dquery = (dw_query, db_query) if num_query else ()
        return dx, dkeys, dstates, dw_context, dw_state, db_state, *gates.first(dh_BD), *dquery, *dscore
