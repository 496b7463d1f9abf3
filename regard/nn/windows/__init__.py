"""Where one may look: apart from the score, since it says where, not how to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from regard.config import Choice, Meta

if TYPE_CHECKING:
    from regard.nn.windows.base import Window


class EverywhereSettings(Choice, frozen=True, tag="everywhere"):
    """Global attention: all source positions."""


class LocalMSettings(Choice, frozen=True, tag="local_m"):
    """Local-m (Luong et al. 2015, 3.2): a window around position t, as if source and target ran in step."""

    reach: Annotated[int, Meta(ge=1, description="positions on either side of the centre")] = 5


class LocalPSettings(Choice, frozen=True, tag="local_p"):
    """Local-p (Luong et al. 2015, 3.2): a window whose centre is predicted; its weights do not sum to one."""

    reach: Annotated[int, Meta(ge=1, description="positions on either side of the centre; σ of the bell is half")] = 5
    size: Annotated[int, Meta(ge=1, description="width of the layer that predicts the centre")] = 64


WindowSettings = EverywhereSettings | LocalMSettings | LocalPSettings


def build(settings: WindowSettings, query_size: int) -> Window:
    from regard.nn.windows.everywhere import Everywhere
    from regard.nn.windows.local_m import LocalM
    from regard.nn.windows.local_p import LocalP

    match settings:
        case EverywhereSettings():
            return Everywhere()
        case LocalMSettings():
            return LocalM(settings.reach)
        case LocalPSettings():
            return LocalP(query_size, reach=settings.reach, size=settings.size)
