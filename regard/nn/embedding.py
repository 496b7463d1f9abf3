"""Tokens as vectors, and vectors as logits over tokens."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.nn.products import linear, rounds

PIECE = 1 << 23  # bytes of logits at a time, which stay in the cache


class Embedding(nn.Module):
    """Row v is token v. Drawn with variance 1/E, so that a tied output layer starts with logits of size one."""

    def __init__(self, num_tokens: int, size: int) -> None:
        super().__init__()
        self.weight_VE = nn.Parameter(torch.randn(num_tokens, size) * size**-0.5)

    def forward(self, tokens: Tensor) -> Tensor:
        # scaled back to unit variance on the way in (Vaswani et al. 2017, section 3.4)
        vectors: Tensor = functional.embedding(tokens, self.weight_VE) * self.weight_VE.shape[1] ** 0.5
        return vectors


class OutputLayer(nn.Module):
    """logits = W f + b; W may be the rows of an Embedding (Press and Wolf 2017), which `weight_VE` then is."""

    def __init__(self, weight_VE: nn.Parameter) -> None:
        super().__init__()
        self.weight_VE = weight_VE
        self.bias_V = nn.Parameter(torch.zeros(weight_VE.shape[0]))

    def forward(self, features: Tensor) -> Tensor:
        return linear(features, self.weight_VE, self.bias_V)

    def pieces(self, num_rows: int) -> Iterator[slice]:
        """Some rows after the other, in pieces of like size: the logits of all positions are never held at once."""
        size_of_one = 2 if rounds(self.weight_VE) else 4
        num_pieces = math.ceil(num_rows * len(self.weight_VE) * size_of_one / PIECE)
        size = math.ceil(num_rows / max(1, num_pieces))
        return (slice(start, start + size) for start in range(0, num_rows, size))
