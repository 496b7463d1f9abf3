"""The output layer and cross-entropy in pieces: the logits of all positions are never held at once.

The gradients are made in the same pass, while a piece is still in the cache: ∂loss/∂logits = p − target.
"""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.embedding import OutputLayer
from regard.nn.fast.tape import Outputs, play
from regard.nn.loss import Loss

_LINE = 16  # numbers: a row of logits that begins with a line of the cache is written a fifth faster (docs/log.md)


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
        total, nll, logits_NP = features_NE.new_zeros(()), features_NE.new_zeros(()), None
        for rows in self.output.pieces(num_rows):
            if logits_NP is None:
                logits_NP = features_NE.new_empty(rows.stop, num_tokens + -num_tokens % _LINE)
            piece_NE, piece_NP = features_NE[rows], logits_NP[: min(rows.stop, num_rows) - rows.start]
            torch.addmm(bias_V, piece_NE, weight_VE.T, out=piece_NP[:, :num_tokens])
            piece_NP[:, num_tokens:] = -torch.inf
            piece_total, piece_nll = self._piece(rows, piece_NP, piece_NE, weight_VE)
            total += piece_total
            nll += piece_nll
        return total, nll

    def _piece(self, rows: slice, logits_NP: Tensor, features_NE: Tensor, weight_VE: Tensor) -> tuple[Tensor, Tensor]:
        """The sums of these rows; their logits become their gradients, in place."""
        target_N1, smoothing, num_tokens = self.target_N[rows, None], self.smoothing, len(weight_VE)
        wanted_N = logits_NP.gather(1, target_N1)[:, 0]
        mean_N = logits_NP[:, :num_tokens].mean(1) if smoothing else wanted_N
        largest_N = logits_NP.amax(1)
        p_NP = torch.softmax(logits_NP, 1, out=logits_NP)
        # log Σ exp, from the most probable token, whose p cannot vanish
        norm_N = largest_N - p_NP.amax(1).log_()
        if self.recording:
            dlogits_NV = p_NP[:, :num_tokens]
            dlogits_NV.scatter_add_(1, target_N1, dlogits_NV.new_full(target_N1.shape, smoothing - 1))
            if smoothing:
                dlogits_NV.sub_(smoothing / num_tokens)
            dfeatures_NE, dweight_VE, dbias_V = self.gradients
            torch.mm(dlogits_NV, weight_VE, out=dfeatures_NE[rows])
            if rows.start == 0:  # a product that writes spares the zeros of one that adds
                torch.mm(dlogits_NV.T, features_NE, out=dweight_VE)
                torch.sum(dlogits_NV, 0, out=dbias_V)
            else:
                dweight_VE.addmm_(dlogits_NV.T, features_NE)
                dbias_V += dlogits_NV.sum(0)
        total = (norm_N - (1 - smoothing) * wanted_N - smoothing * mean_N).sum()
        return total, (norm_N - wanted_N).sum()

    def backward(self, *gradients: Tensor) -> Outputs:
        return tuple(x.mul_(gradients[0]) for x in self.gradients)
