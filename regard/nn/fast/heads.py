"""softmax(QKᵀ/√k) V for all heads of short sequences: the twin of `MultiHead`'s equation, with its backward by hand.

PyTorch's own attention goes through long sequences in blocks, which for a word of nine letters takes twice as long.
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.fast.tape import Outputs, play

LONGEST = 128  # positions: beyond that blocks are as fast, and the weights need not be kept (docs/log.md)


def attend(
    query_BHTK: Tensor, keys_BHSK: Tensor, values_BHSK: Tensor, mask: Tensor | None, kept: Tensor | None
) -> Tensor:
    """`mask` (None: all) and `kept`, what dropout multiplies the weights by, are as wide as weights_BHTS or 1."""
    (heads_BHTK,) = play(HeadsTape(mask, kept), query_BHTK, keys_BHSK, values_BHSK)
    return heads_BHTK


class HeadsTape:
    num_constants = 0
    recording = False

    def __init__(self, mask: Tensor | None, kept: Tensor | None) -> None:
        self.mask, self.kept = mask, kept

    def forward(self, *inputs: Tensor) -> Outputs:
        query_BHTK = inputs[0]
        self.scale = query_BHTK.shape[-1] ** -0.5
        self.heads = query_BHTK.shape[:2]
        self.query_NTK, self.keys_NSK, self.values_NSK = (x.flatten(0, 1) for x in inputs)
        weights_NTS = torch.bmm(self.query_NTK, self.keys_NSK.transpose(1, 2)).mul_(self.scale)
        if self.mask is not None:
            weights_NTS.unflatten(0, self.heads).masked_fill_(~self.mask, -torch.inf)
        self.weights_NTS = self.used_NTS = torch.softmax(weights_NTS, dim=-1)
        if self.kept is not None:
            self.used_NTS = (self.weights_NTS.unflatten(0, self.heads) * self.kept).flatten(0, 1)
        return (torch.bmm(self.used_NTS, self.values_NSK).unflatten(0, self.heads),)

    def backward(self, *gradients: Tensor) -> Outputs:
        d_NTK = gradients[0].flatten(0, 1)
        dvalues_NSK = torch.bmm(self.used_NTS.transpose(1, 2), d_NTK)
        dweights_NTS = torch.bmm(d_NTK, self.values_NSK.transpose(1, 2))
        if self.kept is not None:
            dweights_NTS.unflatten(0, self.heads).mul_(self.kept)
        # α ⊙ (dα − Σ α dα)
        dscores_NTS = torch.ops.aten._softmax_backward_data(dweights_NTS, self.weights_NTS, -1, dweights_NTS.dtype)
        dscores_NTS.mul_(self.scale)
        dquery_NTK = torch.bmm(dscores_NTS, self.keys_NSK)
        dkeys_NSK = torch.bmm(dscores_NTS.transpose(1, 2), self.query_NTK)
        return tuple(x.unflatten(0, self.heads) for x in (dquery_NTK, dkeys_NSK, dvalues_NSK))
