"""Training: its settings. Nothing here imports torch."""

from __future__ import annotations

from typing import Annotated, Literal

from regard.config import Meta, Table
from regard.training.schedule import CosineSettings, ScheduleSettings


class OptimiserSettings(Table, frozen=True):
    """AdamW (Loshchilov and Hutter 2019)."""

    learning_rate: Annotated[float, Meta(gt=0, description="at its height, after the warm-up")] = 0.003
    beta1: Annotated[float, Meta(ge=0, lt=1, description="memory of the mean of gradients")] = 0.9
    beta2: Annotated[float, Meta(ge=0, lt=1, description="memory of the mean of squared gradients")] = 0.98
    weight_decay: Annotated[float, Meta(ge=0, description="of matrices, but not of vectors of tokens or n-grams")] = (
        0.01
    )


class TrainSettings(Table, frozen=True):
    """How a network learns, for how long, and how it is watched."""

    steps: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="number of updates; if minutes are given, what they were calibrated to before the first"),
    ] = None
    minutes: Annotated[
        Annotated[float, Meta(gt=0, le=1e6)] | None,
        Meta(description="budget of wall-clock time, if steps are not given"),
    ] = 4.0
    batch_tokens: Annotated[int, Meta(ge=1, description="size of a batch: sentences × longest side, in tokens")] = 2048
    workers: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="parts of a batch that are computed side by side, a core each; none = as many as pay"),
    ] = None
    precision: Annotated[
        Literal["float32", "bfloat16"],
        Meta(description="of products of matrices; bfloat16 is faster where the processor has instructions for it"),
    ] = "float32"
    accumulate: Annotated[int, Meta(ge=1, description="batches added up for one update")] = 1
    label_smoothing: Annotated[float, Meta(ge=0, lt=1, description="probability spread over the whole vocabulary")] = (
        0.1
    )
    bpe_dropout: Annotated[
        float, Meta(ge=0, lt=1, description="share of BPE's merges left out, anew in each epoch: other spellings")
    ] = 0.0
    sampling: Annotated[
        float, Meta(ge=0, le=1, description="scheduled sampling: share of inputs that are the model's own, at the end")
    ] = 0.0
    clip: Annotated[float, Meta(ge=0, description="largest norm of the gradient; 0 = no limit")] = 1.0
    optimiser: Annotated[OptimiserSettings, Meta(description="AdamW")] = OptimiserSettings()
    schedule: Annotated[ScheduleSettings, Meta(description="how the learning rate goes")] = CosineSettings()
    validate_every: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="steps between validations; none = 20 in the run")
    ] = None
    validate_pairs: Annotated[int, Meta(ge=1, description="at most this many pairs are translated to validate")] = 500
    measure: Annotated[
        Literal["auto", "loss"],
        Meta(description="what chooses the best model: loss, or auto: BLEU, accuracy, bits/char or token error rate"),
    ] = "auto"
    patience: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description="stop after this many validations without a better one; none = never: the best are kept anyway"
        ),
    ] = None
    average: Annotated[
        int,
        Meta(ge=1, description="weights of this many last validations are averaged, and kept if they validate better"),
    ] = 5
    tensorboard: Annotated[bool, Meta(description="also write TensorBoard's files (needs regard[tensorboard])")] = False
