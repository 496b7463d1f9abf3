"""Attention as a layer of its own: learned queries, keys and values, side by side in several heads.

Q = X_Q W_Q    K = X W_K    V = X W_V    Attention(Q, K, V) = softmax(QKᵀ/√k) V          (Vaswani et al. 2017, eq. 1)
MultiHead = [head_1; …; head_H] W_O                                                      (the same, section 3.2.2)

    layer = MultiHead(query_size=64, input_size=64, size=64, num_heads=4)
    attended_BTD, weights_BHTS = layer(query_BTD, layer.prepare(input_BSM), mask_BTS, look=True)
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.nn import masks
from regard.nn.attention import weigh
from regard.nn.dropout import Noise, dropout
from regard.nn.fast import heads
from regard.nn.positions.base import Positions
from regard.nn.products import Linear


class Keys(NamedTuple):
    """What is looked at, prepared once: a key to compare with and a value to take, for each head and position."""

    keys_BHSK: Tensor
    values_BHSK: Tensor


class MultiHead(nn.Module):
    def __init__(
        self,
        query_size: int,
        input_size: int,
        size: int,
        num_heads: int,
        *,
        positions: Positions | None = None,
        dropout: float = 0.0,
        fast: bool = True,
    ) -> None:
        super().__init__()
        assert size % num_heads == 0, "heads of one size"
        self.num_heads = num_heads
        self.positions = positions or Positions()
        self.dropout = dropout  # of the weights
        self.fast = fast
        self.query_map = Linear(query_size, size)
        self.key_map = Linear(input_size, size)
        self.value_map = Linear(input_size, size)
        self.output_map = Linear(size, query_size)

    def prepare(self, input_BSM: Tensor, position_BS: Tensor | None = None) -> Keys:
        keys_BHSK = self._heads(self.key_map(input_BSM))
        if position_BS is not None:
            keys_BHSK = self.positions.rotate(keys_BHSK, position_BS)
        return Keys(keys_BHSK, self._heads(self.value_map(input_BSM)))

    def forward(
        self,
        query_BTD: Tensor,
        keys: Keys,
        mask_BTS: Tensor | None,
        position_BT: Tensor | None = None,
        *,
        past: bool = False,
        look: bool = False,
        noise: Noise | None = None,
        place: str = "",
    ) -> tuple[Tensor, Tensor | None]:
        """What each query takes from the positions that the mask allows; and weights_BHTS, if asked for.

        `past` in the place of a mask: there are as many queries as positions, and query t may look at s ≤ t.
        """
        assert mask_BTS is None or not past, "one or the other"
        query_BHTK = self._heads(self.query_map(query_BTD))
        if position_BT is not None:
            query_BHTK = self.positions.rotate(query_BHTK, position_BT)
        weights_BHTS = None
        if self.fast and not look:
            heads_BHTK = self._fast(query_BHTK, keys, mask_BTS, past, noise, place)
        else:
            if past:
                mask_BTS = masks.past(query_BTD.shape[1], query_BTD.device)[None]
            weights_BHTS = self.weights(query_BHTK, keys.keys_BHSK, mask_BTS)
            heads_BHTK = dropout(weights_BHTS, self.dropout, noise, f"{place}.weights") @ keys.values_BHSK
        attended_BTD: Tensor = self.output_map(heads_BHTK.transpose(1, 2).flatten(2))
        return attended_BTD, weights_BHTS if look else None

    def _fast(
        self, query_BHTK: Tensor, keys: Keys, mask_BTS: Tensor | None, past: bool, noise: Noise | None, place: str
    ) -> Tensor:
        """The same, with no weights to look at."""
        num_queries, num_positions = query_BHTK.shape[2], keys.keys_BHSK.shape[2]
        mask_B1TS = None if mask_BTS is None else mask_BTS[:, None]
        kept_BHTS = None
        if noise is not None and self.dropout > 0:
            shape = (*query_BHTK.shape[:3], num_positions)
            kept_BHTS = noise.mask(f"{place}.weights", shape, self.dropout, query_BHTK)
        elif not (torch.is_grad_enabled() and num_positions <= heads.LONGEST and query_BHTK.is_cpu):
            return functional.scaled_dot_product_attention(query_BHTK, *keys, attn_mask=mask_B1TS, is_causal=past)
        if past:
            mask_B1TS = masks.past(num_queries, query_BHTK.device)
        return heads.attend(query_BHTK, *keys, mask_B1TS, kept_BHTS)

    def weights(self, query_BHTK: Tensor, keys_BHSK: Tensor, mask_BTS: Tensor | None) -> Tensor:
        """softmax(QKᵀ/√k)"""
        scores_BHTS: Tensor = query_BHTK @ keys_BHSK.transpose(2, 3) / query_BHTK.shape[-1] ** 0.5
        weights_BHTS: Tensor = weigh(scores_BHTS, None if mask_BTS is None else mask_BTS[:, None])
        return weights_BHTS

    def _heads(self, x_BTA: Tensor) -> Tensor:
        heads_BHTK: Tensor = x_BTA.unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        return heads_BHTK
