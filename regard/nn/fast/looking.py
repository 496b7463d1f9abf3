"""Attention in a step of search, where the rows of a sentence are queries to the same keys.

Through a local window only a few positions count. If the source is long, those are taken out, and a step takes the same
time however long it is.
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.attention import Attention
from regard.nn.fast.additive_score import faster
from regard.nn.fast.attending import take
from regard.nn.fast.windows import SlidingM, SlidingP
from regard.nn.memory import Memory, State
from regard.nn.windows.local_m import LocalM
from regard.nn.windows.local_p import LocalP

LONG = 2  # times the width of a window: from here on it pays to take positions out


class Looking:
    def __init__(self, attention: Attention) -> None:
        self.attention = Attention(faster(attention.score), attention.window)

    def prepare(self, memory: Memory) -> Tensor:
        return self.attention.prepare(memory)

    def add_context(self, x_RX: Tensor, query_RD: Tensor, state: State) -> Tensor:
        """Add Σ_s α_s h_s to x, in place, and give the weights_RS."""
        assert state.keys is not None
        num_source = state.memory.mask_BS.shape[1]
        window = self.attention.window
        if isinstance(window, LocalM | LocalP) and num_source >= LONG * (2 * window.reach + 1):
            return self._add_local(x_RX, query_RD, state, window)
        query_BWD, position_BW = state.side_by_side(query_RD), state.side_by_side(state.position_R)
        weights_BWS = self.attention.weights(query_BWD, state.keys, state.memory, position_BW)
        if state.uneven is None:
            state.side_by_side(x_RX).baddbmm_(weights_BWS, state.memory.states_BSM)
        else:
            x_RX += state.row_by_row(torch.bmm(weights_BWS, state.memory.states_BSM))
        return state.row_by_row(weights_BWS)

    def _add_local(self, x_RX: Tensor, query_RD: Tensor, state: State, window: LocalM | LocalP) -> Tensor:
        assert state.keys is not None
        length_B, num_source = state.memory.length_B, state.memory.mask_BS.shape[1]
        shape = (length_B, num_source, window.reach, state.sentence_R)
        sliding = (
            SlidingM(*shape)
            if isinstance(window, LocalM)
            else SlidingP(*shape, w_HD=window.hidden.weight, v_H=window.v.weight[0])
        )
        rows_RW, outside_RW, gain_RW = sliding.look(state.position_R, query_RD)
        scores_RW = self.attention.score(query_RD[:, None], take(state.keys, rows_RW))[:, 0]
        weights_RW = torch.softmax(scores_RW.masked_fill_(outside_RW, -torch.inf), dim=-1)
        if gain_RW is not None:
            weights_RW *= gain_RW
        x_RX[:, None].baddbmm_(weights_RW[:, None], take(state.memory.states_BSM, rows_RW))
        weights_RS = weights_RW.new_zeros(len(query_RD), num_source)
        position_RW = rows_RW % num_source
        return weights_RS.scatter_add_(1, position_RW, weights_RW)
