"""From a model's steps to whole outputs: greedy, beam, sample. Search knows nothing of models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from regard.config import Choice, Meta
from regard.errors import UserError
from regard.search.hypothesis import Hypothesis

if TYPE_CHECKING:
    from regard.search.state import S, Sentences, StepFunction

__all__ = ["BeamSettings", "GreedySettings", "Hypothesis", "SampleSettings", "SearchSettings", "search"]


MaxLength = Annotated[
    Annotated[int, Meta(ge=1)] | None,
    Meta(description="most tokens of an output; none = what the training pairs showed to be enough for its source"),
]


class GreedySettings(Choice, frozen=True, tag="greedy"):
    """The most probable token at each step."""

    max_length: MaxLength = None


class BeamSettings(Choice, frozen=True, tag="beam"):
    """The best of several hypotheses that grow side by side."""

    width: Annotated[int, Meta(description="hypotheses kept for each sentence", ge=1)] = 5
    normalise: Annotated[
        Literal["none", "average", "gnmt"],
        Meta(description="what a log-probability is divided by: 1, its length, or ((5 + length) / 6)^alpha"),
    ] = "average"
    alpha: Annotated[
        float, Meta(description="exponent of gnmt's length: 0 favours short outputs, 1 long ones", ge=0, le=10)
    ] = 0.6
    patience: Annotated[
        float,
        Meta(description="search ends when this share of the width has ended better than any open one", gt=0, le=1),
    ] = 1.0
    margin: Annotated[
        float,
        Meta(
            description="where only the best is asked for: an open one that is e^margin times less probable is given "
            "up; 0 = never",
            ge=0,
        ),
    ] = 3.0
    coverage: Annotated[
        float, Meta(description="how much source positions left unattended cost; 0 = nothing", ge=0, le=1000)
    ] = 0.0
    both_ways: Annotated[
        bool,
        Meta(
            description="with a model that has learnt both ways (model.both_ways): search from either end, and rank "
            "what was found by the mean of its two log-probabilities"
        ),
    ] = True
    max_length: MaxLength = None


class SampleSettings(Choice, frozen=True, tag="sample"):
    """Tokens drawn at random, as probable as the model holds them to be."""

    temperature: Annotated[
        float, Meta(description="below 1 sharper than the model, above 1 flatter", ge=0.001, le=1000)
    ] = 1.0
    top_k: Annotated[int, Meta(description="draw from this many most probable tokens; 0 = from all", ge=0)] = 0
    top_p: Annotated[float, Meta(description="draw from the fewest tokens with this much probability", gt=0, le=1)] = (
        1.0
    )
    seed: Annotated[int, Meta(description="the same seed draws the same outputs", ge=0)] = 1
    max_length: MaxLength = None


SearchSettings = GreedySettings | BeamSettings | SampleSettings


def search(
    settings: SearchSettings,
    batches: Iterable[Sentences[S]],
    step: StepFunction[S],
    *,
    bos: int,
    eos: int,
    banned: tuple[int, ...],
    num_best: int = 1,
    by_the_way: int = 0,
) -> list[list[Hypothesis]]:
    """At most `num_best` hypotheses for each sentence, best first (samples: in the order in which they were drawn).

    A beam gives up to `by_the_way` others, too, which it finds while it searches for the best.

    What a sentence gets does not depend on the others. `banned` tokens are never said, prefixes are said first, and a
    hypothesis of `max_length_B` tokens (or of its whole prefix, if that is longer) ends without EOS. A batch is asked
    for when there is room for it: a beam takes it in when half of the sentences before have left, so that the last few
    of a batch do not hold up all others.
    """
    import torch

    from regard.search.rules import Rules

    check_num_best(settings, num_best)
    with torch.no_grad():
        ruled = ((batch, Rules.of(batch, bos, eos, banned)) for batch in batches if len(batch.max_length_B))
        match settings:
            case GreedySettings():
                from regard.search.greedy import greedy

                return [best for batch, rules in ruled for best in greedy(batch.state, step, rules)]
            case BeamSettings():
                from regard.search.beam import beam

                return beam(settings, ruled, step, num_best, num_best + by_the_way)
            case SampleSettings():
                from regard.search.sample import sample

                return [some for batch, rules in ruled for some in sample(settings, batch, step, rules, num_best)]


def check_num_best(settings: SearchSettings, num_best: int) -> None:
    """Refuse to promise more hypotheses than this search can give: callable before any model is loaded."""
    if num_best < 1:
        raise UserError(f"{num_best} hypotheses were asked for: ask for at least one")
    if isinstance(settings, GreedySettings) and num_best > 1:
        raise UserError(f"greedy search gives one hypothesis, not {num_best}: search with a beam of {num_best} or more")
    if isinstance(settings, BeamSettings) and num_best > settings.width:
        raise UserError(f"a beam of width {settings.width} cannot give {num_best} hypotheses: make it {num_best} wide")


def check_alpha(settings: SearchSettings) -> None:
    """Refuse an exponent that nothing asks for."""
    if isinstance(settings, BeamSettings) and settings.normalise != "gnmt":
        raise UserError(
            f"alpha = {settings.alpha}: is the exponent of gnmt, and lengths are normalised by `{settings.normalise}`: "
            "say normalise=gnmt, too, or leave it out"
        )


def check_both_ways(settings: SearchSettings, both_ways: bool) -> None:
    """Refuse to count what was looked at where outputs are ranked by what both ways say of them."""
    if both_ways and isinstance(settings, BeamSettings) and settings.both_ways and settings.coverage > 0:
        raise UserError(
            "a coverage penalty is of one way of writing, and this model writes both ways: leave search.coverage at 0, "
            "or set search.both_ways=false"
        )


def check_alone(settings: SearchSettings, alone: bool) -> None:
    """Refuse to count what was looked at where several networks look, each at something else."""
    if isinstance(settings, BeamSettings) and settings.coverage > 0 and not alone:
        raise UserError("a coverage penalty is of one model, and several write here: leave search.coverage at 0")


def check_attends(settings: SearchSettings, attends: bool) -> None:
    """Refuse to count what a model has looked at if it looks at nothing."""
    if isinstance(settings, BeamSettings) and settings.coverage > 0 and not attends:
        raise UserError("a coverage penalty needs attention, and this model has none: leave search.coverage at 0")


def check_recalls(settings: SearchSettings, recalls: bool) -> None:
    """Refuse to count what was looked at where more is shown than has to be said."""
    if isinstance(settings, BeamSettings) and settings.coverage > 0 and recalls:
        raise UserError(
            "a coverage penalty is of a source alone, and this model reads similar pairs beside it: leave "
            "search.coverage at 0"
        )
