"""regard classify"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from regard.cli import options

EXAMPLES = """\b
Examples:
  regard classify runs/trec questions.txt > labels.txt
  echo "How far is it from Denver to Aspen ?" | regard classify runs/trec --json
"""


@click.command(epilog=EXAMPLES)
@options.model
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True), default="-")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line, with the probability of each label.")
@options.workers
@options.device
def command(model: Path, file: str, as_json: bool, workers: int | None, device: str) -> None:
    """Give each line of FILE a label, in order.

    MODEL is a run or a model directory. Without FILE, lines are read from standard input and answered as they come.
    A blank line becomes a blank line.
    """
    import msgspec

    from regard.cli.lines import answered, as_they_come, prompted, warn_of_tabs
    from regard.cli.look import one_line
    from regard.model import Classifier
    from regard.text.readers import read_lines

    loaded = options.load(Classifier, model, device, "classify")
    lines = read_lines(file)
    batches = prompted(lines) if file == "-" and sys.stdin.isatty() else as_they_come(lines)
    batches = warn_of_tabs(batches, file)
    for texts, labels in answered(batches, lambda texts, _: loaded.classify(texts, workers=workers), file):
        for text, found in zip(texts, labels, strict=True):
            if not text.strip():  # a blank line stays one
                print(msgspec.json.encode({"text": text, "label": None}).decode() if as_json else "")
                continue
            row = {"text": text, **msgspec.to_builtins(found)}
            print(msgspec.json.encode(row).decode() if as_json else one_line(found.label))
        sys.stdout.flush()
