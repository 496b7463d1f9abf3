"""A decoder-only Transformer: x → x + past(x) → x + f(x)."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import torch
from torch import Tensor, nn

from regard.nn.dropout import Noise
from regard.nn.feedforward import FeedForward, Norm, Residual
from regard.nn.frame import Frame
from regard.nn.memory import Output, State, nothing
from regard.nn.past.base import Past, Rows, named, rows_of
from regard.nn.trunks.base import Trunk


class TrunkLayer(nn.Module):
    def __init__(self, size: int, past: Past, feed: FeedForward, norm: Norm, dropout: float) -> None:
        super().__init__()
        self.past, self.remembered = past, Residual(size, norm, dropout)
        self.feed, self.fed = feed, Residual(size, norm, dropout)

    def forward(self, x_BTD: Tensor, noise: Noise | None, place: str, *, look: bool) -> tuple[Tensor, Tensor | None]:
        new_BTD, weights_BHTS = self.past(self.remembered.before(x_BTD), noise, f"{place}.past", look=look)
        return self._rest(x_BTD, new_BTD, noise, place), weights_BHTS

    def step(self, x_RD: Tensor, rows: Rows, position_R: Tensor, *, look: bool) -> tuple[Tensor, Tensor | None, Rows]:
        new_RD, weights_RHS, rows = self.past.step(self.remembered.before(x_RD), rows, position_R, look=look)
        return self._rest(x_RD, new_RD, None, ""), weights_RHS, rows

    def _rest(self, x: Tensor, new: Tensor, noise: Noise | None, place: str) -> Tensor:
        x = self.remembered.after(x, new, noise, f"{place}.remembered")
        return self.fed.after(x, self.feed(self.fed.before(x), noise, place), noise, f"{place}.fed")


class TransformerTrunk(Trunk):
    attends = True

    def __init__(self, frame: Frame, layers: list[TrunkLayer]) -> None:
        super().__init__()
        self.frame, self.most = frame, frame.positions.most
        self.layers = nn.ModuleList(layers)

    def forward(self, x_BTE: Tensor, noise: Noise | None = None, *, look: bool = False) -> Output:
        x_BTD, seen = self.frame.enter(x_BTE), []
        for number, layer in enumerate(self._layers):
            x_BTD, weights_BHTS = layer(x_BTD, noise, f"trunk.{number}", look=look)
            seen.append(weights_BHTS)
        weights = torch.stack(cast(list[Tensor], seen), 1) if look else None
        return Output(self.frame.leave(x_BTD), weights)

    def start(self, num_rows: int) -> State:
        like_RD = next(self.parameters()).new_zeros(num_rows, self.frame.size)
        rows: Rows = {"position": torch.zeros(num_rows, dtype=torch.long, device=like_RD.device)}
        for number, layer in enumerate(self._layers):
            rows |= named(layer.past.first(like_RD), number)
        return State(nothing(num_rows, like_RD), None, rows)

    def step(self, x_RE: Tensor, state: State, *, look: bool = False) -> tuple[Output, State]:
        position_R = state.position_R
        x_RD, seen = self.frame.enter(x_RE[:, None], position_R[:, None])[:, 0], []
        rows: Rows = {"position": position_R + 1}
        for number, layer in enumerate(self._layers):
            before = rows_of(state.rows, number)
            x_RD, weights_RHS, after = layer.step(x_RD, before, position_R, look=look)
            rows |= named(after, number)
            seen.append(weights_RHS)
        weights = torch.stack(cast(list[Tensor], seen), 1)[:, :, :, None] if look else None
        return Output(self.frame.leave(x_RD)[:, None], weights), replace(state, rows=rows)

    @property
    def _layers(self) -> list[TrunkLayer]:
        return cast(list[TrunkLayer], list(self.layers))
