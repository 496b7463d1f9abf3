"""The fast twin of the output layer, for search: the same logits, laid out token by token, which is what search likes.

The bias is one more column of the weights, whose input is 1: a product that adds to nothing need not read what it
writes. A twin holds weights as they were when it was made: make one for each search.
"""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from regard.nn.embedding import OutputLayer

VECTOR = 8  # numbers: the product wants whole vectors of inputs and of rows


class ByToken:
    def __init__(self, output: OutputLayer) -> None:
        num_tokens, self.size = output.weight_VE.shape
        self.weight_VK = output.weight_VE.new_zeros(num_tokens, _whole(self.size + 1))
        self.weight_VK[:, : self.size] = output.weight_VE
        self.weight_VK[:, self.size] = output.bias_V

    def __call__(self, features_RE: Tensor) -> Tensor:
        """logits_RV"""
        num_rows = len(features_RE)
        more = (0, _whole(num_rows) - num_rows, 0, self.weight_VK.shape[1] - self.size)
        features_KR = functional.pad(features_RE.T, more)
        features_KR[self.size] = 1
        return (self.weight_VK @ features_KR)[:, :num_rows].T


def _whole(count: int) -> int:
    return -(-count // VECTOR) * VECTOR
