"""How a program of the comparison is paced, from its own side; standard library only.

It gets its job as JSON on the command line, makes itself ready and says so, then for each line on its standard input
measures one slice and says what it found, a JSON line each. Between slices it waits and computes nothing.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO


class Pace:
    def __init__(self) -> None:
        self.job: dict[str, Any] = json.loads(sys.argv[1])
        self._answers: TextIO = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)  # what a library prints must not be taken for an answer

    def say(self, **found: Any) -> None:
        print(json.dumps(found), file=self._answers, flush=True)

    def wait(self) -> dict[str, Any]:
        """What to measure in the next slice. When there is none, the program ends here, whatever it was doing."""
        line = sys.stdin.readline()
        if not line:
            os._exit(0)
        return dict(json.loads(line))
