"""c_t = f_t ⊙ c_{t−1} + u_t for all t: the twin of `past.light.scan`, with its backward pass by hand."""

from __future__ import annotations

import torch
from torch import Tensor

from regard.nn.fast.tape import Outputs, play


def scan(keep_BTD: Tensor, new_BTD: Tensor) -> Tensor:
    (cell_TBD,) = play(ScanTape(), *(x.transpose(0, 1).contiguous() for x in (keep_BTD, new_BTD)))
    return cell_TBD.transpose(0, 1)


class ScanTape:
    num_constants = 0
    recording = False

    def forward(self, *inputs: Tensor) -> Outputs:
        self.keep_TBD, new_TBD = inputs
        self.cell_TBD = torch.empty_like(new_TBD)
        keeps, news, cells = self.keep_TBD.unbind(), new_TBD.unbind(), self.cell_TBD.unbind()
        cells[0].copy_(news[0])
        for t in range(1, len(cells)):
            torch.addcmul(news[t], keeps[t], cells[t - 1], out=cells[t])
        return (self.cell_TBD,)

    def backward(self, *gradients: Tensor) -> Outputs:
        dnew_TBD = gradients[0].clone()
        dnews, keeps = dnew_TBD.unbind(), self.keep_TBD.unbind()
        for t in reversed(range(1, len(dnews))):
            dnews[t - 1].addcmul_(keeps[t], dnews[t])
        dkeep_TBD = torch.zeros_like(dnew_TBD)
        torch.mul(dnew_TBD[1:], self.cell_TBD[:-1], out=dkeep_TBD[1:])
        return dkeep_TBD, dnew_TBD
