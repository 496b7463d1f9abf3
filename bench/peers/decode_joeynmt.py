"""JoeyNMT translates: its own `predict` over the test set, with random weights that never say the end symbol, so that
every sentence takes the same given number of steps."""

from __future__ import annotations

import time
from pathlib import Path

import torch
from joey import settings
from joeynmt.config import parse_global_args
from joeynmt.prediction import predict, prepare
from pace import Pace


def main() -> None:
    pace = Pace()
    job = pace.job
    Path(job["out"]).mkdir(parents=True, exist_ok=True)
    args = parse_global_args(settings(job), rank=0, mode="train")
    model, _, _, test = prepare(args, rank=0, mode="train")
    with torch.no_grad():  # its logit is 0, and among thousands of others there are always five above that
        model.decoder.output_layer.weight[model.eos_index] = 0
    for lines in test.data.values():
        del lines[job["num_sentences"] :]
    test.reset_indices()

    def translate(beam: int) -> list[list[str]]:
        testing = args.test._replace(beam_size=beam, max_output_length=job["num_steps"])
        return predict(model, test, args.device, n_gpu=0, args=testing, autocast=args.autocast)[3]

    found = translate(5)
    assert all(len(tokens) == job["num_steps"] for tokens in found), "every output has its full length"
    pace.say(parameters=sum(p.numel() for p in model.parameters()), threads=torch.get_num_threads())
    while True:
        beam, begun = pace.wait()["beam"], time.monotonic()
        translate(beam)
        pace.say(rate=len(found) / (time.monotonic() - begun))


if __name__ == "__main__":
    main()
