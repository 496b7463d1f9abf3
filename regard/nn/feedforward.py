"""What a Transformer does at each position by itself, and how what is new is added to what was there.

relu     W₂ max(0, W₁x + b₁) + b₂                        (Vaswani et al. 2017, eq. 2)
gelu     the same with x·Φ(x)                            (Hendrycks and Gimpel 2016)
gated    W₂ (silu(W₁x + b₁) ⊙ (W₃x + b₃)) + b₂           (Shazeer 2020, SwiGLU)
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn
from torch.nn import functional

from regard.nn.dropout import Noise, add_dropped, dropout
from regard.nn.products import Linear

Activation = Literal["relu", "gelu", "gated"]
Norm = Literal["pre", "post"]


class FeedForward(nn.Module):
    def __init__(self, size: int, hidden_size: int, activation: Activation, dropout: float) -> None:
        super().__init__()
        self.activation = activation
        self.dropout = dropout
        self.hidden = Linear(size, 2 * hidden_size if activation == "gated" else hidden_size)
        self.output = Linear(hidden_size, size)

    def forward(self, x_BTD: Tensor, noise: Noise | None, place: str) -> Tensor:
        hidden_BTF: Tensor = self.hidden(x_BTD)
        match self.activation:
            case "relu":
                hidden_BTF = functional.relu(hidden_BTF)
            case "gelu":
                hidden_BTF = functional.gelu(hidden_BTF)
            case "gated":
                gate_BTF, value_BTF = hidden_BTF.chunk(2, dim=-1)
                hidden_BTF = functional.silu(gate_BTF) * value_BTF
        output_BTD: Tensor = self.output(dropout(hidden_BTF, self.dropout, noise, f"{place}.hidden"))
        return output_BTD


class Residual(nn.Module):
    """x + f(norm(x)) (pre: Xiong et al. 2020) or norm(x + f(x)) (post: Vaswani et al. 2017, section 3.1)."""

    def __init__(self, size: int, norm: Norm, dropout: float) -> None:
        super().__init__()
        self.is_pre = norm == "pre"
        self.dropout = dropout
        self.norm = nn.LayerNorm(size)

    def before(self, x_BTD: Tensor) -> Tensor:
        """What f shall read."""
        return self.norm(x_BTD) if self.is_pre else x_BTD

    def after(self, x_BTD: Tensor, new_BTD: Tensor, noise: Noise | None, place: str) -> Tensor:
        """What was there and what f has made of it."""
        sum_BTD = add_dropped(x_BTD, new_BTD, self.dropout, noise, place)
        return sum_BTD if self.is_pre else self.norm(sum_BTD)
