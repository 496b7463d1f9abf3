"""Attention after the cell with input feeding, all steps: the twin of `AfterFed.forward`.

s(t) = gates(W_y y + W_f features(t−1) + b, U s(t−1) + b)        features(t) = tanh(W_s s(t) + W_c context of s(t))
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.fast.parts import Parts
from regard.nn.fast.tape import Outputs
from regard.nn.products import Factor, product


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
        read_UBR = x_TBG.new_empty(num_steps + 1, num_rows, len(b_reading))
        readout_UBE, u_UBG, query_UBQ = read_UBR.split(self.sizes, 2)
        input_BG = torch.empty_like(x_TBG[0])
        self.gates.start(input_BG.expand_as(x_TBG), u_UBG)
        states, fed, reads, readouts = self.gates.states, self.fed.unbind(), read_UBR.unbind(), readout_UBE.unbind()
        queries = query_UBQ.unbind() if split.query else states
        inputs_x = x_TBG.unbind()
        # used once a step: a copy in the order that the product likes best pays
        w_reading_DR, w_fed_EG, w_c_ME = (Factor(w.T.contiguous()) for w in (self.w_reading, self.w_fed, self.w_c))
        fed[0].copy_(fed_BE)
        w_reading_DR.add(b_reading, states[0], out=reads[0])
        for t in range(num_steps):
            w_fed_EG.add(inputs_x[t], fed[t], out=input_BG)
            self.gates.forward(t)
            w_reading_DR.add(b_reading, states[t + 1], out=reads[t + 1])
            context_BM = self.attending.forward(t, queries[t + 1], states[t + 1])
            w_c_ME.add(readouts[t + 1], context_BM, out=fed[t + 1]).tanh_()
        weights = self.attending.weights() if self.parts.look else x_TBG.new_empty(0)
        return self.fed[1:], weights

    def backward(self, *gradients: Tensor) -> Outputs:
        dfeatures_TBE, _ = gradients
        gates, attending = self.gates, self.attending
        slopes = torch.addcmul(self.fed.new_ones(()), self.fed, self.fed, value=-1).unbind()  # tanh' = 1 − tanh²
        dread = self.fed.new_zeros(*self.fed.shape[:2], len(self.w_reading))
        dx = self.fed.new_empty(len(self.fed) - 1, self.fed.shape[1], self.sizes[1])
        dreadout_UBE, du_UBG, dquery_UBQ = dread.split(self.sizes, 2)
        is_product = self.sizes[2] > 0
        dqueries = (dquery_UBQ if is_product else torch.empty_like(gates.h)).unbind()
        w_reading_RD, w_fed_GE, w_c_EM = (Factor(w) for w in (self.w_reading, self.w_fed, self.w_c))
        gates.start_backward(dx, du_UBG)
        attending.start_backward()
        dreads, dxs, dreadouts, dfeatures = dread.unbind(), dx.unbind(), dreadout_UBE.unbind(), dfeatures_TBE.unbind()
        dfed_BE = torch.zeros_like(self.fed[0])
        passed_BD: Tensor | None = None
        for t in reversed(range(len(dx))):
            torch.mul(dfed_BE.add_(dfeatures[t]), slopes[t + 1], out=dreadouts[t + 1])
            asked_BD = attending.backward(t, w_c_EM.times(dreadouts[t + 1]), dqueries[t + 1])
            dh_BD = w_reading_RD.times(dreads[t + 1])
            for more_BD in (passed_BD, asked_BD, None if is_product else dqueries[t + 1]):
                if more_BD is not None:
                    dh_BD += more_BD
            passed_BD = gates.backward(t, dh_BD)
            dfed_BE = w_fed_GE.times(dxs[t])
        dh_BD = w_reading_RD.times(dreads[0])
        if passed_BD is not None:
            dh_BD += passed_BD
        return self._gradients(dx, dread, dfed_BE, gates.first(dh_BD))

    def _gradients(self, dx: Tensor, dread: Tensor, dfed_BE: Tensor, dcell: tuple[Tensor, ...]) -> Outputs:
        h_UBD, contexts = self.gates.h, self.attending.contexts
        dkeys, dstates, dscore = self.attending.finish(h_UBD[1:])
        dw_s, dw_state, dw_query = product(dread.flatten(0, 1).T, h_UBD.flatten(0, 1)).split(self.sizes)
        _, db_state, db_query = dread.sum((0, 1)).split(self.sizes)
        dreadout = dread[1:, :, : self.sizes[0]].flatten(0, 1)
        dw_c = product(dreadout.T, contexts.flatten(0, 1))
        dw_fed = product(dx.flatten(0, 1).T, self.fed[:-1].flatten(0, 1))
        dquery = (dw_query, db_query) if self.sizes[2] else ()
        return dx, dkeys, dstates, dfed_BE, dw_fed, dw_s, dw_c, dw_state, db_state, *dcell, *dquery, *dscore
