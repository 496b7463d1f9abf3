"""Decoding: sentences of the test set a second, greedy and with a beam of 5."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from statistics import median
from typing import Any

from conduct import PYTHONS, Found, Lost, Peer, Plan, alternate, begin, say
from report import number, spread, table
from shape import AFTER

USUAL = 15  # sub-words of a German caption, the end symbol included
TURNS = {"greedy": {"beam": 1}, "beam 5": {"beam": 5}}


class Command(Peer):
    """`regard translate` as a whole, from its start to its end."""

    def __init__(self, plan: Plan, name: str, model: Path, test: Path) -> None:
        self.name, self.plan, self.model, self.facts = name, plan, model, {}
        self.lines = test.read_text(encoding="utf-8").splitlines(keepends=True)[: plan.num_sentences]

    def go(self, **what: Any) -> Found:
        command = [str(PYTHONS["regard"]), "-m", "regard", "translate", str(self.model), "--beam", str(what["beam"])]
        begun = time.monotonic()
        done = subprocess.run(
            command, input="".join(self.lines), capture_output=True, text=True, env=self.plan.environment, check=False
        )
        seconds = time.monotonic() - begun
        if done.returncode or len(done.stdout.splitlines()) != len(self.lines):
            raise Lost(done.stderr.strip())
        return {"rate": len(self.lines) / seconds}

    def close(self) -> None:
        pass


def measure(plan: Plan, data: str, model: Path) -> Found:
    say("decoding")
    test = Path(data) / "multi30k" / "tok" / "test_2016_flickr.lc.norm.tok.en"
    ours = {"model": str(model), "test": str(test), "num_sentences": plan.num_sentences}
    first = begin(plan, "regard", "regard", "decode_regard.py", {**ours, "batch": None})
    num_steps = first.facts["num_steps"] if first else USUAL
    if num_steps < USUAL / 2:
        say(f"  outputs of {num_steps} steps are those of a model that has learnt little: better give one with --model")
    theirs = {
        "texts": str(plan.work / "texts"),
        "batch": plan.batch,
        "num_steps": num_steps,
        "num_sentences": plan.num_sentences,
        "shape": AFTER.to_json(),
        "threads": plan.threads,
    }
    name = f"regard, batches of {plan.batch}"
    peers = [
        first,
        begin(plan, name, "regard", "decode_regard.py", {**ours, "batch": plan.batch}),
        Command(plan, "the command regard translate", model, test),
        begin(
            plan, "JoeyNMT 2.3.0", "joeynmt", "decode_joeynmt.py", theirs | {"out": str(plan.work / "runs" / "joey")}
        ),
    ]
    for kind in ("float32", "int8"):
        job = theirs | {"type": kind, "out": str(plan.work / "runs" / f"ctranslate2-{kind}")}
        peers.append(begin(plan, f"CTranslate2 4.8, {kind}", "ctranslate2", "decode_ctranslate2.py", job))
    found = alternate(peers, plan.rounds, TURNS.values())
    facts = {peer.name: peer.facts for peer in peers if peer is not None}
    programs = {
        name: {**facts[name], **{turn: [one["rate"] for one in said] for turn, said in zip(TURNS, turns, strict=True)}}
        for name, turns in found.items()
    }
    return {"num_steps": num_steps, "num_sentences": plan.num_sentences, "batch": plan.batch, "programs": programs}


def tables(found: Found) -> str:
    ours = found["programs"].get("regard")
    rows = []
    for name, one in found["programs"].items():
        row = [name, f"{one['parameters']:,}" if "parameters" in one else ""]
        for turn in TURNS:
            ratio = median(a / b for a, b in zip(ours[turn], one[turn], strict=True)) if ours else None
            row += [number(median(one[turn])), spread(one[turn]), f"{ratio:.2f}" if ratio else ""]
        rows.append(row)
    heads = [head for turn in TURNS for head in (turn, "least–most", "regard is × as fast")]
    steps = (
        f"Sentences a second. An output of regard takes {found['num_steps']} steps on average, the others' all as many."
    )
    return table(["program", "parameters", *heads], rows) + f"\n\n{steps}"
