"""What joins a hand-written backward pass to autograd."""

from __future__ import annotations

from typing import Any, Protocol

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

Outputs = tuple[Tensor, ...]


class Tape(Protocol):
    """Goes through a sequence once, forward and, if it is `recording`, backward. It is used once, and thrown away."""

    recording: bool
    num_constants: int  # how many of the last outputs have no gradient

    def forward(self, *inputs: Tensor) -> Outputs: ...
    def backward(self, *gradients: Tensor) -> Outputs: ...


class _Play(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tape: Tape, *inputs: Tensor) -> Outputs:
        # what is given out must not be what the tape holds: tensor, graph and tape would be a ring, and never freed
        outputs = tuple(output.detach() for output in tape.forward(*inputs))
        ctx.tape = tape
        ctx.mark_non_differentiable(*outputs[len(outputs) - tape.num_constants :])
        return outputs

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        tape, ctx.tape = ctx.tape, None  # it is used once, and what it holds is large
        return None, *tape.backward(*gradients)


def play(tape: Tape, *inputs: Tensor) -> Outputs:
    # asked here: inside of a function gradients are always off, and what its inputs need does not heed no_grad
    tape.recording = torch.is_grad_enabled() and any(x.requires_grad for x in inputs)
    outputs: Outputs = _Play.apply(tape, *inputs)
    return outputs
