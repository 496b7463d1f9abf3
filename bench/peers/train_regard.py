"""regard trains: its own loop, as `regard train` runs it, stopped and continued by a watcher between two updates."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec
from pace import Pace

from regard import config
from regard.models import Seq2SeqSettings
from regard.run import conduct, plan
from regard.training import events, loop
from regard.training.checkpoint import Progress

ENDLESS = 10**6  # more steps than anybody waits for: no validation ever comes


def settings(job: dict[str, Any]) -> config.Plain:
    shape = job["shape"]
    dropout, tokeniser = shape["dropout"], {"kind": "bpe", "size": shape["vocabulary"]}
    wiring: config.Plain = {"kind": shape["wiring"], "score": {"kind": "additive", "size": shape["attention"]}}
    model: config.Plain = {
        "embedding": {"size": shape["embedding"], "share": "none", "dropout": dropout},
        "encoder": {"cell": "gru", "size": shape["encoder"], "dropout": dropout},
        "decoder": {"cell": "gru", "size": shape["decoder"], "dropout": dropout, "wiring": wiring},
    }
    if "fast" in job:
        model["fast"] = job["fast"]
    return {
        "text": {"source": tokeniser, "target": tokeniser},
        "model": model,
        "train": {"steps": ENDLESS, "minutes": None, "batch_tokens": job["batch_tokens"], "validate_every": ENDLESS}
        | ({"precision": job["precision"]} if "precision" in job else {}),
    }


class Turns:
    """Lets the loop go on for a slice, then holds it up until the next one."""

    def __init__(self, pace: Pace, prepared: plan.Prepared) -> None:
        self.pace = pace
        self.parameters, self.workers = prepared.num_parameters, prepared.settings.train.workers
        # the loop says how fast it is, not how many tokens it took: the same batches come by here
        train = prepared.settings.train
        self.batches = loop.stream(prepared.epochs, train.batch_tokens, prepared.settings.seed, Progress())
        self.num_tokens, self.begun = 0, 0.0

    def stepped(self, step: int, loss: float, tokens_per_second: float) -> None:
        self.num_tokens += sum(example.num_tokens for example in next(self.batches)[2])
        seconds, job = time.monotonic() - self.begun, self.pace.job
        if step == job["warm_up"]:
            self.pace.say(parameters=self.parameters, threads=self.workers)
        elif step > job["warm_up"] and seconds >= job["seconds"]:
            self.pace.say(rate=self.num_tokens / seconds)
        else:
            return
        self.pace.wait()
        self.num_tokens, self.begun = 0, time.monotonic()

    def happened(self, event: events.Event) -> None:
        pass


def main() -> None:
    pace = Pace()
    job, tok = pace.job, Path(pace.job["data"]) / "multi30k" / "tok"
    if "fast" in job and "fast" not in msgspec.structs.asdict(Seq2SeqSettings()):
        pace.say(absent="this regard has no setting model.fast")
        return
    prepared = plan.prepare_new(
        f"{tok}/train.lc.norm.tok.en.gz,{tok}/train.lc.norm.tok.de.gz",
        valid=f"{tok}/val.lc.norm.tok.en,{tok}/val.lc.norm.tok.de",
        out=job["out"],
        layers=[settings(job)],
        overwrite=True,
    )
    conduct.run(prepared, Turns(pace, prepared))


if __name__ == "__main__":
    main()
