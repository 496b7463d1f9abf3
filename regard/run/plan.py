"""All that is known before the first step: pairs, settings, network, and how long it will take. Nothing is written."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from regard import config, files
from regard.errors import UserError
from regard.models import ClassifierSettings, LanguageModelSettings
from regard.models.weights import count
from regard.run import corpus, prepare
from regard.run.corpus import Corpus
from regard.run.settings import DataSettings, Settings, layered, preset, said_preset
from regard.tasks.base import Task
from regard.tasks.workers import choose, choose_parts
from regard.text.batch import Epochs, Example
from regard.text.readers import files_of
from regard.training import checkpoint, events
from regard.training.checkpoint import Progress
from regard.training.estimate import Estimate, estimate
from regard.training.loop import LEAST

EXAMINED = 1000  # at most so many pairs are translated to choose among the last candidates


@dataclass(frozen=True)
class Prepared:
    """All that is known before the first step."""

    out: Path
    given: config.Plain
    settings: Settings
    corpus: Corpus
    texts: prepare.Texts
    task: Task
    examples: list[Example]  # as translation sees them
    epochs: Epochs  # as training does
    estimate: Estimate
    before: Progress  # what an earlier part of the run has done
    deadline: float | None
    spreads: bool  # nobody gave an interval of validations: they are spread over the run
    resuming: bool = False
    longer: bool = False  # resumed for more than it was begun for
    keep_pairs: bool = False  # they could not be read a second time: the run has to hold them
    overwrite: bool = False

    @property
    def num_parameters(self) -> int:
        return count(self.task.network)

    @property
    def steps(self) -> int:
        """How many the whole run is to have."""
        planned = 0 if self.longer else self.before.steps
        assert self.settings.train.steps is not None, "settled before"
        return planned or self.settings.train.steps

    @property
    def seconds(self) -> float:
        """About how long the training will take."""
        settings = self.settings.train
        assert settings.validate_every is not None
        steps = self.steps - self.before.step
        num_validations = steps / settings.validate_every + 3
        return steps * self.estimate.seconds_a_step + num_validations * self.estimate.seconds_a_validation


def prepare_new(
    pairs: str | Iterable[tuple[str, str]] | Iterable[str] | None,
    *,
    out: str | Path | None,
    valid: str | Iterable[tuple[str, str]] | Iterable[str] | None = None,
    preset_name: str | None = None,
    layers: Iterable[config.Plain] = (),
    where: str = "settings",
    device: str = "cpu",
    overwrite: bool = False,
) -> Prepared:
    """Read the pairs, settle all settings, build the network, measure a few steps; write nothing yet.

    Without `pairs` or `valid`, the settings say where they are. Without `out` it is only to be looked at.
    """
    started = time.perf_counter()
    layers = list(layers)
    preset_name = preset_name or said_preset(config.merge(*layers))
    first = layered(preset(preset_name) if preset_name else {}, *layers, where=where)
    pairs, valid = pairs or first.data.train, valid if valid is not None else first.data.valid
    if not pairs:
        raise UserError("there are no pairs to learn from: give PAIRS, or data.train in the settings")
    if out is not None:
        _check_out(Path(out), overwrite, [spec for spec in (pairs, valid) if isinstance(spec, str)])
        check_free(Path(out))
    settings, found, keep = _read(pairs, valid, first)
    texts = prepare.learn_tokenisers(settings, found)
    if preset_name is None:
        # chosen by the data, under what was given: those that say `none` say nothing
        name = prepare.choose_preset(settings, texts.tokenisers)
        silent = [{key: value for key, value in layer.items() if key != "preset"} for layer in layers]
        settled = layered(preset(name), *silent, where=where)
        settings = msgspec.structs.replace(settled, data=settings.data, text=texts.settings.text)
        texts = replace(texts, settings=settings)
    given = config.merge({"preset": preset_name} if preset_name else {}, *layers)
    place = Path(out or "")
    return _prepared(place, given, texts, found, device, started, keep_pairs=keep, overwrite=overwrite)


def prepare_resumed(
    run: str | Path, *, steps: int | None = None, minutes: float | None = None, device: str = "cpu"
) -> Prepared:
    """Take up a run where its last checkpoint stands."""
    started = time.perf_counter()
    check_end(steps, minutes)
    run = Path(run)
    if not run.is_dir():
        raise UserError(f"{run}: there is no such directory")
    check_free(run)
    try:
        table = msgspec.json.decode((run / "settings.json").read_bytes())
        digest = msgspec.json.decode((run / "data.json").read_bytes())["digest"]
    except OSError as error:
        raise UserError(f"{run}: is not a run that can be resumed: {error.filename}: {error.strerror}") from None
    except (msgspec.MsgspecError, KeyError, TypeError) as error:
        raise UserError(f"{run}: is not a run that can be resumed: settings.json or data.json: {error}") from None
    settings = config.read(table, Settings, str(run / "settings.json"))
    here = msgspec.structs.replace(settings, data=_located(settings.data, run))
    found = corpus.assemble(corpus.read_train(here), corpus.read_valid(here), here)
    if found.digest != digest:
        raise UserError(f"{here.data.train}: the pairs are not those that {run} was trained on")
    before = checkpoint.newest(run / "checkpoints")
    ended = _has_ended(run)
    # one that patience has ended before its steps were done may go on to them
    longer = minutes is not None or (steps is not None and (ended or steps != (before.steps or settings.train.steps)))
    if longer:
        every = _given(run).train.validate_every
        train = msgspec.structs.replace(settings.train, steps=steps, minutes=minutes, validate_every=every)
        settings = msgspec.structs.replace(settings, train=train)
        if steps is not None and steps <= before.step:
            raise UserError(
                f"--steps {steps}: {run} has done {before.step:,} already; --steps says how many it shall be in all"
            )
    elif ended:
        raise UserError(f"{run}: has ended, and its model is there; to train it longer give --steps N or --minutes N")
    texts = prepare.stored_tokenisers(settings, run / "tokenisers")
    return _prepared(run, table, texts, found, device, started, resuming=True, longer=longer)


def _given(run: Path) -> Settings:
    """What the run was begun with, before the data and the machine settled the rest."""
    path = run / "settings.toml"
    table = config.read_toml(path) if path.exists() else {}
    name = said_preset(table)
    return layered(preset(name) if name else {}, table, where=str(path))


def check_free(run: Path, free: bool | None = None) -> None:
    """Two processes would take each other's checkpoints away. Whether it is free is looked up, if nobody says."""
    if files.taken(run) if free is None else not free:
        raise UserError(f"{run}: another process is training it; wait for it, or stop it")


def check_end(steps: int | None, minutes: float | None) -> None:
    if steps is not None and minutes is not None:
        raise UserError("give a number of steps or of minutes, not both")


def _has_ended(run: Path) -> bool:
    """Whether the model of the last end is there: a longer run may have been stopped before it wrote its own."""
    ended = [event.step for event in events.read(run / "events.jsonl") if isinstance(event, events.Ended)]
    try:
        model = msgspec.json.decode((run / "model" / "config.json").read_bytes())
        return bool(ended) and model["training"]["steps"] == ended[-1]
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return False


def _prepared(
    out: Path,
    given: config.Plain,
    texts: prepare.Texts,
    found: Corpus,
    device: str,
    started: float,
    *,
    resuming: bool = False,
    longer: bool = False,
    keep_pairs: bool = False,
    overwrite: bool = False,
) -> Prepared:
    task, examples, settings = prepare.build(texts, found, device=device)
    epochs = prepare.vary(task, settings, found, examples)
    workers = settings.train.workers
    if workers is None:
        workers = choose_parts(settings.train.batch_tokens, count(task.network), task.device)
    workers = choose(workers, task.device)
    settings = msgspec.structs.replace(settings, train=msgspec.structs.replace(settings.train, workers=workers))
    model = settings.model
    some, more = (
        corpus.amount(model, corpus.spread(found.valid, count, model))
        for count in (settings.train.validate_pairs, EXAMINED)
    )
    checked = task.examples(corpus.spread(found.valid, settings.train.validate_pairs, settings.model))
    measured = estimate(
        task, epochs(0), sum(example.num_tokens for example in checked), settings.train, seed=settings.seed
    )
    before = checkpoint.newest(out / "checkpoints") if resuming else Progress()
    shares = (more / some, task.care * corpus.amount(model, found.valid) / some)
    spreads = settings.train.validate_every is None
    settings, deadline = _calibrated(settings, measured, shares, started, before.step)
    return Prepared(
        out=out,
        given=given,
        settings=settings,
        corpus=found,
        texts=texts,
        task=task,
        examples=examples,
        epochs=epochs,
        estimate=measured,
        before=before,
        deadline=deadline,
        spreads=spreads,
        resuming=resuming,
        longer=longer,
        keep_pairs=keep_pairs,
        overwrite=overwrite,
    )


def _calibrated(
    settings: Settings, measured: Estimate, shares: tuple[float, float], started: float, done: int
) -> tuple[Settings, float | None]:
    """Minutes become a number of steps. The loop plans anew if the clock has it otherwise; steps that are given stay.

    `shares` are how many times the pairs of a validation there are to examine candidates with, and in all.
    """
    train, deadline = settings.train, None
    steps, every = train.steps, train.validate_every
    num_validations = 20.0
    if steps is None:
        if train.minutes is None:
            raise UserError("train.steps and train.minutes are both none: say how long to train")
        # after the last step, with the model's own search: up to three candidates, and all pairs with the chosen one
        examined, all_of_them = shares
        end = 3 * (3 * examined + all_of_them) * measured.seconds_a_validation
        left = 60 * train.minutes - (time.perf_counter() - started)
        deadline = time.perf_counter() + left - end
        # at most a seventh of the time goes to validation, and the machine may be slower than it was just now
        num_validations = min(20.0, max(4.0, left / 7 / measured.seconds_a_validation))
        learning = 0.95 * left - num_validations * measured.seconds_a_validation - end
        steps = done + max(LEAST, int(learning / measured.seconds_a_step))
    every = every or max(1, int((steps - done) / num_validations))
    train = msgspec.structs.replace(train, steps=steps, validate_every=every)
    return msgspec.structs.replace(settings, train=train), deadline


def _read(
    pairs: str | Iterable[tuple[str, str]] | Iterable[str],
    valid: str | Iterable[tuple[str, str]] | Iterable[str] | None,
    settings: Settings,
) -> tuple[Settings, Corpus, bool]:
    """The corpus, the settings that find it again, and whether it has to be kept in the run for that."""
    names = msgspec.structs.replace(
        settings.data,
        train=corpus.absolute(pairs) if isinstance(pairs, str) else "",
        valid=corpus.absolute(valid) if isinstance(valid, str) else None,
    )
    named = msgspec.structs.replace(settings, data=names)
    if not isinstance(pairs, str) and not isinstance(valid, str):
        for name in ("columns", "format"):
            if (value := getattr(names, name)) is not None:
                raise UserError(f"data.{name} = {value!r}: is for files, and these pairs are not in one; leave it out")
    train = corpus.read_train(named) if isinstance(pairs, str) else corpus.to_pairs(pairs, named)
    held = corpus.read_valid(named) if valid is None or isinstance(valid, str) else corpus.to_pairs(valid, named)
    found = corpus.assemble(train, held, named)
    # what came from a pipe or from a program cannot be read a second time
    in_files = isinstance(pairs, str) and (valid is None or isinstance(valid, str))
    keep = not in_files or corpus.from_stdin(names.train) or corpus.from_stdin(names.valid)
    if keep:
        kind = "txt" if isinstance(settings.model, LanguageModelSettings) else "jsonl"
        # which of the two is the label is known by now
        columns = "source,target" if isinstance(settings.model, ClassifierSettings) else None
        names = DataSettings(
            train=f"data/train.{kind}", valid=f"data/valid.{kind}", columns=columns, filter=names.filter
        )
    return msgspec.structs.replace(settings, data=names), found, keep


def _check_out(out: Path, overwrite: bool, specs: list[str]) -> None:
    """Refuse to replace what is not a run, or what holds the very pairs that are to be read."""
    above = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not above.is_dir():
        raise UserError(f"{above}: is a file, and a run is a directory; choose another --out")
    if not os.access(above, os.W_OK):
        raise UserError(f"{above}: cannot be written to; choose another --out")
    if not out.exists():
        return
    if not overwrite:
        raise UserError(f"{out}: exists already; choose another --out, or go on with --resume, or say --overwrite")
    if any(out.iterdir()) and not (out / "settings.json").exists():
        raise UserError(f"{out}: is not a run, and only a run is replaced by --overwrite; choose another --out")
    for name in (part for spec in specs for part in files_of(corpus.absolute(spec))):
        if Path(name).is_relative_to(out.absolute()):
            raise UserError(f"{name}: stands in {out}, which --overwrite would remove; choose another --out")


def _located(data: DataSettings, run: Path) -> DataSettings:
    """Pairs that a run holds are named from the run, wherever it has been moved to."""
    if Path(data.train).is_absolute():
        return data
    return msgspec.structs.replace(data, train=str(run / data.train), valid=str(run / (data.valid or "")))
