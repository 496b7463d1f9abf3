"""The output layer and cross-entropy in pieces: the logits of all positions are never held at once.

The gradients are made in the same pass, while a piece is still in the cache. Of all that can be taken out of a piece's
logits nothing is left in: they are taken to base 2, for 2^x takes half of the time of e^x on a CPU, by way of the
features; and with p = e / z, e = 2^logits, z = Σ_v e, they only ever become e.

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

_LINE = 16  # numbers: a row of logits that begins with a line of the cache is written a fifth faster (docs/log.md)
_LARGE = 64.0  # 2^±64 and a sum of many are floats: only from larger logits the largest is taken out first


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
        norm_N, wanted_N = (features_NE.new_empty(num_rows) for _ in range(2))
        base2_NE, base2_V, logits_NP = features_NE * math.log2(math.e), bias_V * math.log2(math.e), None
        for rows in self.output.pieces(num_rows):
            if logits_NP is None:
                logits_NP = features_NE.new_empty(rows.stop, num_tokens + -num_tokens % _LINE)
            piece_NP = logits_NP[: min(rows.stop, num_rows) - rows.start]
            torch.addmm(base2_V, base2_NE[rows], weight_VE.T, out=piece_NP[:, :num_tokens])
            piece_NP[:, num_tokens:] = -torch.inf
            wanted_N[rows] = piece_NP.gather(1, self.target_N[rows, None])[:, 0]
            z_N, norm_N[rows] = _exponentiate(piece_NP)
            if self.recording:
                self._learn(rows, piece_NP[:, :num_tokens], z_N, features_NE[rows], weight_VE)
        nll = (norm_N - wanted_N).sum() * math.log(2)
        total = nll
        if self.smoothing:
            mean_E, mean = weight_VE.mean(0), bias_V.mean()
            others = norm_N.sum() * math.log(2) - (features_NE @ mean_E + mean).sum()
            total = (1 - self.smoothing) * nll + self.smoothing * others
        if self.recording:
            self._unlearn(features_NE, weight_VE)
        return total, nll

    def _learn(self, rows: slice, e_NV: Tensor, z_N: Tensor, features_NE: Tensor, weight_VE: Tensor) -> None:
        """What of the gradients comes from e / z."""
        dfeatures_NE, dweight_VE, dbias_V = self.gradients
        share_N = z_N.reciprocal()
        torch.mm(e_NV, weight_VE, out=dfeatures_NE[rows]).mul_(share_N[:, None])
        if rows.start == 0:  # a product that writes spares the zeros of one that adds
            torch.mm(e_NV.T, features_NE * share_N[:, None], out=dweight_VE)
            torch.mv(e_NV.T, share_N, out=dbias_V)
        else:
            dweight_VE.addmm_(e_NV.T, features_NE * share_N[:, None])
            dbias_V.addmv_(e_NV.T, share_N)

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


def _exponentiate(logits_NP: Tensor) -> tuple[Tensor, Tensor]:
    """2^logits in place, up to a factor for each row; their sum; and log₂ Σ 2^logits."""
    largest_N = logits_NP.amax(1)
    if (largest_N.abs() <= _LARGE).all():
        z_N = logits_NP.exp2_().sum(1)
        return z_N, z_N.log2()
    z_N = logits_NP.sub_(largest_N[:, None]).exp2_().sum(1)
    return z_N, z_N.log2() + largest_N
