"""Where a vector stands in its sequence: attention by itself does not know.

| kind | how position p is told | from |
|---|---|---|
| none | not at all | |
| sinusoidal | x + [sin(p / 10000^(2i/d)); cos(p / 10000^(2i/d))] | Vaswani et al. 2017, section 3.5 |
| learned | x + row p of a matrix | Gehring et al. 2017, section 3.1 |
| rotary | queries and keys are turned by p · 10000^(−2i/k) | Su et al. 2021, eq. 34 |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from regard.config import Choice, Meta
from regard.errors import UserError

if TYPE_CHECKING:
    from regard.nn.positions.base import Positions


class NoPositionsSettings(Choice, frozen=True, tag="none"):
    """A set, not a sequence."""


class SinusoidalSettings(Choice, frozen=True, tag="sinusoidal"):
    """Waves of many lengths, added to the vectors: any length will do."""


class LearnedSettings(Choice, frozen=True, tag="learned"):
    """A learned vector for each position, added to the vectors."""

    most: Annotated[int, Meta(ge=1, description="positions that there are: longer texts are refused")] = 512


class RotarySettings(Choice, frozen=True, tag="rotary"):
    """Queries and keys are turned: their product depends on how far they stand apart."""


PositionSettings = SinusoidalSettings | NoPositionsSettings | LearnedSettings | RotarySettings


def build(settings: PositionSettings, size: int, *, fast: bool = True) -> Positions:
    """For vectors of this size."""
    from regard.nn.positions.base import Positions
    from regard.nn.positions.learned import Learned
    from regard.nn.positions.rotary import Rotary
    from regard.nn.positions.sinusoidal import Sinusoidal

    match settings:
        case NoPositionsSettings():
            return Positions()
        case SinusoidalSettings():
            return Sinusoidal()
        case LearnedSettings():
            return Learned(settings.most, size)
        case RotarySettings():
            return Rotary(fast=fast)


def check_heads(where: str, size: int, num_heads: int, settings: PositionSettings) -> None:
    """Heads share the width evenly, and rotary positions turn pairs of numbers."""
    if size % num_heads:
        raise UserError(f"{where}: size = {size} cannot be shared by num_heads = {num_heads}")
    if isinstance(settings, RotarySettings) and size // num_heads % 2:
        raise UserError(f"{where}: rotary positions need heads of even width, and {size} / {num_heads} is odd")
