"""The output layer and cross-entropy, on the positions that count."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from regard.nn.embedding import OutputLayer


class Loss(NamedTuple):
    """Sums over tokens, so that batches can be added up before they are divided."""

    total: Tensor  # what is minimised
    nll: Tensor  # −Σ log p(token): the same without smoothing
    num_tokens: int


def cross_entropy(features_NE: Tensor, output: OutputLayer, target_N: Tensor, smoothing: float) -> Loss:
    """Σ (1 − ε)(−log p(y)) + ε · mean_v(−log p(v)) (Szegedy et al. 2016, section 7)."""
    return smoothed(torch.log_softmax(output(features_NE), dim=-1), target_N, smoothing)


def smoothed(logprobs_NV: Tensor, target_N: Tensor, smoothing: float) -> Loss:
    nll = -logprobs_NV.gather(-1, target_N[:, None]).sum()
    total = nll if smoothing == 0 else (1 - smoothing) * nll - smoothing * logprobs_NV.mean(-1).sum()
    return Loss(total, nll.detach(), target_N.shape[0])


def logprobs(features_NE: Tensor, output: OutputLayer, target_N: Tensor) -> Tensor:
    """log p of each target."""
    logprob_N = features_NE.new_empty(len(target_N))
    for rows in output.pieces(len(target_N)):
        logprob_N[rows] = torch.log_softmax(output(features_NE[rows]), dim=-1).gather(-1, target_N[rows, None])[:, 0]
    return logprob_N
