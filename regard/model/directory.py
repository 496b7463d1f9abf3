"""A model directory ↔ a Model.

    model/   config.json   model.safetensors   tokeniser.source.json   tokeniser.target.json   README.md   SHA256SUMS

The directory needs nothing outside itself, holds no path, and loading it runs no code of its own.
"""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import replace
from pathlib import Path

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

import regard
from regard import files, tasks
from regard.errors import UserError
from regard.model.base import Config, Model
from regard.model.classifier import Classifier
from regard.model.translator import Translator
from regard.model.writer import LanguageModel
from regard.models.weights import load_weights, weights
from regard.tasks.base import Task, TaskName
from regard.tasks.classify import Labeller
from regard.tasks.language import Writer
from regard.tasks.transduce import Transducer
from regard.text import tokenisers

FORMAT = 1  # rises when an older regard could not read what this one writes
_TOKENISERS: dict[TaskName, tuple[str, ...]] = {
    "transduce": ("source", "target"),
    "classify": ("source", "target"),
    "language": ("target",),
}


def save(model: Model, directory: Path, card: str) -> None:
    """Write a model directory, whole or not at all."""
    try:
        with files.directory(directory) as place:
            config = msgspec.json.format(msgspec.json.encode(model.config), indent=2)
            (place / "config.json").write_bytes(config + b"\n")
            save_file(weights(model.task.network), place / "model.safetensors")
            for name, tokeniser in model.task.tokenisers.items():
                tokenisers.save(tokeniser, place / f"tokeniser.{name}.json")
            (place / "README.md").write_text(card, encoding="utf-8")
            (place / "SHA256SUMS").write_text(_sums(place, model.config.task), encoding="utf-8")
    except (OSError, SafetensorError) as error:
        raise UserError(
            f"{directory}: the model cannot be written: {getattr(error, 'strerror', None) or error}"
        ) from None


def load(path: str | Path, *others: str | Path, device: str = "cpu") -> Model:
    """The model in a directory: a run, or the `model/` in it. With others it writes together with them: the probability
    of a token is the mean of theirs, and they search as the first one does."""
    model = _load(Path(path), device)
    for other in others:
        model = _together(model, _load(Path(other), device), path, other)
    return model


def _together(model: Model, other: Model, path: str | Path, another: str | Path) -> Model:
    for one, name in ((model, path), (other, another)):
        if not isinstance(one, Translator):
            raise UserError(f"{name}: this model {one.does}: only models that translate write together with others")
    assert isinstance(model, Translator) and isinstance(other, Translator)
    for side, tokeniser in model.task.tokenisers.items():
        if tokeniser.to_json() != other.task.tokenisers[side].to_json():
            raise UserError(
                f"{another}: has another {side} vocabulary than {path}: models that write together have to be trained "
                "on the same pairs with the same tokenisers; another seed holds other pairs back, unless --valid says "
                "which"
            )
    length = max(model.task.length, other.task.length, key=lambda rule: rule.ratio)
    return replace(model, task=replace(model.task, others=(*model.task.others, other.task.network), length=length))


def _load(path: Path, device: str) -> Model:
    directory = find(path)
    _check_sums(directory, _checked_task(directory))
    try:
        config = msgspec.json.decode((directory / "config.json").read_bytes(), type=Config)
    except msgspec.MsgspecError as error:
        raise UserError(f"{directory / 'config.json'}: is not a model's config: {error}") from None
    texts = {name: tokenisers.load(directory / f"tokeniser.{name}.json") for name in _TOKENISERS[config.task]}
    if config.joint:
        texts["target"] = texts["source"]
    task = tasks.build(config.model, texts, length_ratio=config.length_ratio)
    try:
        load_weights(task.network, load_file(directory / "model.safetensors"))
    except (OSError, ValueError, SafetensorError) as error:
        raise UserError(f"{directory / 'model.safetensors'}: {error}") from None
    task.network.to(find_device(device))
    return of(task, config)


def of(task: Task, config: Config) -> Model:
    """The model that a task makes."""
    match task:
        case Transducer():
            return Translator(task, config)
        case Labeller():
            return Classifier(task, config)
        case Writer():
            return LanguageModel(task, config)
    raise AssertionError(f"{task} is not a task")


def find(path: Path) -> Path:
    """The model directory that `path` means, or a UserError that says what is there instead."""
    for directory in (path, path / "model"):
        if (directory / "config.json").is_file():
            return directory
    if not path.exists():
        raise UserError(f"{path}: there is no such directory")
    if (path / "settings.json").exists():
        raise UserError(
            f"{path}: this run has no model yet; go on with: regard train --resume {shlex.quote(str(path))}"
        )
    raise UserError(f"{path}: is not a model: there is no config.json in it, nor in a model/ below it")


def find_device(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.empty(1, device=device).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"--device {name}: cannot be used here ({reason}); cpu always can") from None
    return device


def _sums(directory: Path, task: TaskName) -> str:
    """Of all files that loading reads."""
    names = ["config.json", "model.safetensors", *(f"tokeniser.{name}.json" for name in _TOKENISERS[task])]
    return "".join(f"{hashlib.sha256((directory / name).read_bytes()).hexdigest()}  {name}\n" for name in names)


def _check_sums(directory: Path, task: TaskName) -> None:
    try:
        given = (directory / "SHA256SUMS").read_text(encoding="utf-8")
        actual = _sums(directory, task)
    except OSError as error:
        raise UserError(f"{error.filename}: cannot be read ({error.strerror}); the model is not whole") from None
    for line in actual.splitlines():
        if line not in given.splitlines():
            raise UserError(
                f"{directory / line.split()[1]}: was changed after the model was written: SHA256SUMS differs"
            )


def _checked_task(directory: Path) -> TaskName:
    """What the model is for. One of the future deserves a better message than a list of what is wrong with it."""
    try:
        table = msgspec.json.decode((directory / "config.json").read_bytes())
        found, task = table["format"], table["task"]
    except (msgspec.MsgspecError, KeyError, TypeError):
        raise UserError(f"{directory / 'config.json'}: is not a model's config") from None
    if found != FORMAT or task not in _TOKENISERS:
        raise UserError(
            f"{directory}: is a model of format {found} for the task `{task}`; regard {regard.__version__} reads "
            f"format {FORMAT} for {', '.join(_TOKENISERS)}"
        )
    name: TaskName = task
    return name
