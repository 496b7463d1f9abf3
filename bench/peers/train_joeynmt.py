"""JoeyNMT trains: its own loop, held up where it writes its log. Tokens and seconds are those of its log, which counts
target tokens with the end symbol and without padding, and leaves validation out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from joey import settings
from joeynmt.training import TrainManager, train
from pace import Pace


def main() -> None:
    pace = Pace()
    num_tokens, seconds, ready = 0, 0.0, False

    def log_scores(manager: TrainManager, epoch: int, elapsed: float, start_tokens: int, *rest: Any) -> None:
        nonlocal num_tokens, seconds, ready
        log(manager, epoch, elapsed, start_tokens, *rest)
        num_tokens, seconds = num_tokens + manager.stats.total_tokens - start_tokens, seconds + elapsed
        if not ready and manager.stats.steps >= pace.job["warm_up"]:
            parameters = sum(p.numel() for p in manager.model.parameters())
            pace.say(parameters=parameters, threads=torch.get_num_threads())
        elif ready and seconds >= pace.job["seconds"]:
            pace.say(rate=num_tokens / seconds)
        else:
            return
        pace.wait()
        num_tokens, seconds, ready = 0, 0.0, True

    log = TrainManager._log_scores
    TrainManager._log_scores = log_scores
    Path(pace.job["out"]).mkdir(parents=True, exist_ok=True)
    train(rank=0, world_size=None, cfg=settings(pace.job), skip_test=True)


if __name__ == "__main__":
    main()
