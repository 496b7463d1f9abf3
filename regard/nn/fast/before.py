"""Attention before the cell, all steps: the twin of `Before.forward` up to the readout.

context(t) = attend(s(t−1))        s(t) = gates(W_y y + W_c context(t) + b, U s(t−1) + b)
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.fast.parts import Parts
from regard.nn.fast.tape import Outputs
from regard.nn.products import Factor, product


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
        self.sizes = [len(b_reading) - len(b_state_G), len(b_state_G)]
        read_TBR = x_TBG.new_empty(*x_TBG.shape[:2], len(b_reading))
        query_TBQ, u_TBG = read_TBR.split(self.sizes, 2)
        input_BG = torch.empty_like(x_TBG[0])
        self.gates.start(input_BG.expand_as(x_TBG), u_TBG)
        queries = query_TBQ.unbind() if split.query else self.gates.states
        reads, inputs_x = read_TBR.unbind(), x_TBG.unbind()
        # used once a step: a copy in the order that the product likes best pays
        w_reading_DR, w_context_MG = (Factor(w.T.contiguous()) for w in (self.w_reading, self.w_context))
        for t in range(num_steps):
            w_reading_DR.add(b_reading, self.gates.states[t], out=reads[t])
            context_BM = self.attending.forward(t, queries[t], self.gates.states[t])
            w_context_MG.add(inputs_x[t], context_BM, out=input_BG)
            self.gates.forward(t)
        weights = self.attending.weights() if self.parts.look else x_TBG.new_empty(0)
        return self.gates.h[1:], self.attending.contexts, weights

    def backward(self, *gradients: Tensor) -> Outputs:
        ds_TBD, dcontexts_TBM, _ = gradients
        gates, attending, h_TBD = self.gates, self.attending, self.gates.h[:-1]
        num_steps, num_rows, _ = ds_TBD.shape
        dread = ds_TBD.new_empty(num_steps, num_rows, len(self.w_reading))
        dx = ds_TBD.new_empty(num_steps, num_rows, self.sizes[1])
        dquery_TBQ, du_TBG = dread.split(self.sizes, 2)
        is_product = self.sizes[0] > 0
        dqueries = (dquery_TBQ if is_product else torch.empty_like(ds_TBD)).unbind()
        w_reading_RD, w_context_GM = Factor(self.w_reading), Factor(self.w_context)
        gates.start_backward(dx, du_TBG)
        attending.start_backward()
        dreads, dxs, ds, dcontexts = dread.unbind(), dx.unbind(), ds_TBD.unbind(), dcontexts_TBM.unbind()
        dh_BD = torch.zeros_like(ds_TBD[0])
        for t in reversed(range(num_steps)):
            dh_BD += ds[t]
            passed_BD = gates.backward(t, dh_BD)
            dcontext_BM = w_context_GM.add(dcontexts[t], dxs[t], out=torch.empty_like(dcontexts[t]))
            asked_BD = attending.backward(t, dcontext_BM, dqueries[t])
            dh_BD = w_reading_RD.times(dreads[t])
            for more_BD in (passed_BD, asked_BD, None if is_product else dqueries[t]):
                if more_BD is not None:
                    dh_BD += more_BD
        dkeys, dstates, dscore = attending.finish(h_TBD)
        dw_query, dw_state = product(dread.flatten(0, 1).T, h_TBD.flatten(0, 1)).split(self.sizes)
        db_query, db_state = dread.sum((0, 1)).split(self.sizes)
        dw_context = product(dx.flatten(0, 1).T, attending.contexts.flatten(0, 1))
        dquery = (dw_query, db_query) if is_product else ()
        return dx, dkeys, dstates, dw_context, dw_state, db_state, *gates.first(dh_BD), *dquery, *dscore
