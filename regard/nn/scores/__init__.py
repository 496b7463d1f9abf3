"""How a query and a key are compared, by the names of the literature.

| kind | score(s, h) for query s, memory h | from |
|---|---|---|
| dot | sᵀh | Luong et al. 2015, eq. 8 |
| scaled_dot | sᵀh / √m | Vaswani et al. 2017, eq. 1 |
| bilinear, general | sᵀWh | Luong et al. 2015, eq. 8 |
| scaled_bilinear | sᵀWh / √m | the same, scaled ("learned scaled dot") |
| additive, concat | vᵀtanh(W₁h + W₂s + b) | Bahdanau et al. 2015, A.1.2 |

Luong's concat, vᵀtanh(W[s; h]), is additive with W = [W₂ W₁].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from regard.config import Choice, Meta
from regard.errors import UserError

if TYPE_CHECKING:
    from regard.nn.scores.base import Score


class _Comparison(Choice, frozen=True):
    unit: Annotated[bool, Meta(description="normalise query and memory to length 1 first, and learn a temperature")] = (
        False
    )


class DotSettings(_Comparison, frozen=True, tag="dot"):
    """sᵀh: the plain inner product; query and memory must have the same size."""


class ScaledDotSettings(_Comparison, frozen=True, tag="scaled_dot"):
    """sᵀh / √m: the inner product, scaled so that its variance does not grow with the size."""


class BilinearSettings(_Comparison, frozen=True, tag="bilinear"):
    """sᵀWh: an inner product after a learned map, so that sizes may differ."""


class GeneralSettings(BilinearSettings, frozen=True, tag="general"):
    """Luong's name for bilinear: the same module."""


class ScaledBilinearSettings(_Comparison, frozen=True, tag="scaled_bilinear"):
    """sᵀWh / √m: bilinear, scaled."""


class AdditiveSettings(_Comparison, frozen=True, tag="additive"):
    """vᵀtanh(W₁h + W₂s + b): a small network that compares; query and memory may have any sizes."""

    size: Annotated[int, Meta(ge=1, description="width of the comparing layer")] = 128


class ConcatSettings(AdditiveSettings, frozen=True, tag="concat"):
    """Luong's vᵀtanh(W[s; h]), which is additive with the two matrices side by side: the same module."""


ScoreSettings = (
    AdditiveSettings
    | ConcatSettings
    | DotSettings
    | ScaledDotSettings
    | BilinearSettings
    | GeneralSettings
    | ScaledBilinearSettings
)


def build(settings: ScoreSettings, query_size: int, memory_size: int) -> Score:
    """The module that `settings` describe, or a UserError if it cannot compare these sizes."""
    from regard.nn.scores.additive import AdditiveScore
    from regard.nn.scores.base import UnitScore
    from regard.nn.scores.bilinear import BilinearScore
    from regard.nn.scores.dot import DotScore

    score: Score
    match settings:
        case AdditiveSettings():  # and concat
            score = AdditiveScore(query_size, memory_size, size=settings.size)
        case DotSettings() | ScaledDotSettings():
            if query_size != memory_size:
                raise UserError(
                    f"score {settings.__struct_config__.tag}: the decoder's size ({query_size}) must equal the "
                    f"memory's ({memory_size}: the encoder's size, twice if bidirectional); "
                    f"set model.decoder.size={memory_size}, or choose a score of kind bilinear"
                )
            score = DotScore(memory_size, scaled=isinstance(settings, ScaledDotSettings))
        case BilinearSettings() | ScaledBilinearSettings():  # and general
            score = BilinearScore(query_size, memory_size, scaled=isinstance(settings, ScaledBilinearSettings))
    return UnitScore(score) if settings.unit else score
