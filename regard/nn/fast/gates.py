"""The element-wise half of a cell, given the products x = W x + b and u = U h + b: forward and backward by hand.

    gru    r, z = σ(x + u);  n = tanh(x + r ⊙ u);  h' = n + z ⊙ (h − n)
    lstm   i, f, o = σ(x + u);  g = tanh(x + u);  c' = f ⊙ c + i ⊙ g;  h' = o ⊙ tanh(c')

What a step's backward needs of its forward is a factor for each gate. The factors of all steps are made at once, and so
are the views of all steps: with small batches, asking for a slice takes as long as computing with it. A step's rows may
have a dimension of their own before them, as the two readers of an encoder have.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor


class Gates(Protocol):
    h: Tensor  # h_UBD, the states before each step and after the last: U = T + 1
    states: tuple[Tensor, ...]  # the same, step by step

    def start(self, x_TBG: Tensor, u_UBG: Tensor) -> None:
        """Say where W x + b and U h + b of each step will stand."""

    def forward(self, t: int) -> None:
        """Write the state after step t."""

    def start_backward(self, dx_TBG: Tensor, du_UBG: Tensor) -> None:
        """Say where the gradients shall stand."""

    def backward(self, t: int, dh_BD: Tensor) -> Tensor | None:
        """Write the gradients of x and u; give what of `dh_BD` goes to the state before by no product."""

    def first(self, dh_BD: Tensor) -> tuple[Tensor, ...]:
        """The gradients of the first cell: h, or h and c."""


def steps(like_BD: Tensor, num_steps: int, *sizes: int) -> Tensor:
    """x_TB… for all steps. A dimension before the rows stays the outermost in memory, for products over all steps."""
    *before, num_rows, _ = like_BD.shape
    return like_BD.new_empty(*before, num_steps, num_rows, *sizes).movedim(len(before), 0)


class Gru:
    def __init__(self, num_steps: int, cell: tuple[Tensor, ...]) -> None:
        (h_BD,) = cell
        self.size = h_BD.shape[-1]
        self.h = steps(h_BD, num_steps + 1, self.size)
        self.rz = steps(h_BD, num_steps, 2 * self.size)
        self.n = steps(h_BD, num_steps, self.size)
        self.states = self.h.unbind()
        self.states[0].copy_(h_BD)
        self.steps_rz, self.steps_n = self.rz.unbind(), self.n.unbind()
        self.steps_r, self.steps_z = (part.unbind() for part in self.rz.split(self.size, -1))

    def start(self, x_TBG: Tensor, u_UBG: Tensor) -> None:
        self.steps_x_rz, self.steps_x_n = (part.unbind() for part in x_TBG.split([2 * self.size, self.size], -1))
        u_rz, self.u_n = u_UBG.split([2 * self.size, self.size], -1)
        self.steps_u_rz, self.steps_u_n = u_rz.unbind(), self.u_n.unbind()

    def forward(self, t: int) -> None:
        torch.add(self.steps_x_rz[t], self.steps_u_rz[t], out=self.steps_rz[t]).sigmoid_()
        torch.addcmul(self.steps_x_n[t], self.steps_r[t], self.steps_u_n[t], out=self.steps_n[t]).tanh_()
        torch.lerp(self.steps_n[t], self.states[t], self.steps_z[t], out=self.states[t + 1])

    def start_backward(self, dx_TBG: Tensor, du_UBG: Tensor) -> None:
        n, (r, z) = self.n, self.rz.split(self.size, -1)
        factor_zn = steps(self.states[0], len(n), 2, self.size)
        keep = 1 - z
        torch.mul(self.h[:-1] - n, z * keep, out=factor_zn[..., 0, :])  # ∂h'/∂z
        torch.mul(keep, 1 - n * n, out=factor_zn[..., 1, :])  # ∂h'/∂n
        factor_r = (r - r * r).mul_(self.u_n[: len(r)])  # ∂n/∂r
        self.factors_zn, self.factors_r = factor_zn.unbind(), factor_r.unbind()
        self.dx_r, _, self.dx_n = (part.unbind() for part in dx_TBG.split(self.size, -1))
        self.dx_rz = dx_TBG[..., : 2 * self.size].unbind()
        self.dx_zn = dx_TBG[..., self.size :].unflatten(-1, (2, self.size)).unbind()
        self.du_rz, self.du_n = (part.unbind() for part in du_UBG.split([2 * self.size, self.size], -1))

    def backward(self, t: int, dh_BD: Tensor) -> Tensor:
        torch.mul(dh_BD.unsqueeze(-2), self.factors_zn[t], out=self.dx_zn[t])
        torch.mul(self.dx_n[t], self.factors_r[t], out=self.dx_r[t])
        self.du_rz[t].copy_(self.dx_rz[t])
        torch.mul(self.dx_n[t], self.steps_r[t], out=self.du_n[t])
        return torch.mul(dh_BD, self.steps_z[t])

    def first(self, dh_BD: Tensor) -> tuple[Tensor, ...]:
        return (dh_BD,)


class Lstm:
    def __init__(self, num_steps: int, cell: tuple[Tensor, ...]) -> None:
        h_BD, c_BD = cell
        size = h_BD.shape[-1]
        self.h, self.c = (steps(h_BD, num_steps + 1, size) for _ in range(2))
        self.ifgo = steps(h_BD, num_steps, 4, size)
        self.tanh_c = steps(h_BD, num_steps, size)
        self.states, self.steps_c, self.steps_tanh_c = self.h.unbind(), self.c.unbind(), self.tanh_c.unbind()
        self.states[0].copy_(h_BD)
        self.steps_c[0].copy_(c_BD)
        self.steps_all = self.ifgo.flatten(-2).unbind()
        self.steps_if = self.ifgo[..., :2, :].unbind()
        self.steps_i, self.steps_f, self.steps_g, self.steps_o = (part.unbind() for part in self.ifgo.unbind(-2))
        self.dc: Tensor | None = None

    def start(self, x_TBG: Tensor, u_UBG: Tensor) -> None:
        self.steps_x, self.steps_u = x_TBG.unbind(), u_UBG.unbind()

    def forward(self, t: int) -> None:
        torch.add(self.steps_x[t], self.steps_u[t], out=self.steps_all[t])
        self.steps_if[t].sigmoid_()
        self.steps_g[t].tanh_()
        self.steps_o[t].sigmoid_()
        c_BD = torch.mul(self.steps_f[t], self.steps_c[t], out=self.steps_c[t + 1])
        c_BD.addcmul_(self.steps_i[t], self.steps_g[t])
        torch.mul(self.steps_o[t], torch.tanh(c_BD, out=self.steps_tanh_c[t]), out=self.states[t + 1])

    def start_backward(self, dx_TBG: Tensor, du_UBG: Tensor) -> None:
        i, f, g, o = self.ifgo.unbind(-2)
        factor_ifg = steps(self.states[0], len(i), 3, i.shape[-1])
        torch.mul(g, i - i * i, out=factor_ifg[..., 0, :])  # ∂c'/∂i
        torch.mul(self.c[:-1], f - f * f, out=factor_ifg[..., 1, :])  # ∂c'/∂f
        torch.mul(i, 1 - g * g, out=factor_ifg[..., 2, :])  # ∂c'/∂g
        self.factors_ifg = factor_ifg.unbind()
        self.factors_o = (o - o * o).mul_(self.tanh_c).unbind()  # ∂h'/∂o
        self.factors_c = (o * (1 - self.tanh_c * self.tanh_c)).unbind()  # ∂h'/∂c'
        dx_ifgo = dx_TBG.unflatten(-1, (4, -1))
        self.dx, self.dx_ifg, self.dx_o = dx_TBG.unbind(), dx_ifgo[..., :3, :].unbind(), dx_ifgo[..., 3, :].unbind()
        self.du = du_UBG.unbind()

    def backward(self, t: int, dh_BD: Tensor) -> None:
        dc = dh_BD * self.factors_c[t]
        if self.dc is not None:
            dc += self.dc
        torch.mul(dc.unsqueeze(-2), self.factors_ifg[t], out=self.dx_ifg[t])
        torch.mul(dh_BD, self.factors_o[t], out=self.dx_o[t])
        self.du[t].copy_(self.dx[t])
        self.dc = dc.mul_(self.steps_f[t])

    def first(self, dh_BD: Tensor) -> tuple[Tensor, ...]:
        assert self.dc is not None
        return dh_BD, self.dc


GATES: dict[str, type[Gru] | type[Lstm]] = {"gru": Gru, "lstm": Lstm}
