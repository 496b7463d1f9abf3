from __future__ import annotations

import os
import pkgutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
import torch

import regard
import regard.cli
from regard.cli import main
from regard.cli.main import COMMANDS

ROOT = Path(regard.__file__).parents[1]
HEAVY = ("torch", "numpy", "rich", "msgspec", "matplotlib", "sacrebleu", "tokenizers")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
HELPS = [[], *([name] for name in COMMANDS), ["data", "make"]]


def start(*args: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "regard", *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )


def test_the_table_names_every_command() -> None:
    names = [module.name for module in pkgutil.iter_modules(regard.cli.__path__)]
    assert {name for name in names if hasattr(import_module(f"regard.cli.{name}"), "command")} == set(COMMANDS)


@pytest.mark.parametrize("args", HELPS, ids=" ".join)
def test_help_is_narrow_and_ends_with_an_example(command: Callable, args: list[str]) -> None:
    ended = command(*args, "--help")
    assert (ended.code, ended.err) == (0, "")
    text, _, examples = ended.out.partition("Examples:\n")
    assert all(len(line) <= 80 for line in text.splitlines())
    assert examples.strip().startswith("regard "), ended.out
    assert ended.out == command(*args, "-h").out


def test_without_a_command_help_is_shown(command: Callable) -> None:
    assert command() == command("--help")
    assert command("data") == command("data", "--help")


def test_version(command: Callable) -> None:
    assert command("--version").out == f"regard {regard.__version__}\n"


def test_help_and_misspelt_words_import_nothing_heavy() -> None:
    lines = [*([*args, "--help"] for args in HELPS), *([*args, "--no-such-option"] for args in HELPS), ["trnslate"]]
    code = (
        f"import sys; from regard.cli.main import run; codes = {{run(line) for line in {lines}}}; "
        f"print(codes, [name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=ENVIRONMENT, check=True, text=True)
    assert done.stdout.splitlines()[-1] == "{0, 2} []"


def test_help_is_quick() -> None:
    begun = time.monotonic()
    with start("--help") as process:
        process.communicate()
    assert process.returncode == 0
    assert time.monotonic() - begun < 2  # a tenth of a second on an idle machine; torch alone would take longer


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["trnslate"], "there is no command `trnslate`; did you mean `translate`? (regard --help)"),
        (["train", "--stpes", "3"], "there is no option --stpes; did you mean `--steps`? (regard train --help)"),
        (["inspect", "--peices"], "there is no option --peices; did you mean `--pieces`? (regard inspect --help)"),
        (["--vresion"], "there is no option --vresion; did you mean `--version`? (regard --help)"),
        (["translate"], "missing argument 'MODEL' (regard translate --help)"),
        (["translate", ".", "--beam", "0"], "'--beam': 0 is not in the range x>=1 (regard translate --help)"),
        (["translate", "no/such"], "'MODEL': Directory 'no/such' does not exist (regard translate --help)"),
    ],
)
def test_usage_errors_are_one_line(command: Callable, args: list[str], said: str) -> None:
    ended = command(*args)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("regard: error: ")
    assert ended.err.endswith(f"{said}\n")
    assert ended.err.count("\n") == 1


def stopping(monkeypatch: pytest.MonkeyPatch, reason: BaseException) -> None:
    """A command `stop` that ends so."""

    @click.command()
    def stop() -> None:
        raise reason

    monkeypatch.setitem(main.COMMANDS, "stop", "")
    monkeypatch.setitem(sys.modules, "regard.cli.stop", SimpleNamespace(command=stop))  # type: ignore[arg-type]


def test_an_interrupted_run_says_how_to_go_on(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    from regard.run.conduct import Interrupted

    for device, option in (("cpu", ""), ("cuda:0", " --device cuda:0")):
        stopping(monkeypatch, Interrupted(Path("runs/x"), signal.SIGTERM, 7, device))
        ended = command("stop")
        assert ended.code == 128 + signal.SIGTERM
        assert ended.err == f"regard: stopped at step 7; go on with: regard train --resume runs/x{option}\n"


def test_ctrl_c_is_quiet(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    stopping(monkeypatch, KeyboardInterrupt())
    ended = command("stop")
    assert (ended.code, ended.out, ended.err) == (130, "", "")


@pytest.mark.parametrize(
    "reason", [MemoryError(), torch.OutOfMemoryError("x"), RuntimeError("DefaultCPUAllocator: can't allocate memory")]
)
def test_too_little_memory_says_what_to_do(
    command: Callable, monkeypatch: pytest.MonkeyPatch, reason: Exception
) -> None:
    stopping(monkeypatch, reason)
    ended = command("stop")
    assert ended.code == 2 and ended.err.count("\n") == 1 and "not enough memory: give smaller batches" in ended.err


def test_what_only_we_can_cause_is_not_hidden(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    stopping(monkeypatch, AssertionError("ours"))
    with pytest.raises(AssertionError, match="ours"):
        command("stop")
    stopping(monkeypatch, RuntimeError("ours"))
    with pytest.raises(RuntimeError, match="ours"):
        command("stop")


def test_a_slow_pipe_is_answered_at_once_and_ctrl_c_ends_it(trained: Path) -> None:
    with start("translate", trained) as process:
        assert process.stdin and process.stdout and process.stderr
        for line in (b"ab\n", b"\n", b"cde\n"):
            process.stdin.write(line)
            process.stdin.flush()
            # the pipe is still open: this returns only if the answer was not held back
            assert process.stdout.readline().endswith(b"\n")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr.read() == b""


def test_a_closed_input_is_an_empty_one(trained: Path) -> None:
    words = ["sh", "-c", 'exec "$0" -m regard "$@" <&-', sys.executable]
    ended = subprocess.run([*words, "translate", trained], capture_output=True, env=ENVIRONMENT, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_ctrl_c_is_heard_while_an_object_is_thrown_away() -> None:
    code = """
import signal, time
from regard.cli import main

class Thrown:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def invoke(ctx):
    Thrown()
    time.sleep(60)

main.commands.invoke = invoke
main.main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "info"], capture_output=True, env=ENVIRONMENT, timeout=50, check=False
    )
    assert (done.returncode, done.stderr) == (130, b"")


def test_a_reader_that_has_enough_is_no_error(trained: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.write_text("ab\n" * 30_000)
    with start("translate", trained, texts, "--beam", "1") as process:
        assert process.stdout and process.stderr
        assert process.stdout.readline() != b""
        process.stdout.close()
        assert process.wait(timeout=60) == 141
        assert process.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_a_full_output_is_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "regard", "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.endswith(b"standard output: No space left on device\n") and done.stderr.count(b"\n") == 1


def test_closed_outputs_are_no_error(tmp_path: Path) -> None:
    line = f'"{sys.executable}" -m regard data make copy --out "{tmp_path / "made"}" >&- 2>&-'
    assert subprocess.run(line, shell=True, env=ENVIRONMENT, check=False).returncode == 0
    assert (tmp_path / "made" / "train.tsv").exists()


def test_output_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    code = (
        f"from regard.cli.main import run; print('é', run(['data', 'make', 'copy', '--out', {str(tmp_path / 'é')!r}]))"
    )
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)
    assert done.stdout.endswith("é 0\n".encode())
