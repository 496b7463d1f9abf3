"""The few pairs that tests of `evaluate` and `score` share, as files."""

from __future__ import annotations

from pathlib import Path

PAIRS = [("ab c", "c ba"), ("de", "ed"), ("a b c d", "d c b a"), ("cc dd", "dd cc")]
LINKS = "0-1 1-0\n0-0\n0-3 1-2 2-1 3-0\n0p1 1-0\n"


def write_pairs(path: Path) -> Path:
    path.write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    return path


def write_links(path: Path) -> Path:
    path.write_text(LINKS)
    return path
