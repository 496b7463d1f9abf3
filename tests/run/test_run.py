"""A run from pairs to model, stopped and resumed, refused and overwritten."""

from __future__ import annotations

import dataclasses
import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import regard
from regard import config, files
from regard.errors import UserError
from regard.models import LanguageModelSettings
from regard.run import conduct as run
from regard.run import plan
from regard.run.corpus import assemble, kept, texts
from regard.run.settings import DataSettings, Settings, layered
from regard.run.watch import Silent
from regard.tasks.base import TaskName
from regard.tasks.transduce import LengthRule
from regard.text.batch import Example
from regard.text.pair import Pair
from regard.training import events, loop
from regard.training.loop import learn

SMALL: dict[str, Any] = {
    "train": {"batch_tokens": 64, "validate_every": 7, "average": 2},
    "model": {
        "encoder": {"num_layers": 2},
        "decoder": {"cell": "lstm", "num_layers": 2, "wiring": {"kind": "after"}},
    },
}


def raises(error: type[BaseException]) -> Any:
    def function(*_: Any, **__: Any) -> None:
        raise error

    return function


def letters(count: int, seed: int = 0) -> list[tuple[str, str]]:
    rng = random.Random(seed)
    words = {"".join(rng.choices("abcde", k=rng.randint(1, 6))) for _ in range(2 * count)}
    return [(word, word[::-1]) for word in sorted(words)[:count]]


class StopAt(Silent):
    """Presses Ctrl-C when a step is done."""

    def __init__(self, step: int, number: int = signal.SIGINT) -> None:
        self.step, self.number = step, number

    def stepped(self, step: int, loss: float, tokens_per_second: float) -> None:
        if step == self.step:
            os.kill(os.getpid(), self.number)


def begin(out: Path, **options: Any) -> plan.Prepared:
    layers = [options.pop("settings", SMALL), run.options(steps=options.pop("steps", 20))]
    return plan.prepare_new(options.pop("pairs", letters(60)), out=out, preset_name="tiny", layers=layers, **options)


PARTS = {**SMALL, "train": {**SMALL["train"], "workers": 2, "accumulate": 2}}


VARIED = {
    "text": {"source": {"kind": "bpe", "size": 300}},
    "train": {**SMALL["train"], "bpe_dropout": 0.2},
}


COUNTED = {**SMALL, "model": {**SMALL["model"], "embedding": {"around": {"kind": "ngrams", "least": 2, "most": 200}}}}


RECALLING = {**SMALL, "text": {"similar": 2, "similar_dropout": 0.3}}


ROUNDED = {**SMALL, "train": {**SMALL["train"], "precision": "bfloat16"}}


# in the middle of an epoch, at a validation, after two of them; with parts of batches added up; with other spellings;
# with n-grams; with similar pairs; with products of bfloat16
@pytest.mark.parametrize(
    ("step", "settings"),
    [(3, SMALL), (7, SMALL), (16, SMALL), (16, PARTS), (16, VARIED), (16, COUNTED), (16, RECALLING), (16, ROUNDED)],
)
def test_stop_and_resume_equals_never_stopped_to_the_bit(tmp_path: Path, step: int, settings: dict[str, Any]) -> None:
    run.run(begin(tmp_path / "whole", settings=settings))
    with pytest.raises(run.Interrupted) as stopped:
        run.run(begin(tmp_path / "parts", settings=settings), StopAt(step))
    assert stopped.value.signal == signal.SIGINT
    assert f"--resume {tmp_path / 'parts'}" in str(stopped.value)
    assert not (tmp_path / "parts" / "model").exists()
    run.run(plan.prepare_resumed(tmp_path / "parts"))
    for name in ("events.jsonl", "model/model.safetensors", "checkpoints/step-00000020/optimiser.safetensors"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert regard.load(tmp_path / "parts").translate(["abc"]) == regard.load(tmp_path / "whole").translate(["abc"])


def test_the_run_learns_with_the_precision_that_was_asked_for(tmp_path: Path) -> None:
    """And answers with float32s, whatever it learnt with."""
    exact, rounded = (
        run.run(begin(tmp_path / name, settings=settings, steps=7))
        for name, settings in (("exact", SMALL), ("rounded", ROUNDED))
    )
    ours, theirs = (load_file(tmp_path / name / "model" / "model.safetensors") for name in ("exact", "rounded"))
    assert all(tensor.dtype == torch.float32 for tensor in theirs.values())
    off = max(float((ours[name] - theirs[name]).abs().max()) for name in ours)
    assert 0 < off < 0.05
    pair = [("abc", "cba")]
    assert exact.score(pair) != rounded.score(pair)
    assert rounded.score(pair) == regard.load(tmp_path / "rounded").score(pair)


TEXTS = [f"{a} and {b}" for a in "abcdefg" for b in ("tea", "milk", "jam")]
LABELS = [(text, text.split()[-1]) for text in TEXTS]
TRUNK = {"kind": "transformer", "size": 8, "num_layers": 1, "num_heads": 2, "feedforward": 8}
TASKS: dict[str, tuple[Any, dict[str, Any]]] = {
    "running text": (["\n".join(TEXTS)], {"kind": "language_model", "context": 16, "trunk": TRUNK}),
    "lines": (TEXTS, {"kind": "language_model", "unit": "line", "trunk": {"kind": "rnn", "size": 8}}),
    "labels": (LABELS, {"kind": "classifier", "encoder": {"kind": "rnn", "size": 4}}),
    "transformer": (LABELS, {"encoder": TRUNK, "decoder": TRUNK}),
}


TINY: dict[str, Any] = {
    "classify": {"model": {"encoder": {"size": 4}}},
    "language": {"model": {"unit": "line", "trunk": TRUNK}},
}


@pytest.mark.parametrize("name", TASKS)
def test_every_task_resumes_to_the_bit(tmp_path: Path, name: str) -> None:
    """Also where the texts came from a program, and are kept in the run."""
    texts, model = TASKS[name]
    settings = {"train": {**SMALL["train"], "label_smoothing": 0.0}, "model": model}
    layers = [settings, run.options(steps=20)]

    def start(out: Path) -> plan.Prepared:
        return plan.prepare_new(texts, out=out, layers=layers)

    run.run(start(tmp_path / "whole"))
    with pytest.raises(run.Interrupted):
        run.run(start(tmp_path / "parts"), StopAt(9))
    run.run(plan.prepare_resumed(tmp_path / "parts"))
    for file in ("events.jsonl", "model/model.safetensors"):
        assert (tmp_path / "parts" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes(), file


def test_a_run_that_died_without_a_word_tells_the_same_story_again(tmp_path: Path) -> None:
    run.run(begin(tmp_path / "whole"))

    class Die(Silent):
        def stepped(self, step: int, loss: float, tokens_per_second: float) -> None:
            if step == 12:
                raise MemoryError

    with pytest.raises(MemoryError):
        run.run(begin(tmp_path / "died"), Die())
    with (tmp_path / "died" / "events.jsonl").open("ab") as file:
        file.write(b'{"event":"learnt","st')  # a line cut off
    run.run(plan.prepare_resumed(tmp_path / "died"))
    for name in ("events.jsonl", "model/model.safetensors"):
        assert (tmp_path / "died" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    timed = {name: events.read(tmp_path / name / "timings.jsonl") for name in ("died", "whole")}
    assert [event.step for event in timed["died"]] == [event.step for event in timed["whole"]]


def test_the_same_seed_is_the_same_run_and_another_is_not(tmp_path: Path) -> None:
    runs = {
        name: plan.prepare_new(
            letters(60), out=tmp_path / name, preset_name="tiny", layers=[SMALL, run.options(steps=7, seed=seed)]
        )
        for name, seed in {"a": 5, "b": 5, "c": 6}.items()
    }
    for prepared in runs.values():
        run.run(prepared)
    weights = {name: (tmp_path / name / "model" / "model.safetensors").read_bytes() for name in runs}
    assert weights["a"] == weights["b"] != weights["c"]


class Clock:
    """Goes on by a millisecond whenever it is looked at: all steps take the same time."""

    now = 0.0

    def perf_counter(self) -> float:
        self.now += 0.001
        return self.now


@pytest.mark.parametrize("calibrated", [30, 2000])  # for a machine that was slower than it is, or much faster
def test_the_schedule_ends_with_the_time(tmp_path: Path, calibrated: int, monkeypatch: pytest.MonkeyPatch) -> None:
    patient = {**SMALL, "train": {**SMALL["train"], "patience": 1000}}
    prepared = begin(tmp_path / "run", steps=calibrated, settings=patient)
    monkeypatch.setattr(loop, "time", Clock())
    run.run(dataclasses.replace(prepared, deadline=0.5))
    happened = events.read(tmp_path / "run" / "events.jsonl")
    planned = [event for event in happened if isinstance(event, events.Planned)]
    (ended,) = [event for event in happened if isinstance(event, events.Ended)]
    last = [event for event in happened if isinstance(event, events.Learnt)][-1]
    assert planned and ended.step > 10 and ended.step != calibrated
    assert ended.reason == "steps" and ended.step == planned[-1].steps
    assert last.learning_rate < 0.2 * prepared.settings.train.optimiser.learning_rate


@pytest.mark.parametrize("calibrated", [30, 300])
@pytest.mark.parametrize("given", [False, True])
def test_validations_follow_the_plan_unless_their_interval_was_given(
    tmp_path: Path, calibrated: int, given: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan of 10 validations stays one of about 10 when the number of steps turns out to be another."""
    settings = {**SMALL, "train": {**SMALL["train"], "patience": 1000, "validate_every": calibrated // 10}}
    prepared = begin(tmp_path / "run", steps=calibrated, settings=settings)
    assert not prepared.spreads
    monkeypatch.setattr(loop, "time", Clock())
    run.run(dataclasses.replace(prepared, deadline=0.4, spreads=not given))
    happened = events.read(tmp_path / "run" / "events.jsonl")
    at = [event.step for event in happened if isinstance(event, events.Validated)]
    if given:
        assert all(step % (calibrated // 10) == 0 for step in at[:-1])
    elif calibrated == 30:
        assert at[-1] > 60 and 7 <= len(at) <= 16
    else:
        assert at[-1] < 200 and at[0] == 30 and at[1] - at[0] < 20  # the first one is where it is found out


def test_the_interval_is_ours_to_choose_if_none_was_given(tmp_path: Path) -> None:
    settings = {"train": {"batch_tokens": 64}}
    assert begin(tmp_path / "run", steps=40, settings=settings).spreads
    with pytest.raises(run.Interrupted):
        run.run(begin(tmp_path / "run", steps=40, settings=settings), StopAt(10))
    assert plan.prepare_resumed(tmp_path / "run", minutes=0.1).spreads


def test_a_plan_made_anew_outlives_a_stop(tmp_path: Path) -> None:
    with pytest.raises(run.Interrupted):
        run.run(dataclasses.replace(begin(tmp_path / "run", steps=500), deadline=time.perf_counter() + 2), StopAt(10))
    run.run(plan.prepare_resumed(tmp_path / "run"))
    happened = events.read(tmp_path / "run" / "events.jsonl")
    assert [type(event) for event in happened].count(events.Planned) == 1
    (planned,) = [event.steps for event in happened if isinstance(event, events.Planned)]
    assert happened[-1].step == planned < 500


def test_steps_count_from_what_is_planned(tmp_path: Path) -> None:
    planned = dataclasses.replace(begin(tmp_path / "run", steps=500), deadline=time.perf_counter() + 2)
    with pytest.raises(run.Interrupted):
        run.run(planned, StopAt(10))
    steps = plan.prepare_resumed(tmp_path / "run").steps
    assert steps < 500
    assert not plan.prepare_resumed(tmp_path / "run", steps=steps).longer
    assert plan.prepare_resumed(tmp_path / "run", steps=500).steps == 500
    run.run(plan.prepare_resumed(tmp_path / "run", steps=25))
    assert events.read(tmp_path / "run" / "events.jsonl")[-1].step == 25


def test_a_longer_run_that_died_at_once_is_still_longer(tmp_path: Path) -> None:
    class Die(Silent):
        def stepped(self, step: int, loss: float, tokens_per_second: float) -> None:
            raise MemoryError

    run.run(dataclasses.replace(begin(tmp_path / "run", steps=30), deadline=time.perf_counter() + 1))
    done = events.read(tmp_path / "run" / "events.jsonl")[-1].step
    with pytest.raises(MemoryError):
        run.run(plan.prepare_resumed(tmp_path / "run", steps=done + 5), Die())
    run.run(plan.prepare_resumed(tmp_path / "run"))
    assert events.read(tmp_path / "run" / "events.jsonl")[-1].step == done + 5


def test_a_longer_run_that_was_stopped_before_its_model_was_written_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.run(begin(tmp_path / "run", steps=5))
    with monkeypatch.context() as patch:
        patch.setattr(run, "save", raises(KeyboardInterrupt))
        with pytest.raises(run.Interrupted, match="stopped at step 8; go on with: regard train --resume"):
            run.run(plan.prepare_resumed(tmp_path / "run", steps=8))
    assert regard.load(tmp_path / "run").config.training["steps"] == 5
    run.run(plan.prepare_resumed(tmp_path / "run"))
    assert regard.load(tmp_path / "run").config.training["steps"] == 8
    with pytest.raises(UserError, match="has ended"):
        plan.prepare_resumed(tmp_path / "run")


def test_ten_steps_there_are_in_any_case(tmp_path: Path) -> None:
    prepared = plan.prepare_new(
        letters(60), out=tmp_path / "run", preset_name="tiny", layers=[SMALL, run.options(minutes=0.0001)]
    )
    # as if a minute had gone by since
    run.run(dataclasses.replace(prepared, deadline=time.perf_counter() - 60))
    assert events.read(tmp_path / "run" / "events.jsonl")[-1].step == 10


def test_spellings_vary_from_epoch_to_epoch_and_nothing_else_does(tmp_path: Path) -> None:
    prepared = begin(tmp_path / "run", settings=VARIED)
    first, second = prepared.epochs(0), prepared.epochs(1)
    assert [x.target.tolist() for x in first] == [x.target.tolist() for x in second]
    assert [x.source.tolist() for x in first] != [x.source.tolist() for x in second]
    decode = prepared.task.source.decode
    assert [decode(x.source.tolist()) for x in first] == [decode(x.source.tolist()) for x in prepared.examples]
    with pytest.raises(UserError, match=r"bpe_dropout.*no BPE.*char"):
        begin(tmp_path / "other", settings={"train": {"bpe_dropout": 0.2}})


def test_accumulating_batches_gives_the_gradient_of_all_of_them(tmp_path: Path) -> None:
    prepared = begin(tmp_path / "run")
    task, settings = prepared.task, prepared.settings.train
    for module in task.network.modules():
        if hasattr(module, "dropout"):
            module.dropout = 0.0

    def gradients(parts: list[list[Example]]) -> list[torch.Tensor]:
        learn(task, parts, settings, seed=1, step=1)
        return [parameter.grad.clone() for parameter in task.network.parameters() if parameter.grad is not None]

    examples = prepared.examples[:12]
    together, apart = gradients([examples]), gradients([examples[:5], examples[5:]])
    for one, other in zip(together, apart, strict=True):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-4)


def test_pressing_ctrl_c_twice_is_pressing_it_once(tmp_path: Path) -> None:
    class Impatient(StopAt):
        def stepped(self, step: int, loss: float, tokens_per_second: float) -> None:
            super().stepped(step, loss, tokens_per_second)
            super().stepped(step, loss, tokens_per_second)

    with pytest.raises(run.Interrupted):
        run.run(begin(tmp_path / "a run"), Impatient(3))
    assert (tmp_path / "a run" / "checkpoints" / "step-00000003" / "progress.json").exists()


def test_the_same_number_of_steps_is_no_other_run(tmp_path: Path) -> None:
    with pytest.raises(run.Interrupted):
        run.run(begin(tmp_path / "run"), StopAt(3))
    assert plan.prepare_resumed(tmp_path / "run", steps=20).settings.train.validate_every == 7


def test_out_is_looked_at_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(UserError, match="is a file"):
            begin(out, pairs="nowhere.tsv")
    with pytest.raises(UserError, match="no such directory"):
        plan.prepare_resumed(tmp_path / "nowhere")


def test_ctrl_c_stops_also_what_was_begun_in_the_background(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a script's `&` does
    try:
        with pytest.raises(run.Interrupted):
            run.run(begin(tmp_path / "run"), StopAt(4))
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_save_too(tmp_path: Path, number: int) -> None:
    with pytest.raises(run.Interrupted) as stopped:
        run.run(begin(tmp_path / "run"), StopAt(4, number))
    assert stopped.value.signal == number
    assert (tmp_path / "run" / "checkpoints" / "step-00000004" / "progress.json").exists()


def test_a_lost_connection_is_nothing_to_whoever_ignores_it(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        run.run(begin(tmp_path / "run"), StopAt(4, signal.SIGHUP))
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (tmp_path / "run" / "model").exists()


def test_nobody_else_trains_the_same_run(tmp_path: Path) -> None:
    with pytest.raises(run.Interrupted):
        run.run(begin(tmp_path / "run"), StopAt(4))
    prepared = plan.prepare_resumed(tmp_path / "run")
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    code = "import sys, time; from pathlib import Path; from regard import files\n"
    code += "with files.alone(Path(sys.argv[1])) as alone: print(alone, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code, tmp_path / "run"], stdout=subprocess.PIPE) as other:
        assert other.stdout and other.stdout.readline() == b"True\n"
        for prepare in (plan.prepare_resumed, partial(begin, overwrite=True), lambda out: run.run(prepared)):
            with pytest.raises(UserError, match="another process is training it"):
                prepare(tmp_path / "run")
        assert before == {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
        other.kill()
    run.run(plan.prepare_resumed(tmp_path / "run"))


@pytest.mark.parametrize("overwrite", [False, True])
def test_nobody_comes_in_between(tmp_path: Path, overwrite: bool) -> None:
    """Two who both saw that nobody was there."""
    if overwrite:
        run.run(begin(tmp_path / "run", steps=2))
    one, other = (begin(tmp_path / "run", steps=steps, overwrite=overwrite) for steps in (12, 13))
    with run._begun(one):
        assert files.taken(tmp_path / "run")
        with pytest.raises(UserError, match="another process is training it" if overwrite else "exists by now"):
            run.run(other)
        assert plan._given(tmp_path / "run").train.steps == 12
    assert not files.taken(tmp_path / "run")


def test_a_run_of_the_same_name_that_came_to_be_in_the_last_moment_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other, stored = begin(tmp_path / "run", steps=12), begin(tmp_path / "run"), run.prepare.store_tokenisers

    def store(*args: Any) -> None:
        monkeypatch.undo()
        run.run(one)
        stored(*args)

    monkeypatch.setattr(run.prepare, "store_tokenisers", store)
    with pytest.raises(UserError, match="exists by now"):
        run.run(other)
    assert regard.load(tmp_path / "run").config.training["steps"] == 12
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_whoever_is_refused_has_changed_nothing(tmp_path: Path) -> None:
    run.run(begin(tmp_path / "run", steps=2))
    one, other = (plan.prepare_resumed(tmp_path / "run", steps=steps) for steps in (12, 13))
    with run._begun(one), pytest.raises(UserError, match="another process is training it"):
        run.run(other)
    assert b'"steps": 12' in (tmp_path / "run" / "settings.json").read_bytes()


def test_validations_are_as_long_as_outputs_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    validator, searches = run._validator, []

    def noted(*args: Any) -> Any:
        searches.append(args[3])
        return validator(*args)

    monkeypatch.setattr(run, "_validator", noted)
    run.run(begin(tmp_path / "run", settings={**SMALL, "search": {"kind": "beam", "max_length": 7}}, steps=2))
    assert [search.max_length for search in searches] == [7, 7], "in haste, and with care"


def test_out_that_exists_is_refused_and_untouched_unless_overwritten(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "precious").write_text("mine")
    with pytest.raises(UserError, match=r"exists already.*--resume.*--overwrite"):
        begin(tmp_path / "run")
    assert (tmp_path / "run" / "precious").read_text() == "mine"
    with pytest.raises(UserError, match=r"is not a run.*--overwrite"):
        begin(tmp_path / "run", overwrite=True)
    (tmp_path / "run" / "precious").unlink()
    run.run(begin(tmp_path / "run", overwrite=True, steps=2))
    with pytest.raises(UserError, match="no pair is left"):
        begin(tmp_path / "run", pairs=[("", "a")], overwrite=True)
    held = tmp_path / "run" / "data" / "train.jsonl"
    with pytest.raises(UserError, match="would remove"):
        begin(tmp_path / "run", pairs=str(held), overwrite=True)
    assert held.exists(), "nothing is removed before the new run can start"
    run.run(begin(tmp_path / "run", overwrite=True, steps=3))
    assert regard.load(tmp_path / "run").config.training["steps"] == 3


def test_resume_refuses_other_pairs_and_what_is_no_run(tmp_path: Path) -> None:
    source = tmp_path / "pairs.tsv"
    source.write_text("".join(f"{a}\t{b}\n" for a, b in letters(60)))
    with pytest.raises(run.Interrupted):
        run.run(begin(tmp_path / "run", pairs=str(source)), StopAt(2))
    source.write_text("".join(f"{a}\t{b}x\n" for a, b in letters(60)))
    with pytest.raises(UserError, match="pairs are not those"):
        plan.prepare_resumed(tmp_path / "run")
    with pytest.raises(UserError, match="is not a run"):
        plan.prepare_resumed(tmp_path)
    with pytest.raises(UserError, match=r"no model yet.*--resume"):
        regard.load(tmp_path / "run")


def test_a_finished_run_goes_on_for_more_steps(tmp_path: Path) -> None:
    run.run(begin(tmp_path / "run", steps=8))
    with pytest.raises(UserError, match=r"has ended.*--steps"):
        plan.prepare_resumed(tmp_path / "run")
    longer = run.run(plan.prepare_resumed(tmp_path / "run", steps=12))
    assert longer.config.training["steps"] == 12
    assert [
        event.step for event in events.read(tmp_path / "run" / "events.jsonl") if isinstance(event, events.Ended)
    ] == [12]
    with pytest.raises(UserError, match="has done 12 already"):
        plan.prepare_resumed(tmp_path / "run", steps=11)


def test_a_longer_run_that_was_stopped_goes_on_as_it_says(tmp_path: Path) -> None:
    run.run(begin(tmp_path / "run", steps=8))
    with pytest.raises(run.Interrupted):
        run.run(plan.prepare_resumed(tmp_path / "run", steps=16), StopAt(10))
    assert run.run(plan.prepare_resumed(tmp_path / "run")).config.training["steps"] == 16


def test_a_run_that_patience_has_ended_goes_on_to_the_steps_it_was_begun_for(tmp_path: Path) -> None:
    settings = {**SMALL, "train": {**SMALL["train"], "validate_every": 1, "patience": 1, "measure": "loss"}}
    settings["train"]["optimiser"] = {"learning_rate": 1.0}  # it gets worse at once
    ended = run.run(begin(tmp_path / "run", steps=40, settings=settings)).config.training["steps"]
    assert ended < 40
    with pytest.raises(UserError, match=r"has ended.*--steps"):
        plan.prepare_resumed(tmp_path / "run")
    assert run.run(plan.prepare_resumed(tmp_path / "run", steps=40)).config.training["steps"] > ended


@pytest.mark.parametrize(
    ("name", "content"),
    [("settings.json", "{,}"), ("settings.json", "[]"), ("data.json", "{}"), ("tokenisers/target.json", None)],
)
def test_a_damaged_run_is_refused(tmp_path: Path, name: str, content: str | None) -> None:
    with pytest.raises(run.Interrupted):
        run.run(begin(tmp_path / "run"), StopAt(2))
    if content is None:
        (tmp_path / "run" / name).unlink()
    else:
        (tmp_path / "run" / name).write_text(content)
    with pytest.raises(UserError, match=str(Path(name).name)):
        plan.prepare_resumed(tmp_path / "run")


def test_a_run_is_opened_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run.run(begin(tmp_path / "run", steps=2))
    with monkeypatch.context() as patch:
        patch.setattr(run.prepare, "store_tokenisers", raises(KeyboardInterrupt))
        for out in ("run", "new"):
            with pytest.raises(KeyboardInterrupt):
                run.run(begin(tmp_path / out, overwrite=True))
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert regard.load(tmp_path / "run").config.training["steps"] == 2, "the old one is as it was"


def test_a_link_to_a_run_is_overwritten_where_it_points_to(tmp_path: Path) -> None:
    run.run(begin(tmp_path / "run", steps=2))
    (tmp_path / "link").symlink_to(tmp_path / "run")
    run.run(begin(tmp_path / "link", steps=3, overwrite=True))
    assert regard.load(tmp_path / "run").config.training["steps"] == 3


def test_all_that_is_validated_with_is_looked_at_before_the_old_run_goes(tmp_path: Path) -> None:
    pairs = [(text, "even" if len(text) % 2 else "odd") for text, _ in letters(100)]
    valid = [*pairs * 16, ("abc", "strange"), *pairs * 16]  # at a place where neither of the smaller selections looks
    options: dict[str, Any] = {"task": "classify", "preset": "classifier-tiny", "steps": 2}
    regard.train(pairs, out=tmp_path / "run", **options)
    with pytest.raises(UserError, match="strange"):
        regard.train(pairs, out=tmp_path / "run", valid=valid, overwrite=True, **options)
    assert regard.load(tmp_path / "run").config.training["steps"] == 2


def test_a_language_model_that_diverges_says_so_and_its_run_can_be_read(tmp_path: Path) -> None:
    text = ["to be or not to be\n" * 40]
    settings = {"train": {"optimiser": {"learning_rate": 1e30}, "validate_every": 1, "clip": 0.0}}
    with pytest.raises(UserError, match=r"not finite at step \d+.*learning_rate below 1e\+30"):
        regard.train(text, out=tmp_path / "run", task="language", preset="language-tiny", settings=settings, steps=20)
    events.read(tmp_path / "run" / "events.jsonl")
    plan.prepare_resumed(tmp_path / "run")


def test_no_preset_can_be_said(tmp_path: Path) -> None:
    prepared = plan.prepare_new(letters(60), out=tmp_path / "run", layers=[{"preset": "none"}, run.options(steps=2)])
    assert prepared.settings.preset == "small"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": {"context": 64}}, r"model\.context: is of a running text"),
        ({"data": {"filter": {"max_ratio": 2.0}}}, "a line has no other side"),
    ],
    ids=["context", "max_ratio"],
)
def test_what_lines_have_no_use_for_is_refused(tmp_path: Path, settings: config.Plain, said: str) -> None:
    lines = {"model": {"kind": "language_model", "unit": "line"}}
    with pytest.raises(UserError, match=said):
        regard.train(["ab", "cd"] * 9, out=tmp_path / "run", settings=config.merge(lines, settings), steps=2)


def test_a_comma_in_the_name_of_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a,b").mkdir()
    monkeypatch.chdir(tmp_path / "a,b")
    for number, name in enumerate(("train.en", "train.de")):
        Path(name).write_text("".join(f"{pair[number]}\n" for pair in letters(60)))
    with pytest.raises(run.Interrupted):
        run.run(begin(tmp_path / "run", pairs="train.en,train.de"), StopAt(2))
    assert run.run(plan.prepare_resumed(tmp_path / "run")).config.training["steps"] == 20


def test_a_run_that_holds_its_pairs_can_be_moved(tmp_path: Path) -> None:
    with pytest.raises(run.Interrupted):
        run.run(begin(tmp_path / "here"), StopAt(2))
    (tmp_path / "here").rename(tmp_path / "there")
    assert run.run(plan.prepare_resumed(tmp_path / "there")).config.training["steps"] == 20


def test_a_run_that_holds_its_pairs_goes_on_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run.run(begin(Path("run"), steps=2))
    for steps in (3, 4):
        assert regard.resume("run", steps=steps).config.training["steps"] == steps
    Path("run").rename("moved")
    assert regard.resume("moved", steps=5).config.training["steps"] == 5


def test_settings_that_only_their_preset_knows_go_on_too(tmp_path: Path) -> None:
    settings = {"model": {"encoder": {"num_heads": 2}}, "train": {"validate_every": 2}}
    regard.train(letters(60), out=tmp_path / "run", preset="transformer-tiny", settings=settings, steps=2)
    longer = plan.prepare_resumed(tmp_path / "run", steps=3)
    assert longer.settings.train.validate_every == 2


@pytest.mark.parametrize(
    ("unit", "odd"),
    [
        ("text", ["\ufeff\ufeffa b", "c\r\r\nd", " e \x85f\x0b", "\r g", "", "h\t\t"]),
        ("line", ["\ufeff\ufeffa b", "", " c\t"]),
    ],
)
def test_texts_that_a_run_holds_are_read_as_they_were(tmp_path: Path, unit: str, odd: list[str]) -> None:
    """Reading takes something off: it must not take it twice."""
    settings = {"model": {"kind": "language_model", "unit": unit}}
    regard.train(odd * 9, valid=odd, out=tmp_path / "run", preset="language-tiny", settings=settings, steps=2)
    assert regard.resume(tmp_path / "run", steps=3).config.training["steps"] == 3


@pytest.mark.parametrize("unit", ["text", "line"])
def test_what_is_kept_of_texts_is_read_as_they_were(tmp_path: Path, unit: Literal["text", "line"]) -> None:
    path, model = tmp_path / "text", LanguageModelSettings(unit=unit)
    path.write_bytes("\ufeff\ufeffa\r\r\n b\r\n\n\nc\r\r\r\nd\re\r".encode())
    found = texts(str(path), model)
    path.write_bytes(kept(found, model))
    assert [pair.target for pair in texts(str(path), model)] == [pair.target for pair in found]


def test_nobody_has_to_watch(tmp_path: Path) -> None:
    """As `regard train … 2>&1 | head -1` has it: whoever read the progress has gone."""
    (tmp_path / "pairs.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in letters(60)))
    given = [
        "train",
        "pairs.tsv",
        "--out",
        "run",
        "--preset",
        "tiny",
        "--steps",
        "4",
        "--set",
        "train.validate_every=2",
    ]
    with subprocess.Popen([sys.executable, "-m", "regard", *given], cwd=tmp_path, stderr=subprocess.PIPE) as process:
        assert process.stderr
        process.stderr.close()
    assert (tmp_path / "run" / "model" / "config.json").exists()


def test_a_file_to_validate_with_beside_pairs_of_a_program(tmp_path: Path) -> None:
    (tmp_path / "valid.tsv").write_text("abc\tcba\nde\ted\n")
    prepared = begin(tmp_path / "run", valid=str(tmp_path / "valid.tsv"))
    assert [pair.source for pair in prepared.corpus.valid] == ["abc", "de"]
    assert not prepared.corpus.held_back and prepared.keep_pairs


def test_settings_can_say_where_the_pairs_are_and_which_preset(tmp_path: Path) -> None:
    for name, count in (("train", 60), ("valid", 7)):
        (tmp_path / f"{name}.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in letters(count, seed=count)))
    data = {"train": str(tmp_path / "train.tsv"), "valid": str(tmp_path / "valid.tsv")}
    layers = [{"data": data, "preset": "luong"}, run.options(steps=1)]
    prepared = plan.prepare_new(None, out=tmp_path / "run", layers=layers)
    assert (len(prepared.corpus.train), len(prepared.corpus.valid)) == (60, 7)
    assert prepared.settings.model.decoder.cell == "lstm" and prepared.settings.preset == "luong"
    with pytest.raises(UserError, match="no pairs to learn from"):
        plan.prepare_new(None, out=tmp_path / "run")
    with pytest.raises(UserError, match="no pairs to validate"):
        plan.prepare_new(letters(9), valid=[], out=tmp_path / "run")
    with pytest.raises(UserError, match=r"data\.valid_pairs: says how many to hold back, and others are given"):
        plan.prepare_new(letters(9), valid=letters(3), out=tmp_path / "run", layers=[{"data": {"valid_pairs": 2}}])


def test_of_steps_and_minutes_the_later_layer_counts(tmp_path: Path) -> None:
    def settled(*layers: dict[str, Any]) -> tuple[int | None, float | None]:
        train = layered(*({"train": layer} for layer in layers), where="").train
        return train.steps, train.minutes

    assert settled({"steps": 7}) == (7, 4.0)  # which steps do not heed
    assert settled({"steps": 7}, {"minutes": 3.0}) == (None, 3.0)
    assert settled({"minutes": 3.0}, {"steps": 7}) == (7, 3.0)
    assert settled({"steps": 7}, {"steps": "none"}) == (None, 4.0)
    with pytest.raises(UserError, match="are both none: say how long to train"):
        plan.prepare_new(letters(60), out=tmp_path / "run", layers=[{"train": {"minutes": "none"}}])


def test_a_search_has_room_for_sources_longer_than_any_in_training() -> None:
    def example(length: int) -> Example:
        return Example(np.zeros(length + 1, dtype=np.int64), np.zeros(length + 2, dtype=np.int64))

    rule = LengthRule.learn([example(length) for length in range(1, 13)])
    assert all(rule.max_length(length + 1) >= length + 1 for length in range(1, 1000))
    answers = [Example(np.zeros(200, dtype=np.int64), np.zeros(3, dtype=np.int64))] * 9
    assert LengthRule.learn(answers).max_length(200) < 10, "nor is it endless"


def test_what_no_search_can_do_is_refused_before_training(tmp_path: Path) -> None:
    settings = {"search": {"coverage": 0.2}, "model": {"decoder": {"wiring": {"kind": "once"}}}}
    with pytest.raises(UserError, match="coverage penalty needs attention"):
        begin(tmp_path / "run", settings=settings)
    with pytest.raises(UserError, match=r"alpha = 0\.9: is the exponent of gnmt"):
        begin(tmp_path / "run", settings={"search": {"alpha": 0.9}})
    with pytest.raises(UserError, match="one tokeniser"):
        begin(tmp_path / "run", settings={"text": {"joint": True, "target": {"kind": "word"}}})


def test_minutes_become_steps_that_are_stored(tmp_path: Path) -> None:
    prepared = plan.prepare_new(
        letters(60), out=tmp_path / "run", preset_name="tiny", layers=[SMALL, run.options(minutes=0.05)]
    )
    assert prepared.settings.train.steps is not None and prepared.settings.train.steps >= 10
    assert prepared.deadline is not None
    model = run.run(prepared)
    assert model.config.training["seconds"] < 10
    assert f'"steps": {prepared.settings.train.steps}' in (tmp_path / "run" / "settings.json").read_text()


def test_python_trains_loads_translates_scores_and_inspects(tmp_path: Path) -> None:
    pairs = letters(80)
    model = regard.train(pairs, out=tmp_path / "run", preset="tiny", steps=5, valid=letters(5, seed=9))
    again = regard.load(tmp_path / "run")
    texts = ["abc", "", "eeee", "zé\u2028"]
    assert model.translate(texts, beam=3) == again.translate(texts, beam=3)
    assert again.translate(texts)[1] == ""
    assert regard.load(tmp_path / "run" / "model").score(pairs[:3]) == model.score(pairs[:3])
    inspection = again.inspect("abc", "cba")
    assert (inspection.source, inspection.target) == ("abc", "cba")
    assert sum(inspection.logprobs) == pytest.approx(again.score([("abc", "cba")])[0], abs=1e-4)
    with pytest.raises(UserError, match="list of texts"):
        model.translate("abc")
    as_pairs = [Pair.of(*pair) for pair in pairs[:4]]
    assert model.evaluate(pairs[:4]).hypotheses == model.evaluate(as_pairs).hypotheses
    assert model.measures(pairs[:4]) == model.measures(as_pairs) and model.align(pairs[:4]) == model.align(as_pairs)
    with pytest.raises(UserError, match="pair 1: expected"):
        model.evaluate([pairs[0], "ab"])
    assert regard.resume(tmp_path / "run", steps=7).config.training["steps"] == 7


@pytest.mark.parametrize("task", ["classify", "language"])
def test_python_trains_for_other_tasks(tmp_path: Path, task: TaskName) -> None:
    given: Any = LABELS if task == "classify" else TEXTS
    model = regard.train(given, out=tmp_path / "run", task=task, preset=None, steps=2, settings=TINY[task])
    assert model.config.task == task
    assert model.measures(given) == regard.load(tmp_path / "run").measures(given)
    with pytest.raises(UserError, match=f"task {task}: the settings are of a model of kind `seq2seq`"):
        regard.train(given, out=tmp_path / "other", task=task, preset="small")
    with pytest.raises(UserError, match="is not one of transduce, classify, language"):
        regard.train(given, out=tmp_path / "other", task="translate")  # type: ignore[arg-type]


def test_pairs_from_a_program_must_be_pairs(tmp_path: Path) -> None:
    for bad in [["ab", "cd"], [("a", "b", "c")], [("a", 3)], [1], [None], [("a\ud800", "b")]]:
        with pytest.raises(UserError, match="pair 0"):
            regard.train(bad, out=tmp_path / "run")  # type: ignore[arg-type]
    for name, value in (("columns", "2,1"), ("format", "csv")):
        with pytest.raises(UserError, match=f"data.{name} = '{value}': is for files"):
            regard.train(letters(60), out=tmp_path / "run", settings={"data": {name: value}})


def test_columns_of_a_file_beside_pairs_of_a_program(tmp_path: Path) -> None:
    (tmp_path / "turned.tsv").write_text("".join(f"{target}\t{source}\n" for source, target in letters(60)))
    prepared = begin(
        tmp_path / "run",
        pairs=str(tmp_path / "turned.tsv"),
        valid=letters(5, seed=9),
        settings={**SMALL, "data": {"columns": "2,1"}},
    )
    assert {(pair.source, pair.target) for pair in prepared.corpus.train} == set(letters(60))


def test_a_model_that_was_changed_or_is_not_whole_is_refused(tmp_path: Path) -> None:
    run.run(begin(tmp_path / "run", steps=2))
    config = tmp_path / "run" / "model" / "config.json"
    before = config.read_text()
    config.write_text(before.replace('"seed": 1', '"seed": 2'))
    with pytest.raises(UserError, match=r"config\.json: was changed"):
        regard.load(tmp_path / "run")
    config.write_text(before)
    (tmp_path / "run" / "model" / "tokeniser.source.json").unlink()
    with pytest.raises(UserError, match=r"tokeniser\.source\.json: cannot be read"):
        regard.load(tmp_path / "run")
    with pytest.raises(UserError, match="is not a model"):
        regard.load(tmp_path)
    with pytest.raises(UserError, match="no such directory"):
        regard.load(tmp_path / "nothing")


def test_a_model_can_be_read_by_those_who_may(tmp_path: Path) -> None:
    run.run(begin(tmp_path / "run", steps=2))
    (tmp_path / "usual").touch()
    modes = {path.stat().st_mode for path in (tmp_path / "run").rglob("*") if path.is_file()}
    assert modes == {(tmp_path / "usual").stat().st_mode}


def test_a_model_holds_no_path(tmp_path: Path) -> None:
    source = tmp_path / "pairs.tsv"
    source.write_text("".join(f"{a}\t{b}\n" for a, b in letters(60)))
    run.run(begin(tmp_path / "run", pairs=str(source), steps=2))
    for file in (tmp_path / "run" / "model").iterdir():
        assert str(tmp_path).encode() not in file.read_bytes(), file.name


def test_shared_matrices_are_stored_once(tmp_path: Path) -> None:
    settings = {**SMALL, "text": {"joint": True}, "model": {"embedding": {"share": "all"}}}
    run.run(begin(tmp_path / "run", settings=settings, steps=2))
    stored = load_file(tmp_path / "run" / "model" / "model.safetensors")
    assert "source.weight_VE" in stored and "target.weight_VE" not in stored and "output.weight_VE" not in stored
    assert regard.load(tmp_path / "run").task.network.output.weight_VE.shape == stored["source.weight_VE"].shape


def test_tensorboard_is_written(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    settings = {**SMALL, "train": {**SMALL["train"], "tensorboard": True}}
    run.run(begin(tmp_path / "run", settings=settings, steps=7))
    board = accumulator.EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    board.Reload()
    assert len(board.Scalars("train/loss")) == 7
    assert [scalar.step for scalar in board.Scalars("valid/loss")] == [7]


def test_the_first_pair_is_the_first_of_the_file_also_when_it_is_held_back() -> None:
    pairs = [Pair.of(" ", "dropped"), *(Pair.of(str(number), "x") for number in range(4))]
    found = [assemble(pairs, None, Settings(data=DataSettings(train=""), seed=seed)) for seed in range(12)]
    assert {corpus.first for corpus in found} == {pairs[1]}
    assert any(pairs[1] in corpus.valid for corpus in found)
