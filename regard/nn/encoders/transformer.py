"""Layers of self-attention and feed-forward: x → x + attention(x) → x + f(x) (Vaswani et al. 2017, section 3.1).

Without the feed-forward half it is an encoder of attention alone. The summary is the mean of the states.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from regard.nn import masks
from regard.nn.dropout import Noise
from regard.nn.encoders.base import Encoder
from regard.nn.feedforward import FeedForward, Norm, Residual
from regard.nn.frame import Frame
from regard.nn.memory import Memory
from regard.nn.multihead import MultiHead
from regard.nn.positions.base import in_order
from regard.nn.summaries.base import Summary
from regard.nn.summaries.mean import mean


class EncoderLayer(nn.Module):
    def __init__(self, size: int, attention: MultiHead, feed: FeedForward | None, norm: Norm, dropout: float) -> None:
        super().__init__()
        self.attention, self.attended = attention, Residual(size, norm, dropout)
        self.feed, self.fed = feed, Residual(size, norm, dropout) if feed else None

    def forward(
        self, x_BSD: Tensor, mask_BS: Tensor | None, position_1S: Tensor, noise: Noise | None, place: str, *, look: bool
    ) -> tuple[Tensor, Tensor | None]:
        read_BSD, mask_B1S = self.attended.before(x_BSD), None if mask_BS is None else mask_BS[:, None]
        keys = self.attention.prepare(read_BSD, position_1S)
        new_BSD, weights_BHSS = self.attention(
            read_BSD, keys, mask_B1S, position_1S, look=look, noise=noise, place=place
        )
        x_BSD = self.attended.after(x_BSD, new_BSD, noise, f"{place}.attended")
        if self.feed is not None and self.fed is not None:
            new_BSD = self.feed(self.fed.before(x_BSD), noise, place)
            x_BSD = self.fed.after(x_BSD, new_BSD, noise, f"{place}.fed")
        return x_BSD, weights_BHSS


class TransformerEncoder(Encoder):
    looks_within = True

    def __init__(self, frame: Frame, layers: list[EncoderLayer], summary: Summary | None = None) -> None:
        super().__init__()
        self.frame, self.most = frame, frame.positions.most
        self.memory_size = frame.size
        self.layers = nn.ModuleList(layers)
        self.summary = summary

    def forward(
        self, source_BSE: Tensor, length_B: Tensor, noise: Noise | None = None, *, look: bool = False
    ) -> Memory:
        mask_BS = masks.real(length_B, source_BSE.shape[1])
        position_1S = in_order(source_BSE)
        x_BSD, needed_BS, seen = self.frame.enter(source_BSE, position_1S), masks.unless_all(mask_BS), []
        for number, layer in enumerate(self.layers):
            x_BSD, weights_BHSS = layer(x_BSD, needed_BS, position_1S, noise, f"encoder.{number}", look=look)
            seen.append(weights_BHSS)
        x_BSD = self.frame.leave(x_BSD) * mask_BS[:, :, None]
        memory = self.remember(x_BSD, mask_BS, length_B, mean(x_BSD, mask_BS))
        return memory._replace(weights_BLHSS=torch.stack(seen, 1)) if look else memory
