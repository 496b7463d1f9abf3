"""Conduct a run from pairs to model.

runs/NAME/   settings.toml (as given)   settings.json (resolved)   data.json   tokenisers/   checkpoints/
             events.jsonl   timings.jsonl   model/   lock (held while it is trained)
"""

from __future__ import annotations

import errno
import shlex
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import torch

import regard
from regard import config, files
from regard.errors import UserError
from regard.model import FORMAT, Config, Model, of, save
from regard.models import ModelSettings
from regard.run import card, corpus, prepare
from regard.run.corpus import amount
from regard.run.plan import EXAMINED, Prepared, check_end, check_free, prepare_new, prepare_resumed
from regard.run.settings import preset as preset_of
from regard.run.settings import said_preset
from regard.run.watch import Silent, with_tensorboard
from regard.search import GreedySettings, SearchSettings
from regard.tasks.base import Task, TaskName, batches_by_length
from regard.tasks.transduce import Transducer
from regard.tasks.workers import choose, side_by_side
from regard.text.batch import Ids
from regard.text.pair import Pair
from regard.training import checkpoint, loop

MODELS: dict[TaskName, str] = {"transduce": "seq2seq", "classify": "classifier", "language": "language_model"}


class Interrupted(KeyboardInterrupt):
    """The run was asked to stop, and did, with everything saved."""

    def __init__(self, run: Path, signal: int, step: int, device: str) -> None:
        where = "" if device == "cpu" else f" --device {device}"
        super().__init__(f"stopped at step {step:,}; go on with: regard train --resume {shlex.quote(str(run))}{where}")
        self.signal = signal


def run(prepared: Prepared, watcher: loop.Watcher | None = None) -> Model:
    """Train, choose the best weights, evaluate them, and leave a model directory."""
    with _begun(prepared):
        try:
            return _run(prepared, watcher or Silent())
        except KeyboardInterrupt as stop:
            if str(stop):
                raise
            # not in the loop, which grants the wish: while the candidates were examined or the model was written
            step = checkpoint.newest(prepared.out / "checkpoints").step
            raise Interrupted(prepared.out, signal.SIGINT, step, str(prepared.task.device)) from None


def _run(prepared: Prepared, watcher: loop.Watcher) -> Model:
    settings, out, task = prepared.settings, prepared.out, prepared.task
    hasty = GreedySettings(max_length=settings.search.max_length)
    with with_tensorboard(watcher, out if settings.train.tensorboard else None) as watching:
        outcome = loop.train(
            task,
            prepared.epochs,
            settings.train,
            seed=settings.seed,
            run=out,
            validate=_validator(task, prepared.corpus.valid, settings.train.validate_pairs, hasty, settings.model),
            examine=_validator(task, prepared.corpus.valid, EXAMINED, settings.search, settings.model),
            watcher=watching,
            deadline=prepared.deadline,
            spreads=prepared.spreads,
            patience_anew=prepared.longer,
        )
    if outcome.signal:
        raise Interrupted(out, outcome.signal, outcome.progress.step, str(task.device))
    model = of(task, _config(prepared, outcome, []))
    measures = model.measures(prepared.corpus.valid)
    model = of(task, _config(prepared, outcome, [measure.to_json() for measure in measures]))
    save(model, out / "model", card.write(model.config))
    return model


def train(
    pairs: str | Path | Iterable[tuple[str, str]] | Iterable[str],
    *,
    out: str | Path,
    valid: str | Path | Iterable[tuple[str, str]] | None = None,
    task: TaskName | None = None,
    preset: str | None = None,
    settings: Mapping[str, Any] | str | Path | None = None,
    steps: int | None = None,
    minutes: float | None = None,
    seed: int | None = None,
    device: str = "cpu",
    overwrite: bool = False,
    watcher: loop.Watcher | None = None,
) -> Model:
    """Learn from pairs, given as a file (or two, joined by a comma) or as (source, target) tuples.

    With the task "classify" they are texts and their labels; with "language" there are texts alone. `settings` is a
    table or a TOML file. Without `steps` and `minutes` it takes four minutes.
    """
    table = config.read_toml(Path(settings)) if isinstance(settings, str | Path) else dict(settings or {})
    said = options(steps=steps, minutes=minutes, seed=seed)
    prepared = prepare_new(
        str(pairs) if isinstance(pairs, Path) else pairs,
        out=out,
        valid=str(valid) if isinstance(valid, Path) else valid,
        preset_name=preset,
        layers=of_task(task, preset, [table, said]),
        device=device,
        overwrite=overwrite,
    )
    return run(prepared, watcher)


def resume(
    path: str | Path,
    *,
    steps: int | None = None,
    minutes: float | None = None,
    device: str = "cpu",
    watcher: loop.Watcher | None = None,
) -> Model:
    """Go on with a run that was stopped; or for so many `steps` in all, or `minutes` more, with one that has ended."""
    return run(prepare_resumed(path, steps=steps, minutes=minutes, device=device), watcher)


def of_task(task: TaskName | None, preset_name: str | None, layers: list[config.Plain]) -> list[config.Plain]:
    """Layers that say what is learnt; of two that contradict each other, none can be right."""
    if task is None:
        return layers
    if task not in MODELS:
        raise UserError(f"task {task!r}: is not one of {', '.join(MODELS)}")
    given = config.merge(*layers)
    name = preset_name or said_preset(given)
    # a preset that does not say what it is for is for what is learnt by default
    kind = preset_of(name).get("model", {}).get("kind", MODELS["transduce"]) if name else None
    model = given.get("model")
    kind = model.get("kind", kind) if isinstance(model, dict) else kind
    if kind not in (None, MODELS[task]):
        raise UserError(f"task {task}: the settings are of a model of kind `{kind}`: leave one of the two out")
    return [{"model": {"kind": MODELS[task]}}, *layers]


def options(*, steps: int | None = None, minutes: float | None = None, seed: int | None = None) -> config.Plain:
    """The settings that have an option of their own, as a layer."""
    check_end(steps, minutes)
    layer: config.Plain = {} if seed is None else {"seed": seed}
    if steps is not None:
        layer["train"] = {"steps": steps, "minutes": None}
    elif minutes is not None:
        layer["train"] = {"steps": None, "minutes": float(minutes)}
    return layer


@contextmanager
def _begun(prepared: Prepared) -> Iterator[None]:
    """The run directory, opened, or gone on with; it belongs to nobody else until the end of the block."""
    out, resolved = prepared.out, msgspec.json.format(msgspec.json.encode(prepared.settings), indent=2) + b"\n"
    with ExitStack() as held:
        if out.exists():  # to be replaced, or gone on with: not if another process is at it
            if not prepared.resuming and not prepared.overwrite:
                raise _taken(out)
            check_free(out, held.enter_context(files.alone(out)))
        if not prepared.resuming:
            _open(prepared, resolved, held)
        elif prepared.longer:
            files.write(out / "settings.json", resolved)
        yield


def _open(prepared: Prepared, resolved: bytes, held: ExitStack) -> None:
    """A new run directory, which is `held` from before it has its name."""
    try:
        with files.directory(prepared.out, replace=prepared.overwrite) as place:
            files.write(place / "settings.toml", config.to_toml(prepared.given) + "\n")
            files.write(place / "settings.json", resolved)
            files.write(place / "data.json", msgspec.json.encode({"digest": prepared.corpus.digest}))
            prepare.store_tokenisers(prepared.texts, place / "tokenisers")
            if prepared.keep_pairs:
                data, found = prepared.settings.data, prepared.corpus
                files.write(place / data.train, corpus.kept(found.train, prepared.settings.model))
                files.write(place / str(data.valid), corpus.kept(found.valid, prepared.settings.model))
            held.enter_context(files.alone(place))
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
            raise _taken(prepared.out) from None
        raise


def _taken(out: Path) -> UserError:
    return UserError(f"{out}: exists by now, and did not when the pairs were read; choose another --out")


def _validator(
    task: Task, pairs: list[Pair], count: int, search: SearchSettings, model: ModelSettings
) -> Callable[[], loop.Validation]:
    chosen = corpus.spread(pairs, count, model)
    examples = task.examples(chosen)
    workers = choose(None, task.device)

    batches = list(batches_by_length([len(x.source) + x.num_tokens for x in examples], 8192))
    num_tokens = sum(example.num_tokens for example in examples)

    @torch.inference_mode()
    def nll(numbers: Ids) -> float:
        return task.loss([examples[n] for n in numbers]).nll.item()

    def validate() -> loop.Validation:
        total = sum(side_by_side(nll, batches, workers))
        return loop.Validation(total / num_tokens, task.watched(chosen, examples, total, search))

    return validate


def _config(prepared: Prepared, outcome: loop.Outcome, measured: list[dict[str, Any]]) -> Config:
    settings, progress = prepared.settings, outcome.progress
    table = config.to_table(settings)
    del table["data"]  # paths stay in the run
    return Config(
        format=FORMAT,
        regard=regard.__version__,
        task=prepared.task.name,
        model=settings.model,
        search=settings.search,
        joint=settings.text.joint,
        length_ratio=prepared.task.length.ratio if isinstance(prepared.task, Transducer) else 1.0,
        measures=measured,
        training={
            "pairs": amount(settings.model, prepared.corpus.train),
            "valid_pairs": amount(settings.model, prepared.corpus.valid),
            "columns": settings.data.columns,
            "parameters": prepared.num_parameters,
            "steps": progress.step,
            "seconds": round(progress.seconds, 1),
            "cores": settings.train.workers,
            "torch": str(torch.__version__),
            "settings": table,
        },
    )
