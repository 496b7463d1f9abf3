"""What tests of several rooms need: a small trained model, and a way to run commands in this process."""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from regard.cli.main import run
from regard.model import Model, load
from regard.run.conduct import train


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that learnt for a second to turn letters around, a word or two at a time."""
    rng = random.Random(1)
    sources = [" ".join("".join(rng.choices("abcde", k=rng.randint(1, 3))) for _ in range(2)) for _ in range(300)]
    out = tmp_path_factory.mktemp("runs") / "reverse"
    settings = {
        "text": {"source": {"kind": "char"}, "target": {"kind": "char"}},
        "train": {"validate_every": 30, "validate_pairs": 10, "batch_tokens": 512},
    }
    train([(text, text[::-1]) for text in sources], out=out, preset="tiny", settings=settings, steps=60)
    return out


@pytest.fixture(scope="session")
def model(trained: Path) -> Model:
    return load(trained)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """`command("translate", model, stdin=b"…")` is `regard translate MODEL`, in this process."""

    def call(*args: object, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = run([str(arg) for arg in args])
        said = capsys.readouterr()
        return Ended(code, said.out, said.err)

    return call
