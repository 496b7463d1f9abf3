"""Start-up: the best of several, in milliseconds: what the machine can do when it is not disturbed."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from conduct import PYTHONS, Found, Plan, say
from report import table


def measure(plan: Plan, model: Path) -> Found:
    say("startup")
    regard, joeynmt = str(PYTHONS["regard"]), str(PYTHONS["joeynmt"])
    commands = {
        "python -c pass": [regard, "-c", "pass"],
        "regard --help": [regard, "-m", "regard", "--help"],
        "regard translate MODEL, one sentence": [regard, "-m", "regard", "translate", str(model)],
        "python -c 'import torch'": [regard, "-c", "import torch"],
        "joeynmt --help": [joeynmt, "-m", "joeynmt", "--help"],
    }
    environment = plan.environment
    times: dict[str, list[float]] = {name: [] for name, command in commands.items() if Path(command[0]).exists()}
    for _ in range(plan.starts):
        for name in times:
            begun = time.monotonic()
            subprocess.run(commands[name], input=b"a man sleeps .\n", capture_output=True, env=environment, check=True)
            times[name].append(time.monotonic() - begun)
    return {"milliseconds": {name: [round(1000 * one, 1) for one in sorted(taken)] for name, taken in times.items()}}


def tables(found: Found) -> str:
    rows = [[name, f"{min(times):.0f}"] for name, times in found["milliseconds"].items()]
    return table(["command", "milliseconds"], rows)
