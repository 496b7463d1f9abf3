"""Lines to be translated together, each as soon as it is there."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from queue import Empty, Queue
from typing import TypeVar

from regard.errors import TextError, UserError
from regard.text.readers.lines import title

T = TypeVar("T")

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
        item = _waited_for(queue)
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


def _waited_for(queue: Queue[T]) -> T:
    """What comes next. Ctrl-C in the moment before a wait begins is noticed only after it: so no wait is long."""
    while True:
        try:
            return queue.get(timeout=0.5)
        except Empty:
            pass


def answered(
    batches: Iterator[list[str]], answer: Callable[[list[str], int], list[T]], name: str
) -> Iterator[tuple[list[str], list[T]]]:
    """Texts and their answers, a batch at a time; an answer is told how many texts there were before its batch.

    What is wrong with a text is said with its line, after those before it were answered.
    """
    done = 0
    for texts in batches:
        try:
            found = answer(texts, done)
        except TextError as error:
            if error.number:
                before = texts[: error.number]
                yield before, answer(before, done)
            raise UserError(f"{title(name)}:{done + error.number + 1}: {error}") from None
        yield texts, found
        done += len(texts)


def warn_of_tabs(batches: Iterator[list[str]], name: str) -> Iterator[list[str]]:
    """The same batches; the first text with a tab in it is most often a whole pair."""
    done, warned = 0, False
    for texts in batches:
        tabbed = next((number for number, text in enumerate(texts, start=done + 1) if "\t" in text), None)
        if tabbed and not warned:
            print(
                f"regard: warning: {title(name)}:{tabbed}: has a tab: if this is a file of pairs, give their sources "
                "alone (cut -f1)",
                file=sys.stderr,
            )
            warned = True
        done += len(texts)
        yield texts


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
