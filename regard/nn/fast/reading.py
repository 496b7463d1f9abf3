"""The readers of a recurrent encoder's layer, all positions: the twin of `Layer.run` for each.

h(t) = gates(W x(t) + b, U h(t−1) + b), for both directions in one go: what is element-wise takes half as many steps,
and the gradients of the weights are one product each at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from regard.nn.cells import Layer
from regard.nn.fast.gates import GATES, steps
from regard.nn.fast.tape import Outputs, play
from regard.nn.products import Factor, product


def known(layers: Sequence[Layer]) -> bool:
    """Whether there is a twin of these readers."""
    return layers[0].kind in GATES


def read(layers: Sequence[Layer], inputs: Sequence[Tensor]) -> list[Tensor]:
    """The states h_BSD of each reader over its own inputs x_BSI, from a state of zeros."""
    weights = [
        weight
        for rnn in (layer.rnn for layer in layers)
        for weight in (rnn.weight_ih_l0, rnn.bias_ih_l0, rnn.weight_hh_l0, rnn.bias_hh_l0)
    ]
    tape = ReadingTape(layers[0].kind, len(layers))
    (h_TRBD,) = play(tape, *(x_BSI.transpose(0, 1).contiguous() for x_BSI in inputs), *weights)
    return [h_TBD.transpose(0, 1) for h_TBD in h_TRBD.unbind(1)]


class ReadingTape:
    num_constants = 0
    recording = False

    def __init__(self, kind: str, num_readers: int) -> None:
        self.kind = kind
        self.num_readers = num_readers

    def forward(self, *inputs: Tensor) -> Outputs:
        """h_TRBD from the inputs of each reader, x_TBI, and its weights."""
        self.inputs = inputs[: self.num_readers]
        self.w_input, b_input, self.w_state, b_state = (inputs[self.num_readers + n :: 4] for n in range(4))
        num_steps, num_rows, _ = self.inputs[0].shape
        num_gates, size = self.w_state[0].shape
        like_RBD = self.inputs[0].new_zeros(self.num_readers, num_rows, size)
        x_TRBG, u_TRBG = (steps(like_RBD, num_steps, num_gates) for _ in range(2))
        for x_TBG, x_TBI, w_GI, b_G in zip(x_TRBG.unbind(1), self.inputs, self.w_input, b_input, strict=True):
            Factor(w_GI.T).add(b_G, x_TBI.flatten(0, 1), out=x_TBG.flatten(0, 1))
        num_parts = 2 if self.kind == "lstm" else 1
        self.gates = GATES[self.kind](num_steps, (like_RBD,) * num_parts)
        self.gates.start(x_TRBG, u_TRBG)
        readers = [
            (h_UBD.unbind(), Factor(w_GD.T.contiguous()), b_G, u_TBG.unbind())
            for h_UBD, w_GD, b_G, u_TBG in zip(
                self.gates.h.unbind(1), self.w_state, b_state, u_TRBG.unbind(1), strict=True
            )
        ]
        for t in range(num_steps):
            for states, w_DG, b_G, us in readers:
                w_DG.add(b_G, states[t], out=us[t])
            self.gates.forward(t)
        return (self.gates.h[1:],)

    def backward(self, *gradients: Tensor) -> Outputs:
        (dh_TRBD,) = gradients
        gates, h_RTBD = self.gates, self.gates.h[:-1].unbind(1)
        dx_TRBG, du_TRBG = (steps(gates.states[0], len(dh_TRBD), len(self.w_state[0])) for _ in range(2))
        gates.start_backward(dx_TRBG, du_TRBG)
        readers = [
            (du_TBG.unbind(), Factor(w_GD)) for du_TBG, w_GD in zip(du_TRBG.unbind(1), self.w_state, strict=True)
        ]
        dh_RBD = torch.zeros_like(dh_TRBD[0])
        for t, given_RBD in reversed(list(enumerate(dh_TRBD.unbind()))):
            dh_RBD += given_RBD
            passed_RBD = gates.backward(t, dh_RBD)
            if t == 0:
                break  # nobody asks for the gradient of zeros
            dh_RBD = torch.zeros_like(dh_RBD) if passed_RBD is None else passed_RBD
            for dh_BD, (dus, w_GD) in zip(dh_RBD.unbind(), readers, strict=True):
                w_GD.add(dh_BD, dus[t], out=dh_BD)
        dinputs, dweights = [], []
        for x_TBI, w_GI, h_TBD, dx_TBG, du_TBG in zip(
            self.inputs, self.w_input, h_RTBD, dx_TRBG.unbind(1), du_TRBG.unbind(1), strict=True
        ):
            dx_NG, du_NG = dx_TBG.flatten(0, 1), du_TBG.flatten(0, 1)
            dinputs.append(product(dx_NG, w_GI).view_as(x_TBI))
            dweights += [product(dx_NG.T, x_TBI.flatten(0, 1)), dx_NG.sum(0)]
            dweights += [product(du_NG.T, h_TBD.flatten(0, 1)), du_NG.sum(0)]
        return *dinputs, *dweights
