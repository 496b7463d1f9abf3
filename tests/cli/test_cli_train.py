"""regard train and regard demo as a person meets them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from regard.cli.progress import Lines
from regard.cli.train import duration
from regard.text.make.pie import SHOWCASE
from regard.training import events

PAIRS = "".join(f"{'ab' * (n % 7 + 1)}{n % 10}\t{n % 10}{'ba' * (n % 7 + 1)}\n" for n in range(60)).encode()
QUICK = ("--preset", "tiny", "--steps", "4")


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_bytes(PAIRS)
    return path


def test_train_says_what_it_will_do_and_what_came_of_it(command: Callable, pairs: Path, tmp_path: Path) -> None:
    ended = command("train", pairs, "--out", tmp_path / "run", *QUICK)
    assert ended.code == 0
    for word in ("pairs", "dropped", "source", "target", "model", "parameters", "memory", "time", "regard translate"):
        assert word in ended.out
    assert "valid" in ended.err, "a plain line where there is no terminal"
    assert "\x1b" not in ended.out + ended.err
    assert command("translate", tmp_path / "run", stdin=b"abab1\n").out.count("\n") == 1


def test_a_dry_run_needs_no_place(command: Callable, pairs: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    assert command("train", pairs, *QUICK, "--dry-run").code == 0
    assert command("train", pairs, "--out", tmp_path, *QUICK, "--dry-run").code == 0
    assert sorted(tmp_path.rglob("*")) == before


def test_names_of_languages_and_labels_that_are_none_are_told(command: Callable, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("English\tfr\n" + "".join(f"a{number}\tb{number}\n" for number in range(30)))
    said = command("train", path, "--dry-run", *QUICK).out
    assert "looks like a header: if it is one, say --columns English,fr" in said
    assert "labels for" not in said
    assert "labels for 30 texts: are they labels?" in command("train", path, "--task", "classify", "--dry-run").out


def test_a_dry_run_prints_the_settings_and_writes_nothing(command: Callable, pairs: Path, tmp_path: Path) -> None:
    ended = command("train", pairs, "--out", tmp_path / "run", *QUICK, "--dry-run", "--set", "model.decoder.size=48")
    assert ended.code == 0
    assert "[model.decoder]" in ended.out and "size = 48" in ended.out and "steps = 4" in ended.out
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "model.decodr.size=3"], "no setting `model.decodr`; did you mean `decoder`?"),
        (["--set", "model.decoder.wiring.score.kind=dott"], "did you mean `dot`?"),
        (["--set", "model.decoder.size=0"], "model.decoder.size: expected `int` >= 1"),
        (
            ["--set", "model.decoder.wiring.score.kind=dot", "--set", "model.decoder.size=7"],
            "set model.decoder.size=128",
        ),
        (["--set", "model.embedding.share=all"], "set text.joint=true"),
        (
            ["--set", "model.embedding.size=9007199254740992"],
            "there is not enough memory",
        ),
        (
            ["--set", "model.embedding.around={kind='ngrams',orders=[3,3]}"],
            "model.embedding.around.orders = [3, 3]: says one of them twice",
        ),
        (["--preset", "tinny"], "did you mean `tiny`?"),
        (["--minutes", "3"], "steps or of minutes, not both"),
        (["--stpes", "3"], "did you mean `--steps`?"),
        (["--settings", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["--device", "abacus"], "--device abacus"),
        (["--columns", "1,9"], "column"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_before_training(
    command: Callable, pairs: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    ended = command("train", pairs, "--out", tmp_path / "run", *QUICK, *arguments)
    assert ended.code == 2
    assert message in ended.err and ended.err.count("\n") == 1 and "Traceback" not in ended.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("silence", "said"), [(0.0, True), (100.0, False)])
def test_who_waits_for_many_pairs_is_told_for_what(
    command: Callable, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, silence: float, said: bool
) -> None:
    monkeypatch.setattr("regard.cli.progress.SECONDS_OF_SILENCE", silence)
    ended = command("train", pairs, "--dry-run", *QUICK)
    assert ended.code == 0 and ("preparing them" in ended.err) == said


def test_a_name_that_is_not_utf8_is_refused(command: Callable, pairs: Path, tmp_path: Path) -> None:
    name = tmp_path / os.fsdecode(b"caf\xe9.tsv")
    name.write_bytes(pairs.read_bytes())
    ended = command("train", name, "--out", tmp_path / "run", *QUICK)
    assert ended.code == 2 and "its name is not UTF-8; rename it" in ended.err and ended.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\tb\nalone\n", ":2: has one column"),
        (b"", "has no pairs"),
        (b"a\tb\nc\t\xff\n", ":2: is not UTF-8"),
        (b"a\t\n \tb\n", "no pair is left of 2: dropped 2 empty"),
        (b"a\tb\tc\n", "--columns"),
    ],
)
def test_bad_pairs_are_named(command: Callable, tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "bad.tsv").write_bytes(content)
    ended = command("train", tmp_path / "bad.tsv", "--out", tmp_path / "run", *QUICK)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert message in ended.err
    assert not (tmp_path / "run").exists()


def test_out_that_exists_and_missing_arguments(command: Callable, pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    ended = command("train", pairs, "--out", tmp_path / "run")
    assert ended.code == 2 and "exists already" in ended.err
    assert "needs --out" in command("train", pairs).err
    assert "needs PAIRS" in command("train", "--out", tmp_path / "x").err
    assert "--seed cannot be given" in command("train", "--resume", tmp_path / "run", "--seed", "3").err
    assert "is not a run" in command("train", "--resume", tmp_path / "run").err


def test_pairs_from_a_pipe_can_be_resumed(command: Callable, tmp_path: Path) -> None:
    assert command("train", "-", "--out", tmp_path / "run", *QUICK, stdin=PAIRS).code == 0
    ended = command("train", "--resume", tmp_path / "run", "--steps", "6")
    assert ended.code == 0 and "after step 4" in ended.out


def test_ctrl_c_saves_and_says_how_to_go_on(pairs: Path, tmp_path: Path) -> None:
    """A real process and a real signal."""
    out = tmp_path / "run"
    options = ["--preset", "tiny", "--steps", "100000", "--set", "train.validate_every=100000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "regard", "train", str(pairs), "--out", str(out), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    deadline = time.monotonic() + 60
    while not (out / "events.jsonl").exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    time.sleep(0.5)  # a few steps
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert f"regard train --resume {out}" in said and "Traceback" not in said
    assert list((out / "checkpoints").glob("step-*/progress.json"))


def test_durations_are_said_as_people_say_them() -> None:
    assert [duration(x) for x in (3.2, 200, 7500)] == ["3 s", "3 min 20 s", "2 h 5 min"]


def test_plain_lines_tell_the_time_left(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = iter(range(0, 1000, 20))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    lines = Lines(100)
    for step in (1, 2, 3):
        lines.stepped(step, 1.5, 1000.0)
    lines.happened(events.Validated(3, 1.25, "BLEU", 20.0, True))
    said = capsys.readouterr().err.splitlines()
    assert said[1] == "step 2 of 100  loss 1.500  1,000 tokens/s  32:40 left"
    assert said[-1] == "step 3 of 100  valid loss 1.250 BLEU 20.00 *"


def test_the_demo_refuses_a_directory_that_is_not_its_own(command: Callable, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    ended = command("demo", "--out", tmp_path)
    assert ended.code == 2 and "thesis.tex" in ended.err
    assert (tmp_path / "thesis.tex").exists()


def test_the_demo_walks_through_the_whole_house(
    command: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few steps, so that it is quick: what it learns is tested elsewhere."""
    from regard.run import conduct
    from regard.text import make as embedded

    options, make = conduct.options, embedded.make
    monkeypatch.setattr(conduct, "options", lambda seed: options(seed=seed, steps=3))
    monkeypatch.setattr(embedded, "make", lambda name, out, seed: make(name, out, seed=seed, size=300))
    for _ in range(2):  # a second time too
        ended = command("demo", "--out", tmp_path / "demo")
        assert ended.code == 0, ended.err
        for text in (SHOWCASE[0].source, SHOWCASE[1].source, "AER", "exact", "attention.html"):
            assert text in ended.out
    assert "<script" not in (tmp_path / "demo" / "attention.html").read_text()


def test_the_first_pair_is_shown_so_that_a_header_is_seen(command: Callable, tmp_path: Path) -> None:
    """Long sides are cut."""
    path = tmp_path / "numbers.csv"
    path.write_text("digits,words\n" + "".join(f"{number},{number}{' nine' * 20}\n" for number in range(40)))
    said = command("train", path, "--out", tmp_path / "run", "--dry-run", *QUICK).out
    assert "first      digits → words\n" in said
    said = command("train", path, "--columns", "words,digits", "--out", tmp_path / "run", "--dry-run", *QUICK).out
    assert "first      0 nine nine nine nine nine nine… → 0\n" in said


def test_columns_that_were_named_are_known_again(command: Callable, tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("words,digits\n" + "".join(f"number {number},{number}\n" for number in range(40)))
    assert command("train", path, "--columns", "digits,words", "--out", tmp_path / "run", *QUICK).code == 0
    assert command("evaluate", tmp_path / "run", path).out.startswith("40 pairs\n")
    assert command("score", tmp_path / "run", path) == command(
        "score", tmp_path / "run", path, "--columns", "digits,words"
    )
    turned = tmp_path / "plain.tsv"
    turned.write_text("1\tnumber 1\n2\tnumber 2\n")
    assert command("evaluate", tmp_path / "run", turned).out.startswith("2 pairs\n"), "a table without a header"
    jsonl = tmp_path / "numbers.jsonl"
    jsonl.write_text('{"words": "number 1", "digits": "1"}\n')
    assert command("evaluate", tmp_path / "run", jsonl).out.startswith("1 pairs\n")
