"""The element-wise half of a cell, given the products x = W x + b and u = U h + b: forward and backward by hand.

    gru    r, z = σ(x + u);  n = tanh(x + r ⊙ u);  h' = n + z ⊙ (h − n)
    lstm   i, f, o = σ(x + u);  g = tanh(x + u);  c' = f ⊙ c + i ⊙ g;  h' = o ⊙ tanh(c')

What a step's backward needs of its forward is a factor for each gate. The factors of all steps are made at once.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor


class Gates(Protocol):
    h: Tensor  # h_UBD, the states before each step and after the last: U = T + 1
    size: int  # of x and u

    def forward(self, t: int, x_BG: Tensor, u_BG: Tensor) -> None:
        """Write the state after step t into h[t + 1]. `u_BG` must stay as it is until the backward pass."""

    def start_backward(self) -> None: ...

    def backward(self, t: int, dh_BD: Tensor, dx_BG: Tensor, du_BG: Tensor) -> Tensor | None:
        """Write the gradients of x and u; give what of `dh_BD` goes to the state before by no product."""

    def first(self, dh_BD: Tensor) -> tuple[Tensor, ...]:
        """The gradients of the first cell: h, or h and c."""


class Gru:
    def __init__(self, num_steps: int, cell: tuple[Tensor, ...]) -> None:
        (h_BD,) = cell
        num_rows, size = h_BD.shape
        self.size = 3 * size
        self.h = h_BD.new_empty(num_steps + 1, num_rows, size)
        self.h[0] = h_BD
        self.rz = h_BD.new_empty(num_steps, num_rows, 2 * size)
        self.n = h_BD.new_empty(num_steps, num_rows, size)
        self.u: list[Tensor] = []

    def forward(self, t: int, x_BG: Tensor, u_BG: Tensor) -> None:
        size = self.n.shape[-1]
        rz, n = self.rz[t], self.n[t]
        torch.add(x_BG[:, : 2 * size], u_BG[:, : 2 * size], out=rz).sigmoid_()
        torch.addcmul(x_BG[:, 2 * size :], rz[:, :size], u_BG[:, 2 * size :], out=n).tanh_()
        torch.lerp(n, self.h[t], rz[:, size:], out=self.h[t + 1])
        self.u.append(u_BG[:, 2 * size :])

    def start_backward(self) -> None:
        size = self.n.shape[-1]
        n, r, z = self.n, self.rz[..., :size], self.rz[..., size:]
        self.factor_zn = self.rz.new_empty(*self.rz.shape[:2], 2, size)
        keep = 1 - z
        torch.mul(self.h[:-1] - n, z * keep, out=self.factor_zn[:, :, 0])  # ∂h'/∂z
        torch.mul(keep, 1 - n * n, out=self.factor_zn[:, :, 1])  # ∂h'/∂n
        self.factor_r = (r - r * r).mul_(torch.stack(self.u))  # ∂n/∂r

    def backward(self, t: int, dh_BD: Tensor, dx_BG: Tensor, du_BG: Tensor) -> Tensor:
        size = self.n.shape[-1]
        r, z = self.rz[t, :, :size], self.rz[t, :, size:]
        torch.mul(dh_BD[:, None], self.factor_zn[t], out=dx_BG[:, size:].unflatten(1, (2, size)))
        dn = dx_BG[:, 2 * size :]
        torch.mul(dn, self.factor_r[t], out=dx_BG[:, :size])
        du_BG[:, : 2 * size] = dx_BG[:, : 2 * size]
        torch.mul(dn, r, out=du_BG[:, 2 * size :])
        return dh_BD * z

    def first(self, dh_BD: Tensor) -> tuple[Tensor, ...]:
        return (dh_BD,)


class Lstm:
    def __init__(self, num_steps: int, cell: tuple[Tensor, ...]) -> None:
        h_BD, c_BD = cell
        num_rows, size = h_BD.shape
        self.size = 4 * size
        self.h = h_BD.new_empty(num_steps + 1, num_rows, size)
        self.c = torch.empty_like(self.h)
        self.h[0], self.c[0] = h_BD, c_BD
        self.ifgo = h_BD.new_empty(num_steps, num_rows, 4, size)
        self.tanh_c = h_BD.new_empty(num_steps, num_rows, size)
        self.dc: Tensor | None = None

    def forward(self, t: int, x_BG: Tensor, u_BG: Tensor) -> None:
        gates = self.ifgo[t]
        torch.add(x_BG, u_BG, out=gates.flatten(1))
        gates[:, :2].sigmoid_()
        gates[:, 2].tanh_()
        gates[:, 3].sigmoid_()
        i, f, g, o = gates.unbind(1)
        torch.mul(f, self.c[t], out=self.c[t + 1]).addcmul_(i, g)
        torch.tanh(self.c[t + 1], out=self.tanh_c[t])
        torch.mul(o, self.tanh_c[t], out=self.h[t + 1])

    def start_backward(self) -> None:
        i, f, g, o = self.ifgo.unbind(2)
        self.factor_ifg = self.ifgo.new_empty(*self.ifgo.shape[:2], 3, self.ifgo.shape[-1])
        torch.mul(g, i - i * i, out=self.factor_ifg[:, :, 0])  # ∂c'/∂i
        torch.mul(self.c[:-1], f - f * f, out=self.factor_ifg[:, :, 1])  # ∂c'/∂f
        torch.mul(i, 1 - g * g, out=self.factor_ifg[:, :, 2])  # ∂c'/∂g
        self.factor_o = (o - o * o).mul_(self.tanh_c)  # ∂h'/∂o
        self.factor_c = o * (1 - self.tanh_c * self.tanh_c)  # ∂h'/∂c'

    def backward(self, t: int, dh_BD: Tensor, dx_BG: Tensor, du_BG: Tensor) -> None:
        dc = dh_BD * self.factor_c[t]
        if self.dc is not None:
            dc += self.dc
        dx = dx_BG.unflatten(1, (4, -1))
        torch.mul(dc[:, None], self.factor_ifg[t], out=dx[:, :3])
        torch.mul(dh_BD, self.factor_o[t], out=dx[:, 3])
        du_BG.copy_(dx_BG)
        self.dc = dc.mul_(self.ifgo[t, :, 1])

    def first(self, dh_BD: Tensor) -> tuple[Tensor, ...]:
        assert self.dc is not None
        return dh_BD, self.dc


GATES: dict[str, type[Gru] | type[Lstm]] = {"gru": Gru, "lstm": Lstm}
