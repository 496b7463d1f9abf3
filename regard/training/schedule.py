"""How the learning rate goes: up in the warm-up, then down. Each gives the factor of its height."""

from __future__ import annotations

import math
from typing import Annotated

from regard.config import Choice, Meta


class _Warm(Choice, frozen=True):
    warmup: Annotated[float, Meta(ge=0, description="steps of linear rise; below 1: a share of the run")] = 0.05


class CosineSettings(_Warm, frozen=True, tag="cosine"):
    """½(1 + cos πx) of the way from the warm-up to the last step (Loshchilov and Hutter 2017, eq. 5)."""

    floor: Annotated[float, Meta(ge=0, le=1, description="where it ends, as a share of the height")] = 0.01


class InverseSqrtSettings(_Warm, frozen=True, tag="inverse_sqrt"):
    """√(warm-up / step) (Vaswani et al. 2017, eq. 3)."""


class PlateauSettings(_Warm, frozen=True, tag="plateau"):
    """Constant, but multiplied by a factor whenever validation has not improved for a while."""

    factor: Annotated[float, Meta(gt=0, lt=1, description="what it is multiplied by")] = 0.5
    patience: Annotated[int, Meta(ge=1, description="validations without a better one before that happens")] = 2


ScheduleSettings = CosineSettings | InverseSqrtSettings | PlateauSettings


def warmup(settings: ScheduleSettings, steps: int) -> float:
    """How many of the steps are the warm-up."""
    return settings.warmup if settings.warmup >= 1 else max(1.0, settings.warmup * steps)


def factor(settings: ScheduleSettings, step: int, steps: int, warmup: float, reductions: int = 0) -> float:
    """The factor for update number `step` (from 1) of `steps`; `reductions` counts plateaus so far."""
    rise = min(1.0, step / warmup)
    match settings:
        case CosineSettings():
            x = min(1.0, max(0.0, (step - warmup) / max(1.0, steps - warmup)))
            return rise * (settings.floor + (1 - settings.floor) * 0.5 * (1 + math.cos(math.pi * x)))
        case InverseSqrtSettings():
            return rise * min(1.0, math.sqrt(warmup / step))
        case PlateauSettings():
            return float(rise * settings.factor**reductions)
