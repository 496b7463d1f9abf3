"""regard score"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import click

from regard.cli import options

EXAMPLES = """\b
Examples:
  regard score runs/mine pairs.tsv
  regard score runs/mine texts.fr,texts.en --json
"""
TOGETHER = 1000  # pairs


@click.command(epilog=EXAMPLES)
@options.model
@options.pairs
@options.columns
@options.format_
@options.with_
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line: also the texts and the mean of a token.")
@options.device
def command(
    model: Path,
    pairs: str,
    columns: str | None,
    format_: str | None,
    others: tuple[Path, ...],
    as_json: bool,
    device: str,
) -> None:
    """Print log P(target | source) of each of PAIRS, or log P(line) of a language model, a line each, in order.

    The logarithm is natural, and the end of the target is counted (a running text has none). PAIRS is a file of pairs
    (tsv, csv, jsonl, also .gz or .xz), two files joined by a comma, or - for standard input.
    """
    import msgspec

    from regard.cli.kinds import columns_of, reads_pictures, task_of
    from regard.text import readers
    from regard.text.pictures import beside

    if task_of(model) == "language":
        options.refuse(
            "a language model scores lines of plain text", {"--columns": columns, "--format": format_, "--with": others}
        )
        _lines(model, pairs, as_json, device)
        return
    given = readers.read(pairs, columns=columns, usual=columns_of(model), format=format_)
    if reads_pictures(model):
        given = (replace(pair, source=beside(pairs, pair.source)) for pair in given)
    part = list(islice(given, TOGETHER))  # what is wrong with the first lines is said before anything slow

    from regard.model import Translator

    loaded = options.load(Translator, model, device, "score", others)
    while part:
        logprobs = loaded.score(part)
        targets = loaded.task.target.encode_all([pair.target for pair in part])
        for pair, logprob, tokens in zip(part, logprobs, targets, strict=True):
            row = {
                "source": pair.source,
                "target": pair.target,
                "logprob": logprob,
                "tokens": len(tokens) + 1,  # the end is one too
                "mean": logprob / (len(tokens) + 1),
            }
            click.echo(msgspec.json.encode(row).decode() if as_json else f"{logprob:.4f}")
        part = list(islice(given, TOGETHER))


def _lines(model: Path, name: str, as_json: bool, device: str) -> None:
    """log P of each line of a text."""
    import msgspec

    from regard.cli.lines import answered
    from regard.model import LanguageModel
    from regard.text.readers import read_lines

    lines = read_lines(name)
    first = list(islice(lines, TOGETHER))
    loaded = options.load(LanguageModel, model, device, "score")
    batches = chain([first], iter(lambda: list(islice(lines, TOGETHER)), []))
    for texts, found in answered(batches, lambda texts, _: loaded.task.logprobs(texts), name):
        for text, logprob_T in zip(texts, found, strict=True):
            total, count = float(logprob_T.sum()), len(logprob_T)
            row = {"text": text, "logprob": total, "tokens": count, "mean": total / count if count else 0.0}
            click.echo(msgspec.json.encode(row).decode() if as_json else f"{total:.4f}")
