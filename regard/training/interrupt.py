"""Ctrl-C and SIGTERM as a wish that the loop grants between two steps, when everything is whole."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def wishes_to_stop() -> Iterator[Callable[[], int]]:
    """A function that tells the signal that arrived, 0 if none did. A second Ctrl-C is not a wish: it stops at once."""
    arrived = 0

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal arrived
        if arrived:
            raise KeyboardInterrupt
        arrived = number

    if threading.current_thread() is not threading.main_thread():
        yield lambda: 0  # signals are the main thread's
        return
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: arrived
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
