"""Products of matrices, on which a network spends most of its time, and how exactly they are made.

    float32     as they are
    bfloat16    both factors are rounded to 8 significant bits, what is summed within a product are float32s, and
                the product is rounded once more; all else stays float32: weights, states, gradients, moments
                (Kalamkar et al. 2019, "A study of BFLOAT16 for deep learning training")

A processor that has instructions for it multiplies twice as fast. Training asks for it (`train.precision`); nobody else
does, and what is not a float32 is left alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.nn.fast.tape import Outputs, play

Precision = Literal["float32", "bfloat16"]


class _Here(threading.local):
    """Of each thread by itself: one may learn while another answers."""

    precision: Precision = "float32"


_here = _Here()


@contextmanager
def multiplied(precision: Precision) -> Iterator[None]:
    """What this thread multiplies meanwhile, it multiplies so."""
    before, _here.precision = _here.precision, precision
    try:
        yield
    finally:
        _here.precision = before


def rounds(x: Tensor) -> bool:
    return _here.precision == "bfloat16" and x.dtype == torch.float32


class Factor:
    """A matrix W by which many others are multiplied."""

    def __init__(self, w_KN: Tensor) -> None:
        self.rounds = rounds(w_KN) or w_KN.dtype == torch.bfloat16
        self.w_KN = w_KN.bfloat16() if self.rounds else w_KN

    @property
    def T(self) -> Factor:
        return Factor(self.w_KN.T)

    def times(self, x_BK: Tensor, out: Tensor | None = None) -> Tensor:
        """x W"""
        if not self.rounds:
            return torch.mm(x_BK, self.w_KN, out=out)
        product_BN = x_BK.bfloat16() @ self.w_KN
        return product_BN.float() if out is None else out.copy_(product_BN)

    def add(self, plus: Tensor, x_BK: Tensor, out: Tensor) -> Tensor:
        """out = plus + x W"""
        if self.rounds:
            return torch.add(plus, (x_BK.bfloat16() @ self.w_KN).float(), out=out)
        return torch.addmm(plus, x_BK, self.w_KN, out=out)


def product(x_MK: Tensor, y_KN: Tensor) -> Tensor:
    """x y"""
    return (x_MK.bfloat16() @ y_KN.bfloat16()).float() if rounds(x_MK) else x_MK @ y_KN


def linear(x: Tensor, weight_OI: Tensor, bias_O: Tensor | None = None) -> Tensor:
    """W x + b, of vectors that stand in any number of rows."""
    if not rounds(x):
        return functional.linear(x, weight_OI, bias_O)
    (y_NO,) = play(LinearTape(), x.reshape(-1, x.shape[-1]), weight_OI, *([] if bias_O is None else [bias_O]))
    return y_NO.view(*x.shape[:-1], -1)


class Linear(nn.Linear):
    """As torch's, but multiplied as training asks for."""

    def forward(self, input: Tensor) -> Tensor:
        return linear(input, self.weight, self.bias)


def gain(size: int = 384, repeats: int = 8) -> float:
    """How many times as fast as float32 this machine multiplies bfloat16."""
    x_NN, seconds = torch.ones(size, size), dict[torch.dtype, float]()
    for dtype in (torch.float32, torch.bfloat16):
        times = []
        for _ in range(repeats):
            factor_NN, begun = x_NN.to(dtype), time.perf_counter()
            factor_NN @ factor_NN
            times.append(time.perf_counter() - begun)
        seconds[dtype] = min(times)
    return seconds[torch.float32] / seconds[torch.bfloat16]


class LinearTape:
    num_constants = 0
    recording = False

    def forward(self, *inputs: Tensor) -> Outputs:
        self.x_NI, self.w_OI, *bias = (x.bfloat16() for x in inputs)
        self.has_bias = bool(bias)
        return (functional.linear(self.x_NI, self.w_OI, *bias).float(),)

    def backward(self, *gradients: Tensor) -> Outputs:
        dy_NO = gradients[0].bfloat16()
        dx_NI, dw_OI = (dy_NO @ self.w_OI).float(), (dy_NO.T @ self.x_NI).float()
        return (dx_NI, dw_OI, gradients[0].sum(0)) if self.has_bias else (dx_NI, dw_OI)
