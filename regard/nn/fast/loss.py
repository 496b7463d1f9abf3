"""The output layer and cross-entropy in pieces: the logits of all positions are never held at once.

The gradients are made in the same pass, while a piece is still in the cache. Of all that can be taken out of a piece's
logits nothing is left in: they are taken to base 2, for 2^x takes half of the time of e^x on a CPU, by way of the
features; and with p = e / z, e = 2^logits, z = Σ_v e, they only ever become e, some tokens after the others.

    ∂loss/∂logits = e / z − (1 − ε) target − ε / V
    ∂loss/∂f = eW / z − (1 − ε) W[target] − ε mean_v W
    ∂loss/∂W = eᵀ(f / z) − (1 − ε) targetᵀf − ε / V · Σ_n f
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from regard.nn.embedding import OutputLayer
from regard.nn.fast.tape import Outputs, play
from regard.nn.loss import Loss
from regard.nn.products import Factor

_LINE = 16  # numbers: a row of logits that begins with a line of the cache is written a fifth faster (docs/log.md)
_TILE = 1024  # tokens: what is made of a row's logits at once, while they are in the nearest cache
_LARGE = 2.0**64  # a sum of so many is a float; only if one is larger, or smaller than 1 / it, the largest is taken out


def cross_entropy(features_NE: Tensor, output: OutputLayer, target_N: Tensor, smoothing: float) -> Loss:
    """The twin of `nn.loss.cross_entropy`."""
    total, nll = play(LossTape(output, target_N, smoothing), features_NE, output.weight_VE, output.bias_V)
    return Loss(total, nll, len(target_N))


class LossTape:
    num_constants = 1
    recording = False

    def __init__(self, output: OutputLayer, target_N: Tensor, smoothing: float) -> None:
        self.output = output
        self.target_N = target_N
        self.smoothing = smoothing

    def forward(self, *inputs: Tensor) -> Outputs:
        features_NE, weight_VE, bias_V = inputs
        num_rows, num_tokens = len(features_NE), len(weight_VE)
        self.gradients = tuple(torch.empty_like(x) for x in inputs) if self.recording else ()
        base2_NE, base2_V = features_NE * math.log2(math.e), bias_V * math.log2(math.e)
        wanted_N = (base2_NE * weight_VE.index_select(0, self.target_N)).sum(1) + base2_V.index_select(0, self.target_N)
        norm_N, e_NP = features_NE.new_empty(num_rows), None
        tiles = [(Factor(w_CE), b_C) for w_CE, b_C in zip(weight_VE.split(_TILE), base2_V.split(_TILE), strict=True)]
        for rows in self.output.pieces(num_rows):
            if e_NP is None:  # what is multiplied next is held as it will be multiplied
                e_NP = tiles[0][0].w_KN.new_empty(rows.stop, num_tokens + -num_tokens % _LINE)
            e_NV = e_NP[: min(rows.stop, num_rows) - rows.start, :num_tokens]
            piece = (e_NV, base2_NE[rows], tiles, self.gradients[0][rows] if self.recording else None)
            z_N = _exponentiate(*piece)
            norm_N[rows] = z_N.log2()
            if not ((z_N < _LARGE) & (z_N > 1 / _LARGE)).all():
                largest_N = torch.addmm(base2_V, base2_NE[rows], weight_VE.T).amax(1)
                z_N = _exponentiate(*piece, largest_N)
                norm_N[rows] = z_N.log2() + largest_N
            if self.recording:
                self._learn(rows, e_NV, z_N, features_NE[rows])
        nll = (norm_N - wanted_N).sum() * math.log(2)
        total = nll
        if self.smoothing:
            mean_E, mean = weight_VE.mean(0), bias_V.mean()
            others = norm_N.sum() * math.log(2) - (features_NE @ mean_E + mean).sum()
            total = (1 - self.smoothing) * nll + self.smoothing * others
        if self.recording:
            self._unlearn(features_NE, weight_VE)
        return total, nll

    def _learn(self, rows: slice, e_NV: Tensor, z_N: Tensor, features_NE: Tensor) -> None:
        """What of the gradients comes from e / z."""
        dfeatures_NE, dweight_VE, dbias_1V = *self.gradients[:2], self.gradients[2][None]
        share_N = z_N.reciprocal()
        dfeatures_NE[rows] *= share_N[:, None]
        shared_NE, e = Factor(features_NE * share_N[:, None]), Factor(e_NV)
        if rows.start == 0:  # a product that writes spares the zeros of one that adds
            shared_NE.times(e_NV.T, out=dweight_VE)
            e.times(share_N[None], out=dbias_1V)
        else:
            shared_NE.add(dweight_VE, e_NV.T, out=dweight_VE)
            e.add(dbias_1V, share_N[None], out=dbias_1V)

    def _unlearn(self, features_NE: Tensor, weight_VE: Tensor) -> None:
        """And what comes from the target, and from smoothing it."""
        dfeatures_NE, dweight_VE, dbias_V = self.gradients
        num_rows, num_tokens, others = len(features_NE), len(weight_VE), self.smoothing
        dfeatures_NE.sub_(weight_VE.index_select(0, self.target_N), alpha=1 - others)
        dweight_VE.index_add_(0, self.target_N, features_NE, alpha=others - 1)
        dbias_V.index_add_(0, self.target_N, features_NE.new_ones(num_rows), alpha=others - 1)
        if others:
            dfeatures_NE.sub_(weight_VE.mean(0), alpha=others)
            dweight_VE.sub_(features_NE.sum(0), alpha=others / num_tokens)
            dbias_V.sub_(others * num_rows / num_tokens)

    def backward(self, *gradients: Tensor) -> Outputs:
        return tuple(x.mul_(gradients[0]) for x in self.gradients)


def _exponentiate(
    e_NV: Tensor,
    base2_NE: Tensor,
    tiles: list[tuple[Factor, Tensor]],
    ew_NE: Tensor | None,
    largest_N: Tensor | None = None,
) -> Tensor:
    """Write e and, if asked for, eW; give z. If `largest_N` is taken out of the logits, z is so many times smaller."""
    z_N = base2_NE.new_zeros(len(base2_NE))
    for number, (e_NC, (weight_CE, base2_C)) in enumerate(zip(e_NV.split(_TILE, 1), tiles, strict=True)):
        weight_CE.T.add(base2_C, base2_NE, out=e_NC)
        if largest_N is not None:
            e_NC -= largest_N[:, None]
        z_N += e_NC.exp2_().sum(1, dtype=z_N.dtype)
        if ew_NE is not None and number == 0:  # the first writes, the others add
            weight_CE.times(e_NC, out=ew_NE)
        elif ew_NE is not None:
            weight_CE.add(ew_NE, e_NC, out=ew_NE)
    return z_N
