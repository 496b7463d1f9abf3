"""Layers that look at their own past, at the memory, and at themselves (Vaswani et al. 2017, section 3.1).

x → x + past(x) → x + attention(x, memory) → x + f(x)

With `rotate_memory` the query at t and the key at s are turned as in self-attention (Su et al. 2021, eq. 34), so that
their product depends on t − s: how far the output is along, and how far the input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import torch
from torch import Tensor, nn

from regard.nn import masks
from regard.nn.decoders.base import Decoder
from regard.nn.dropout import Noise
from regard.nn.feedforward import FeedForward, Norm, Residual
from regard.nn.frame import Frame
from regard.nn.memory import Memory, Output, State
from regard.nn.multihead import Keys, MultiHead
from regard.nn.past.base import Past, Rows, named, rows_of
from regard.nn.positions.base import in_order


class DecoderLayer(nn.Module):
    def __init__(
        self, size: int, past: Past, attention: MultiHead, feed: FeedForward, norm: Norm, dropout: float
    ) -> None:
        super().__init__()
        self.past, self.remembered = past, Residual(size, norm, dropout)
        self.attention, self.attended = attention, Residual(size, norm, dropout)
        self.feed, self.fed = feed, Residual(size, norm, dropout)

    def forward(
        self, x_BTD: Tensor, keys: Keys, mask_BS: Tensor | None, noise: Noise | None, place: str, look: bool, back: bool
    ) -> tuple[Tensor, Tensor | None]:
        mask_B1S = None if mask_BS is None else mask_BS[:, None]
        position_1T = in_order(x_BTD)

        def attend(read_BTD: Tensor) -> tuple[Tensor, Tensor | None]:
            found: tuple[Tensor, Tensor | None] = self.attention(
                read_BTD, keys, mask_B1S, position_1T, look=look, noise=noise, place=place
            )
            return found

        new_BTD, past_BHTT = self.past(self.remembered.before(x_BTD), noise, f"{place}.past", look=back)
        x_BTD, weights_BHTS = self._rest(x_BTD, new_BTD, attend, noise, place)
        return x_BTD, past_BHTT if back else weights_BHTS

    def step(
        self, x_RD: Tensor, keys: Keys, state: State, rows: Rows, *, look: bool
    ) -> tuple[Tensor, Tensor | None, Rows]:
        def attend(read_RD: Tensor) -> tuple[Tensor, Tensor | None]:
            # the rows of a sentence are queries to the same keys
            query_BWD, position_BW = state.side_by_side(read_RD), state.side_by_side(state.position_R)
            new_BWD, weights_BHWS = self.attention(
                query_BWD, keys, state.memory.mask_BS[:, None], position_BW, look=look
            )
            weights_RHS = None if weights_BHWS is None else state.row_by_row(weights_BHWS.transpose(1, 2))
            return state.row_by_row(new_BWD), weights_RHS

        new_RD, _, rows = self.past.step(self.remembered.before(x_RD), rows, state.position_R)
        return *self._rest(x_RD, new_RD, attend, None, ""), rows

    def _rest(
        self,
        x: Tensor,
        new: Tensor,
        attend: Callable[[Tensor], tuple[Tensor, Tensor | None]],
        noise: Noise | None,
        place: str,
    ) -> tuple[Tensor, Tensor | None]:
        x = self.remembered.after(x, new, noise, f"{place}.remembered")
        new, weights = attend(self.attended.before(x))
        x = self.attended.after(x, new, noise, f"{place}.attended")
        new = self.feed(self.fed.before(x), noise, place)
        return self.fed.after(x, new, noise, f"{place}.fed"), weights


class TransformerDecoder(Decoder):
    attends = True
    sums_to_one = True

    def __init__(self, frame: Frame, layers: list[DecoderLayer]) -> None:
        super().__init__()
        self.frame, self.most = frame, frame.positions.most
        self.layers = nn.ModuleList(layers)
        self.looks_back = all(layer.past.attends for layer in layers)

    def forward(
        self, y_BTE: Tensor, memory: Memory, noise: Noise | None = None, *, look: bool = False, back: bool = False
    ) -> Output:
        assert not (look and back), "one or the other"
        x_BTD, seen = self.frame.enter(y_BTE), []
        mask_BS = masks.unless_all(memory.mask_BS)
        for number, layer in enumerate(self._layers):
            keys = layer.attention.prepare(memory.states_BSM, in_order(memory.states_BSM))
            x_BTD, weights_BHTS = layer(x_BTD, keys, mask_BS, noise, f"decoder.{number}", look, back)
            seen.append(weights_BHTS)
        return Output(self.frame.leave(x_BTD), torch.stack(seen, 1) if look or back else None)

    def start(self, memory: Memory) -> State:
        position_1S = in_order(memory.states_BSM)
        prepared = [torch.stack(layer.attention.prepare(memory.states_BSM, position_1S), 1) for layer in self._layers]
        rows = {"position": torch.zeros_like(memory.length_B)}
        like_BD = memory.states_BSM.new_zeros(len(memory.length_B), self.frame.size)
        for number, layer in enumerate(self._layers):
            rows |= named(layer.past.first(like_BD), number)
        return State(memory, torch.stack(prepared, 1), rows)

    def step(self, y_RE: Tensor, state: State, *, look: bool = False) -> tuple[Output, State]:
        assert state.keys is not None
        position_R = state.position_R
        x_RD, seen = self.frame.enter(y_RE[:, None], position_R[:, None])[:, 0], []
        rows: Rows = {"position": position_R + 1}
        for number, (layer, keys_B2HSK) in enumerate(zip(self._layers, state.keys.unbind(1), strict=True)):
            before = rows_of(state.rows, number)
            x_RD, weights_RHS, after = layer.step(x_RD, Keys(*keys_B2HSK.unbind(1)), state, before, look=look)
            rows |= named(after, number)
            if weights_RHS is not None:
                seen.append(weights_RHS)
        weights_RLHTS = torch.stack(seen, 1)[:, :, :, None] if look else None
        return Output(self.frame.leave(x_RD)[:, None], weights_RLHTS), replace(state, rows=rows)

    @property
    def _layers(self) -> list[DecoderLayer]:
        return cast(list[DecoderLayer], list(self.layers))
