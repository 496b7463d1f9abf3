"""Checkpoints: weights and moments as safetensors, progress as JSON. Training goes on from one to the same bits."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from regard import files
from regard.errors import UserError
from regard.models.weights import load_weights, weights
from regard.training.optimiser import Optimiser


class Best(msgspec.Struct, frozen=True):
    step: int
    loss: float
    value: float  # of the measure, turned so that higher is better


class Progress(msgspec.Struct):
    """All of a training's state that is not weights or moments."""

    step: int = 0  # updates done
    steps: int = 0  # of the whole run, if they were planned anew
    every: int = 0  # steps between validations, if they were
    epoch: int = 0
    batch: int = 0  # next batch of the epoch
    loss: float = 0.0  # sums since the last line of the log
    num_tokens: int = 0
    gradient_norm: float = 0.0
    best: Best | None = None
    num_worse: int = 0  # validations since the best
    num_reductions: int = 0  # plateaus so far
    recent: list[int] = msgspec.field(default_factory=list)  # steps of the last validations, to be averaged
    seconds: float = 0.0  # spent so far


def path_of(directory: Path, step: int) -> Path:
    return directory / f"step-{step:08d}"


def save(directory: Path, network: nn.Module, optimiser: Optimiser, progress: Progress) -> None:
    """Write the checkpoint of this step; then drop what nothing will ask for any more."""
    try:
        with files.directory(path_of(directory, progress.step)) as place:
            save_file(weights(network), place / "model.safetensors")
            save_file(optimiser.tensors(), place / "optimiser.safetensors")
            (place / "progress.json").write_bytes(msgspec.json.encode(progress))
    except (OSError, SafetensorError) as error:
        raise UserError(f"{directory}: the checkpoint of step {progress.step} cannot be written: {error}") from None
    _prune(directory, progress)


def note(directory: Path, progress: Progress) -> None:
    """Change the progress of the newest checkpoint, which has these weights and moments."""
    if progress.step:
        files.write(path_of(directory, progress.step) / "progress.json", msgspec.json.encode(progress))


def newest(directory: Path) -> Progress:
    """How far the newest checkpoint is; a fresh Progress if there is none yet."""
    steps = [step for step in _steps(directory) if (path_of(directory, step) / "progress.json").exists()]
    if not steps:
        return Progress()
    path = path_of(directory, max(steps)) / "progress.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Progress)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(f"{path}: is not the progress of a run: {error}") from None


def load(directory: Path, network: nn.Module, optimiser: Optimiser) -> Progress:
    """Take up the newest checkpoint, if there is one."""
    progress = newest(directory)
    if progress.step == 0:
        return progress
    place = path_of(directory, progress.step)
    try:
        load_weights(network, load_file(place / "model.safetensors"))
        optimiser.load(load_file(place / "optimiser.safetensors"))
    except (OSError, ValueError, SafetensorError) as error:
        raise UserError(f"{place}: is not a whole checkpoint: {error}") from None
    return progress


def load_step(directory: Path, step: int) -> dict[str, Tensor]:
    path = path_of(directory, step) / "model.safetensors"
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from None


def average(directory: Path, steps: list[int]) -> dict[str, Tensor]:
    """The mean of several checkpoints' weights (Junczys-Dowmunt et al. 2016; Izmailov et al. 2018)."""
    first = load_step(directory, steps[0])
    # what is not a fraction was counted and not learnt: it is the same in all of them
    total = {name: tensor.double() for name, tensor in first.items() if tensor.is_floating_point()}
    for step in steps[1:]:  # one after the other: they need not be in memory together
        other = load_step(directory, step)
        for name, tensor in total.items():
            tensor += other[name]
    return first | {name: (tensor / len(steps)).float() for name, tensor in total.items()}


def _steps(directory: Path) -> list[int]:
    names = [path.name for path in directory.glob("step-*")] if directory.exists() else []
    return sorted(int(name.removeprefix("step-")) for name in names if name.removeprefix("step-").isdigit())


def _prune(directory: Path, progress: Progress) -> None:
    """Moments only with the newest; weights of the newest, of the best, and of those to be averaged."""
    for left in directory.glob(".step-*"):  # by somebody who was killed while writing
        shutil.rmtree(left, ignore_errors=True)
    wanted = {progress.step, *progress.recent, progress.best.step if progress.best else progress.step}
    for step in _steps(directory):
        place = path_of(directory, step)
        if step not in wanted:
            shutil.rmtree(place)
        elif step != progress.step:
            (place / "progress.json").unlink(missing_ok=True)
            (place / "optimiser.safetensors").unlink(missing_ok=True)
