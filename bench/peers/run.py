"""Measures regard beside its peers: `make bench`, or `python bench/peers/run.py [training decoding startup length]`.

In one run the programs take turns, so that a busy machine is busy for all of them. What is measured and how stands in
docs/bench.md. Results go to bench/results/peers/: a JSON file a part, and table.md of all parts that are there.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

import decoding
import length
import startup
import training
from conduct import ROOT, Found, Lost, Peer, Plan, program, say
from shape import SHAPE

PARTS = {"training": training, "decoding": decoding, "startup": startup, "length": length}
TITLES = {"training": "Training", "decoding": "Decoding", "startup": "Start-up", "length": "Length and vocabulary"}
LENGTHS = (25, 50, 100, 200, 400, 800, 1600)


def main() -> None:
    options = read_options()
    data = os.environ.get("REGARD_DATA", "")
    without = {"length"} if options.model is None else {"length", "startup"}
    if set(options.parts) - without and not (Path(data) / "multi30k" / "tok").is_dir():
        sys.exit("bench: Multi30k is needed: set REGARD_DATA to the directory that holds multi30k/tok (docs/bench.md)")
    if options.model is not None and not options.model.is_dir():
        sys.exit(f"bench: --model {options.model}: there is no such directory")
    if options.check:
        return
    plan = planned(options)
    texts = read_texts(plan, data) if {"training", "decoding"} & set(options.parts) else {}
    model = find_model(plan, data) if {"decoding", "startup"} & set(options.parts) else Path()
    results = plan.work / "results" if options.tiny else Path(options.out)
    results.mkdir(parents=True, exist_ok=True)
    for part in options.parts:
        arguments: dict[str, tuple[Any, ...]] = {
            "training": (texts, data),
            "decoding": (data, model),
            "startup": (model,),
            "length": (),
        }
        found = {"machine": machine(plan), **PARTS[part].measure(plan, *arguments[part])}
        (results / f"{part}.json").write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    page = write_page(results)
    print(page)
    say(f"written to {results}")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all if none is given")
    parser.add_argument("--model", type=Path, help="a recurrent model to translate with; one is trained if not given")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=6, help="of training in a slice")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", type=Path, default=ROOT / "runs" / "bench", help="for texts, models and logs")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "results" / "peers")
    parser.add_argument("--tiny", action="store_true", help="only to see that all runs: results stay in --work")
    parser.add_argument("--check", action="store_true", help="only see whether the data are there")
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"{part}: is not one of {', '.join(PARTS)}")
    options.parts = options.parts or list(PARTS)
    return options


def planned(options: argparse.Namespace) -> Plan:
    tiny = options.tiny
    return Plan(
        rounds=1 if tiny else options.rounds,
        seconds=0.5 if tiny else options.seconds,
        warm_up=10 if tiny else 50,  # JoeyNMT is slower by a fifth in its first 30
        threads=options.threads,
        batch=64,
        num_sentences=128 if tiny else 1000,
        lengths=LENGTHS[:2] if tiny else LENGTHS,
        vocabularies=(1000,) if tiny else (1000, 8000, 32000),
        starts=2 if tiny else 6,
        minutes=0.5 if tiny else 2,
        work=(options.work / "tiny" if tiny else options.work).absolute(),
        model=options.model,
    )


def read_texts(plan: Plan, data: str) -> Found:
    job = {"data": data, "out": str(plan.work / "texts"), "vocabulary": SHAPE.vocabulary, "batch": plan.batch}
    try:
        peer = Peer(plan, "texts", "regard", "texts.py", job)
    except Lost as lost:
        sys.exit(f"bench: {lost}")
    peer.close()
    return peer.facts


def find_model(plan: Plan, data: str) -> Path:
    """The model that was given, or one that an earlier run has trained, or a new one."""
    if plan.model is not None:
        return plan.model.absolute()
    out, tok = plan.work / "model", Path(data) / "multi30k" / "tok"
    if (out / "model").exists():
        say(f"translating with {out}, which an earlier run has trained")
        return out
    say(f"training a model for {plan.minutes:g} minutes, to translate with")
    sides = [f"text.{side}.kind=bpe" for side in ("source", "target")]
    sizes = [f"model.embedding.size={SHAPE.embedding}", f"model.encoder.size={SHAPE.encoder}"]
    sizes += [f"model.decoder.size={SHAPE.decoder}", f"model.decoder.wiring.score.size={SHAPE.attention}"]
    sizes += [f"text.{side}.size={SHAPE.vocabulary}" for side in ("source", "target")]
    done = program(
        plan, "-m", "regard", "train", f"{tok}/train.lc.norm.tok.en.gz,{tok}/train.lc.norm.tok.de.gz",
        "--valid", f"{tok}/val.lc.norm.tok.en,{tok}/val.lc.norm.tok.de", "--out", str(out), "--overwrite",
        "--minutes", str(plan.minutes), "--preset", "base",
        *(word for setting in [*sides, *sizes] for word in ("--set", setting)),
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"bench: {done.stderr.strip()}")
    return out


def machine(plan: Plan) -> Found:
    """What the figures depend on."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        processor = platform.processor()
    versions = program(plan, "-c", "import torch, regard; print(torch.__version__, regard.__version__)").stdout.split()
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "threads": plan.threads,
        "rounds": plan.rounds,
        "python": platform.python_version(),
        "torch": versions[0],
        "regard": versions[1],
    }


def write_page(results: Path) -> str:
    parts = []
    for part, module in PARTS.items():
        file = results / f"{part}.json"
        if file.exists():
            found = json.loads(file.read_text(encoding="utf-8"))
            of = ", ".join(f"{name} {value}" for name, value in found["machine"].items())
            parts.append(f"## {TITLES[part]}\n\n{module.tables(found)}\n\n({of})")
    page = "# regard and its peers\n\nWritten by `make bench`; docs/bench.md says what is measured.\n\n"
    page += "\n\n".join(parts) + "\n"
    (results / "table.md").write_text(page, encoding="utf-8")
    return page


if __name__ == "__main__":
    main()
