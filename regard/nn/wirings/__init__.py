"""What passes between the cells of a recurrent decoder, the memory, and the features: with attention or without.

| kind | the cell reads | the features are | from |
|---|---|---|---|
| before | y, context of s(t−1) | tanh(W[s; context; y]) | Bahdanau et al. 2015 |
| after | y, and with `feed` the last features | tanh(W[context of s(t); s]) | Luong et al. 2015 |
| once | y; the summary only makes the first state | tanh(W s) | Sutskever et al. 2014 |
| always | y, summary | tanh(W[s; summary; y]) | Cho et al. 2014 |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from regard.config import Choice, Meta
from regard.nn import scores, windows

if TYPE_CHECKING:
    from regard.nn.attention import Attention
    from regard.nn.wirings.base import Wiring


class _Attending(Choice, frozen=True):
    score: Annotated[scores.ScoreSettings, Meta(description="how query and key are compared")] = (
        scores.AdditiveSettings()
    )
    window: Annotated[windows.WindowSettings, Meta(description="where one may look")] = windows.EverywhereSettings()


class BeforeSettings(_Attending, frozen=True, tag="before"):
    """Attend with the state before the cell; the context goes into the cell (Bahdanau)."""


class AfterSettings(_Attending, frozen=True, tag="after"):
    """Attend with the state after the cell; context and state make the features (Luong)."""

    feed: Annotated[bool, Meta(description="input feeding: the last features go into the next cell")] = True


class OnceSettings(Choice, frozen=True, tag="once"):
    """No attention: the summary of the source is given once, at the start (Sutskever)."""


class AlwaysSettings(Choice, frozen=True, tag="always"):
    """No attention: the summary of the source is given at every step (Cho)."""


WiringSettings = BeforeSettings | AfterSettings | OnceSettings | AlwaysSettings


def build(settings: WiringSettings, *, embedding_size: int, memory_size: int, summary_size: int, size: int) -> Wiring:
    """`size` is the decoder's, D: the query's."""
    from regard.nn.wirings.after import After, AfterFed
    from regard.nn.wirings.before import Before
    from regard.nn.wirings.unattended import Always, Once

    match settings:
        case BeforeSettings():
            return Before(_attention(settings, memory_size, size), embedding_size, memory_size, size)
        case AfterSettings():
            wiring = AfterFed if settings.feed else After
            return wiring(_attention(settings, memory_size, size), embedding_size, memory_size, size)
        case OnceSettings():
            return Once(embedding_size, size)
        case AlwaysSettings():
            return Always(embedding_size, summary_size, size)


def _attention(settings: _Attending, memory_size: int, size: int) -> Attention:
    from regard.nn.attention import Attention

    return Attention(scores.build(settings.score, size, memory_size), windows.build(settings.window, size))
