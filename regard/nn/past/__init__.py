"""How a decoder of the Transformer's kind looks at what it has written so far.

| kind | what position t gets | from |
|---|---|---|
| attention | attention to positions 1 … t | Vaswani et al. 2017, section 3.2.3 |
| ssru | max(0, c_t), c_t = f ⊙ c_{t−1} + (1 − f) ⊙ Wx_t, f = σ(W_f x_t + b) | Kim et al. 2019, section 2.2 |
| mingru | h_t = (1 − z) ⊙ h_{t−1} + z ⊙ (Wx_t + b), z = σ(W_z x_t + b) | Feng et al. 2024, section 3.1 |

The last two remember one vector, however long the text: they are quick to decode with. Their gates do not read the
state before, so that training computes all positions' products at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.config import Choice

if TYPE_CHECKING:
    from regard.nn.past.base import Past
    from regard.nn.positions.base import Positions


class SelfAttentionSettings(Choice, frozen=True, tag="attention"):
    """Attention to all that was written so far."""


class SsruSettings(Choice, frozen=True, tag="ssru"):
    """The simpler simple recurrent unit: one gate."""


class MinGruSettings(Choice, frozen=True, tag="mingru"):
    """A GRU whose gate and candidate do not read the state before."""


PastSettings = SelfAttentionSettings | SsruSettings | MinGruSettings


def build(
    settings: PastSettings, size: int, num_heads: int, *, positions: Positions, dropout: float, fast: bool = True
) -> Past:
    from regard.nn.past.light import MinGru, Ssru
    from regard.nn.past.self_attention import SelfAttention

    match settings:
        case SelfAttentionSettings():
            return SelfAttention(size, num_heads, positions=positions, dropout=dropout, fast=fast)
        case SsruSettings():
            return Ssru(size, fast=fast)
        case MinGruSettings():
            return MinGru(size, fast=fast)
