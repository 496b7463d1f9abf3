"""Ctrl-C, SIGTERM and SIGHUP (a lost connection) as a wish that the loop grants between two steps, all being whole."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

PATIENCE = 3.0  # seconds


@contextlib.contextmanager
def wishes_to_stop() -> Iterator[Callable[[], int]]:
    """A function that tells the signal that arrived, 0 if none did.

    Impatient people press twice, so a second Ctrl-C soon after the first is the same wish; a later one stops at once.
    """
    arrived, when = 0, 0.0

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal arrived, when
        if arrived and time.monotonic() - when > PATIENCE:
            raise KeyboardInterrupt("stopped at once; what came after the last checkpoint is lost")
        if not arrived:
            arrived, when = number, time.monotonic()

    if threading.current_thread() is not threading.main_thread():
        yield lambda: 0  # signals are the main thread's
        return
    heard = [signal.SIGINT, signal.SIGTERM]
    # whoever is told to outlive a lost connection (nohup) does
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        heard.append(signal.SIGHUP)
    before = {number: signal.signal(number, note) for number in heard}
    try:
        yield lambda: arrived
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
