"""Lines to be translated together, each as soon as it is there."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from queue import Empty, Queue

MOST = 1000  # lines taken together


def as_they_come(lines: Iterator[str]) -> Iterator[list[str]]:
    """Wait for a line, then take what else is there: a slow pipe is answered at once, a file in large batches.

    What goes wrong in reading is raised after the lines before it were handed out.
    """
    queue: Queue[str | Exception | None] = Queue(maxsize=MOST)

    def feed() -> None:
        try:
            for line in lines:
                queue.put(line)
            queue.put(None)
        except Exception as error:
            queue.put(error)

    threading.Thread(target=feed, daemon=True).start()
    while True:
        batch: list[str] = []
        item = queue.get()
        while isinstance(item, str):
            batch.append(item)
            if len(batch) == MOST:
                break
            try:
                item = queue.get_nowait()
            except Empty:
                break
        if batch:
            yield batch
        if item is None:
            return
        if isinstance(item, Exception):
            raise item


def prompted(lines: Iterator[str]) -> Iterator[list[str]]:
    """Each line that a person types, asked for by a prompt that does not go to standard output."""
    print("Type a text and press Enter; Ctrl-D ends.", file=sys.stderr)
    while True:
        print("> ", end="", file=sys.stderr, flush=True)
        line = next(lines, None)
        if line is None:
            print(file=sys.stderr)
            return
        yield [line]
