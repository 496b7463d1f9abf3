"""The output layer and cross-entropy in pieces: the logits of all positions are never held at once.

The gradients are made in the same pass, while a piece is still in the cache: ∂loss/∂logits = p − target.
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.embedding import OutputLayer
from regard.nn.fast.tape import Outputs, play
from regard.nn.loss import Loss


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
        features_NE, weight_VE, _ = inputs
        self.gradients = tuple(torch.zeros_like(x) for x in inputs) if self.recording else ()
        total, nll = features_NE.new_zeros(()), features_NE.new_zeros(())
        for rows, logits_NV in self.output.pieces(features_NE):
            piece_total, piece_nll = self._piece(rows, logits_NV, features_NE[rows], weight_VE)
            total += piece_total
            nll += piece_nll
        return total, nll

    def _piece(self, rows: slice, logits_NV: Tensor, features_NE: Tensor, weight_VE: Tensor) -> tuple[Tensor, Tensor]:
        target_N1, smoothing = self.target_N[rows, None], self.smoothing
        wanted_N = logits_NV.gather(1, target_N1)[:, 0]
        mean_N = logits_NV.mean(1) if smoothing else wanted_N
        largest_N = logits_NV.amax(1)
        p_NV = torch.softmax(logits_NV, 1)
        # log Σ exp, from the most probable token, whose p cannot vanish
        norm_N = largest_N - p_NV.amax(1).log_()
        if self.recording:
            dfeatures_NE, dweight_VE, dbias_V = self.gradients
            dlogits_NV = p_NV.sub_(smoothing / len(weight_VE)) if smoothing else p_NV
            dlogits_NV.scatter_add_(1, target_N1, dlogits_NV.new_full(target_N1.shape, smoothing - 1))
            torch.mm(dlogits_NV, weight_VE, out=dfeatures_NE[rows])
            dweight_VE.addmm_(dlogits_NV.T, features_NE)
            dbias_V += dlogits_NV.sum(0)
        total = (norm_N - (1 - smoothing) * wanted_N - smoothing * mean_N).sum()
        return total, (norm_N - wanted_N).sum()

    def backward(self, *gradients: Tensor) -> Outputs:
        return tuple(x.mul_(gradients[0]) for x in self.gradients)
