"""What the recurrent models learn, and how well: `make bench-foundation`, or `python bench/foundation.py PART …`.

Parts: startup, demo, tasks (each with no settings), multi30k (needs REGARD_DATA; 20 minutes). Results are small files
under bench/results/foundation/. Nothing else should run on the machine meanwhile.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "foundation"
REGARD = [sys.executable, "-m", "regard"]


def regard(*arguments: str) -> tuple[str, float]:
    """Run a command; its standard output and how long it took."""
    begun = time.monotonic()
    done = subprocess.run([*REGARD, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout, time.monotonic() - begun


def evaluate(*arguments: str) -> dict[str, float]:
    found = json.loads(regard("evaluate", *arguments, "--json")[0])
    return {f"{m['name']} {m['signature']}": round(m["value"], 2) for m in found["measures"]}


def startup() -> dict[str, Any]:
    """The best of ten, in milliseconds: what the machine can do when it is not disturbed."""

    def milliseconds(*arguments: str) -> float:
        times = []
        for _ in range(10):
            begun = time.monotonic()
            subprocess.run([*REGARD, *arguments], capture_output=True, check=False)
            times.append(time.monotonic() - begun)
        return round(1000 * min(times))

    return {"regard --help": milliseconds("--help"), "regard train --stpes 3": milliseconds("train", "--stpes", "3")}


def demo() -> dict[str, Any]:
    """Three seeds: time, scores on held-out combinations, and whether the two famous maps are right."""
    return {f"seed {seed}": one_demo(seed) for seed in (1, 2, 3)}


def one_demo(seed: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "demo"
        text, seconds = regard("demo", "--out", str(out), "--seed", str(seed))
        (RESULTS / f"demo-seed{seed}.txt").write_text(text.replace(place, "runs"), encoding="utf-8")
        gold = str(out / "data" / "test.align")
        measures = evaluate(str(out / "run"), str(out / "data" / "test.tsv"), "--alignments", gold)
        return {"seconds": round(seconds), **measures, "maps": showcase(out / "run")}


def showcase(run: Path) -> dict[str, bool]:
    """Whether every target word that has a sure link looks hardest at such a link."""
    import regard as package
    from regard.evaluate.alignment import links
    from regard.explain.inspection import word_weights
    from regard.text.make.pie import SHOWCASE

    model = package.load(run)
    right = {}
    for example in SHOWCASE:
        inspection = model.inspect(example.source)
        sure = {tuple(map(int, link.split("-"))) for link in example.links.split() if "-" in link}
        looked = {link for link in links(word_weights(inspection)) if link[1] in {t for _, t in sure}}
        right[example.source] = inspection.target == example.target and looked <= sure and len(looked) > 0
    return right


def tasks() -> dict[str, Any]:
    """`regard train` with no settings at all."""
    found = {}
    for name in ("addition", "dates", "reverse"):
        with tempfile.TemporaryDirectory() as place:
            data, run = Path(place) / "data", Path(place) / "run"
            regard("data", "make", name, "--out", str(data))
            _, seconds = regard("train", str(data / "train.tsv"), "--out", str(run))
            found[name] = {"seconds": round(seconds), **evaluate(str(run), str(data / "test.tsv"))}
            keep(run, f"{name}.events.jsonl")
    return found


def multi30k() -> dict[str, Any]:
    """English to German, raw text, no settings but the time; five translations with their maps."""
    raw = Path(os.environ["REGARD_DATA"]) / "multi30k" / "raw"
    test = f"{raw}/test_2016_flickr.en,{raw}/test_2016_flickr.de"
    out = Path(os.environ.get("REGARD_RUNS", tempfile.mkdtemp())) / "multi30k"
    _, seconds = regard(
        "train", f"{raw}/train.en.gz,{raw}/train.de.gz", "--valid", f"{raw}/val.en,{raw}/val.de",
        "--out", str(out), "--minutes", "20",
    )  # fmt: skip
    hypotheses = RESULTS / "multi30k.test_2016_flickr.de"
    measures = evaluate(str(out), test, "--output", str(hypotheses))
    greedy = evaluate(str(out), test, "--beam", "1")
    keep(out, "multi30k.events.jsonl")
    sources = Path(f"{raw}/test_2016_flickr.en").read_text(encoding="utf-8").splitlines()
    maps = [regard("inspect", str(out), source)[0] for source in sources[:5]]
    (out / "maps.txt").write_text("\n\n".join(maps), encoding="utf-8")
    return {"seconds": round(seconds), "beam 5": measures, "greedy": greedy}


def keep(run: Path, name: str) -> None:
    (RESULTS / name).write_bytes((run / "events.jsonl").read_bytes())


PARTS = {"startup": startup, "demo": demo, "tasks": tasks, "multi30k": multi30k}


def main() -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    chosen = sys.argv[1:] or [name for name in PARTS if name != "multi30k" or "REGARD_DATA" in os.environ]
    for name in chosen:
        found = PARTS[name]()
        (RESULTS / f"{name}.json").write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        print(name, json.dumps(found, indent=2, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
