"""The machine's matrix peak: large products, one after the other, in operations a second."""

from __future__ import annotations

import time

import torch
from pace import Pace

SIZE = 2048


def main() -> None:
    pace = Pace()
    a, b, c = (torch.randn(SIZE, SIZE).to(getattr(torch, pace.job["precision"])) for _ in range(3))
    torch.mm(a, b, out=c)
    pace.say(threads=torch.get_num_threads())
    while True:
        pace.wait()
        count, begun = 0, time.monotonic()
        while (seconds := time.monotonic() - begun) < pace.job["seconds"]:
            torch.mm(a, b, out=c)
            count += 1
        pace.say(rate=2 * SIZE**3 * count / seconds)


if __name__ == "__main__":
    main()
