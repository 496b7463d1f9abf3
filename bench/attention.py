"""What self-attention and its relatives reach: `python bench/attention.py NAME …` (needs REGARD_DATA)

NAME is one of
    ladder        Multi30k en→de, 20 minutes for each step from no attention to the Transformer
    shakespeare   language models, 10 minutes each: recurrent, with attention to its past, Transformer
    trec, sst     classifiers: structured self-attention, with and without its penalty
    scan, babi    commands to actions, and stories with questions to answers
    pictures      digits in pictures to text
    decoding      sentences a second, beam 5, of the Transformer and of the hybrid, in turn (their recipes come first)
    table         writes the tables of docs/attention.md from what was measured
or one of them and a part of a row's name: `'ladder/attention alone'`, for these rows only.
Results are small files under bench/results/attention/, written row by row: what is there already is not measured again
(remove it, and it is). Runs go to REGARD_RUNS (default: runs/attention). One at a time, nothing beside it
(scan and babi count steps on one core: those two may run side by side).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from measured.babi import babi
from measured.decoding import decoding
from measured.labels import sst, trec
from measured.ladder import ladder
from measured.pictures import pictures
from measured.scan import scan
from measured.shakespeare import shakespeare
from measured.tools import ROOT, Row, Rows

RESULTS = ROOT / "bench" / "results" / "attention"
PAGE = ROOT / "docs" / "attention.md"
PARTS: dict[str, Callable[[], Rows]] = {
    "ladder": ladder,
    "shakespeare": shakespeare,
    "trec": trec,
    "sst": sst,
    "scan": scan,
    "babi": babi,
    "pictures": pictures,
    "decoding": decoding,
}


def main() -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    for argument in sys.argv[1:] or [*PARTS, "table"]:
        name, _, only = argument.partition("/")
        if name == "table":
            table()
            continue
        if name not in PARTS:
            sys.exit(f"bench/attention.py: {name}: is not one of {', '.join(PARTS)}, table")
        if name != "pictures" and "REGARD_DATA" not in os.environ:
            sys.exit("bench/attention.py: REGARD_DATA is not set: it names the directory of the data (docs/recipes.md)")
        file = RESULTS / f"{name}.json"
        found: dict[str, Row] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        if name == "decoding" and not all(row in found for row, _ in decoding()):
            found = {}  # in turn, or not at all
        for row, measure in PARTS[name]():
            if row not in found and only in row:
                found[row] = measure()
                print(row, json.dumps(found[row], ensure_ascii=False), flush=True)
                in_order = {row: found[row] for row, _ in PARTS[name]() if row in found}
                text = json.dumps(in_order, indent=2, ensure_ascii=False)
                file.write_text(text + "\n", encoding="utf-8")


def table() -> None:
    """Put what was measured between its marks in docs/attention.md."""
    page = PAGE.read_text(encoding="utf-8")
    for file in sorted(RESULTS.glob("*.json")):
        begin, end = f"<!-- {file.stem} -->", f"<!-- end of {file.stem} -->"
        if begin in page:
            before, _, rest = page.partition(begin)
            _, _, after = rest.partition(end)
            page = f"{before}{begin}\n{rows(json.loads(file.read_text()))}\n{end}{after}"
    PAGE.write_text(page, encoding="utf-8")


def rows(found: dict[str, dict[str, Any]]) -> str:
    """A row a variant: its parameters and minutes, and whatever was measured on the test set."""
    measured = [
        {
            **one.get("test", {}),
            **{name: value for name, value in one.items() if name != "minutes" and _is_measure(value)},
        }
        for one in found.values()
    ]
    names = list(dict.fromkeys(name for one in measured for name in one))
    lines = ["| | parameters | minutes | steps | " + " | ".join(names) + " |", "|---" * (4 + len(names)) + "|"]
    for (name, one), values in zip(found.items(), measured, strict=True):
        cells = [_shown(values.get(measure)) for measure in names]
        said = f"{one['parameters']:,} | {one['minutes']} | {one['steps']:,}"
        lines.append(f"| {name} | {said} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _is_measure(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, dict) and "mean" in value)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return f"{value['mean']:.2f} ± {value['deviation']:.2f}"
    return "" if value is None else f"{value:.2f}"


if __name__ == "__main__":
    main()
