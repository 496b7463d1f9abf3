"""Programs that take turns: each is started and warmed up, and only the one whose turn it is computes."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PYTHONS = {
    "regard": Path(sys.executable),
    "joeynmt": ROOT / ".venv-joeynmt" / "bin" / "python",
    "ctranslate2": ROOT / ".venv-ctranslate2" / "bin" / "python",
}

Found = dict[str, Any]


class Lost(Exception):  # noqa: N818
    """A program that gave no answer."""


@dataclass(frozen=True)
class Plan:
    """What is asked of a whole run."""

    rounds: int
    seconds: float  # of a slice
    warm_up: int  # updates before the first slice of training
    threads: int
    batch: int  # sentences
    num_sentences: int  # to translate
    lengths: tuple[int, ...]
    vocabularies: tuple[int, ...]
    starts: int
    minutes: float  # to train the model that translates, if none is given
    work: Path  # a place for texts, models and logs
    model: Path | None

    @property
    def environment(self) -> dict[str, str]:
        """For every program: as many threads as were asked for, and no others."""
        return os.environ | {"OMP_NUM_THREADS": str(self.threads), "MKL_NUM_THREADS": str(self.threads)}


class Peer:
    """One program in its own environment. `facts` is what it said when it was ready."""

    def __init__(self, plan: Plan, name: str, env: str, script: str, job: Found) -> None:
        self.name = name
        self.log = plan.work / "logs" / f"{name.replace(' ', '-').replace(',', '')}.txt"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        if not PYTHONS[env].exists():
            raise Lost(f"there is no {PYTHONS[env].parent.parent.name}; `make bench` sets it up")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [str(PYTHONS[env]), str(HERE / script), json.dumps(job)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=plan.environment,
            )  # fmt: skip
        self.facts = self._answer()
        if "absent" in self.facts:
            self.close()
            raise Lost(self.facts["absent"])

    def go(self, **what: Any) -> Found:
        """One slice."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # the answer that does not come says so
            self.process.stdin.write(json.dumps(what) + "\n")
            self.process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()  # which the program takes for its end
        self.process.stdout.close()
        self.process.wait()

    def _answer(self) -> Found:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.close()
            last = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            raise Lost(f"{' '.join(last) or 'ended'} (its log is {self.log})")
        return dict(json.loads(line))


def begin(plan: Plan, name: str, env: str, script: str, job: Found) -> Peer | None:
    """A program that is ready, or None and a line that says why not: the others are measured all the same."""
    say(f"  {name}: getting ready")
    try:
        return Peer(plan, name, env, script, job)
    except Lost as lost:
        say(f"  {name}: left out: {lost}")
        return None


def alternate(peers: Iterable[Peer | None], rounds: int, turns: Iterable[Found]) -> dict[str, list[list[Found]]]:
    """A B C A B C …: for each program, for each of `turns`, what it found in each round. Closes the programs."""
    living = [peer for peer in peers if peer is not None]
    turns = list(turns)
    found: dict[str, list[list[Found]]] = {peer.name: [[] for _ in turns] for peer in living}
    try:
        for number in range(rounds):
            for turn, what in enumerate(turns):
                for peer in list(living):
                    try:
                        found[peer.name][turn].append(peer.go(**what))
                    except Lost as lost:
                        say(f"  {peer.name}: left out: {lost}")
                        living.remove(peer)
                        del found[peer.name]
            say(f"  round {number + 1} of {rounds}")
    finally:
        for peer in living:
            peer.close()
    return found


def program(plan: Plan, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in regard's environment, as it would be typed."""
    command = [str(PYTHONS["regard"]), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=plan.environment, check=False)


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
