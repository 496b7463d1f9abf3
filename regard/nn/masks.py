"""Where masks of padding and of the past are made. True = a real token, always."""

from __future__ import annotations

import torch
from torch import Tensor


def real(length_B: Tensor, size: int) -> Tensor:
    """mask_BS: position s of sentence b is real if s < length_B[b]."""
    return torch.arange(size, device=length_B.device) < length_B[:, None]


def unless_all(mask_BS: Tensor) -> Tensor | None:
    """None if every position is real: what need not be asked takes no time."""
    return None if mask_BS.all() else mask_BS


def past(size: int, device: torch.device) -> Tensor:
    """mask_TS: position t may look at s if s ≤ t."""
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def newest(count_R: Tensor, size: int) -> Tensor | None:
    """mask_RS: the last `count` of `size` positions. None if those are all, for all rows."""
    if (count_R == size).all():
        return None
    return torch.arange(size, device=count_R.device) >= size - count_R[:, None]
