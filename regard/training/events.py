"""What happens in a run, one JSON line each. Nothing in `events.jsonl` depends on the clock, unless the run was given a
time and its end is planned anew; all in `timings.jsonl` does."""

from __future__ import annotations

from pathlib import Path

import msgspec

from regard import files
from regard.errors import UserError


class _Event(msgspec.Struct, frozen=True, tag_field="event"):
    step: int


class Learnt(_Event, frozen=True, tag="learnt"):
    """How it goes: the loss since the last such line, the rest as it is now."""

    loss: float  # mean −log p of a token
    learning_rate: float
    gradient_norm: float


class Validated(_Event, frozen=True, tag="validated"):
    loss: float
    measure: str
    value: float
    best: bool


class Planned(_Event, frozen=True, tag="planned"):
    """The clock goes faster or slower than the calibration had it: so many steps shall there be now."""

    steps: int


class Ended(_Event, frozen=True, tag="ended"):
    reason: str  # "steps", "patience", "minutes"
    chosen: str  # "step 1200" or "average of the last 5 validations"
    loss: float
    measure: str
    value: float


class Timed(_Event, frozen=True, tag="timed"):
    """To `timings.jsonl`."""

    seconds: float
    tokens_per_second: float


Event = Learnt | Validated | Planned | Ended
_ANY = msgspec.json.Decoder(Event | Timed)


def append(path: Path, event: Event | Timed) -> None:
    with files.named(path), path.open("ab") as file:
        file.write(msgspec.json.encode(event) + b"\n")


def read(path: Path) -> list[Event]:
    """The events of a run; a last line that was cut off by a crash is passed over."""
    events: list[Event] = []
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    for number, line in enumerate(lines[:-1], start=1):
        try:
            events.append(_ANY.decode(line))
        except msgspec.MsgspecError as error:
            raise UserError(f"{path}:{number}: is not an event of a run: {error}") from None
    return events


def rewind(path: Path, step: int, *, anew: bool = False) -> None:
    """Forget what came after `step`: a resumed run tells it again, word for word. `anew`: its plan is another one."""
    passed = (Ended, Planned) if anew else Ended
    kept = [event for event in read(path) if event.step <= step and not isinstance(event, passed)]
    files.write(path, b"".join(msgspec.json.encode(event) + b"\n" for event in kept))
