"""What every measurement does: train a run once, tell facts of it, measure it."""

from __future__ import annotations

import datetime
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
RUNS = Path(os.environ.get("REGARD_RUNS", ROOT / "runs" / "attention"))
REGARD = [sys.executable, "-m", "regard"]
SEEDS = (1, 2, 3, 4, 5)
Row = dict[str, Any]
Rows = Iterator[tuple[str, Callable[[], Row]]]  # what each row is called, and what measures it
# commands and stories take steps and one core, so that two of them can be measured side by side
ONE_CORE = {"train.workers": 1, "text.source.kind": "word", "text.target.kind": "word"}


def regard(*arguments: str) -> str:
    print("$ regard", *arguments, file=sys.stderr, flush=True)
    return subprocess.run([*REGARD, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def sets(settings: dict[str, Any]) -> list[str]:
    """--set a.b=c for each setting; a table becomes one option for each of its leaves, its kind first."""
    options: list[str] = []

    def walk(path: str, value: Any) -> None:
        if isinstance(value, dict):
            for name in sorted(value, key=lambda name: name != "kind"):
                walk(f"{path}.{name}", value[name])
        else:
            options.extend(["--set", f"{path}={str(value).lower() if isinstance(value, bool) else value}"])

    for path, value in settings.items():
        walk(path, value)
    return options


def train(name: str, *options: str) -> Path:
    """A run of this name, trained unless it is there: by the same options and the same recipe."""
    out, took = RUNS / name, RUNS / name / "took.json"
    recipe = options[options.index("--settings") + 1] if "--settings" in options else None
    asked = {"options": list(options), "recipe": Path(recipe).read_text(encoding="utf-8") if recipe else None}
    if took.exists():
        if {**asked, "seconds": 0} != {**json.loads(took.read_text(encoding="utf-8")), "seconds": 0}:
            sys.exit(f"bench/attention.py: {out}: was trained with other settings; remove it, and it is trained again")
        return out
    begun = time.monotonic()
    regard("train", "--out", str(out), *(["--overwrite"] if out.exists() else []), *options)
    took.write_text(json.dumps({**asked, "seconds": time.monotonic() - begun}), encoding="utf-8")
    return out


def facts(run: Path) -> Row:
    config = json.loads((run / "model" / "config.json").read_text(encoding="utf-8"))
    seconds = json.loads((run / "took.json").read_text(encoding="utf-8"))
    return {
        "date": datetime.date.today().isoformat(),
        "parameters": config["training"]["parameters"],
        "steps": config["training"]["steps"],
        "minutes": round((seconds["seconds"] if isinstance(seconds, dict) else seconds) / 60, 1),
        "validation": config["measures"],
    }


def evaluated(run: Path, pairs: str, *options: str) -> Row:
    """The measures of a run on its test, and how they were computed."""
    found = json.loads(regard("evaluate", str(run), pairs, *options, "--json"))["measures"]
    return {
        "test": {measure["name"]: measure["value"] for measure in found},
        "signatures": {measure["name"]: measure["signature"] for measure in found},
    }


def data(name: str) -> str:
    return ",".join(f"{os.environ['REGARD_DATA']}/{part}" for part in name.split(","))


def mean(values: list[float]) -> dict[str, Any]:
    return {"mean": statistics.mean(values), "deviation": statistics.stdev(values), "values": values}
