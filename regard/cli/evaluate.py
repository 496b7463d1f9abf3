"""regard evaluate"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from regard.cli import options

if TYPE_CHECKING:
    from regard.evaluate.alignment import Gold
    from regard.evaluate.by_length import Bucket
    from regard.model import Evaluation
    from regard.text.pair import Pair

EXAMPLES = """\b
Examples:
  regard evaluate runs/mine test.tsv
  regard evaluate runs/ende test.en,test.de --beam 10 --by-length
  regard evaluate runs/pie test.tsv --alignments test.align --json
"""


@click.command(epilog=EXAMPLES)
@options.model
@options.pairs
@options.columns
@options.format_
@options.beam
@options.sets
@click.option("--by-length", is_flag=True, help="Also for short and long sources apart.")
@click.option(
    "--alignments",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="GOLD",
    help="Word links (a line a pair: 0-0 1p2) to measure the attention against.",
)
@click.option(
    "--tokenize", type=click.Choice(["13a", "intl", "char", "none"]), default="13a", show_default=True, help="For BLEU."
)
@click.option("--json", "as_json", is_flag=True, help="The numbers as JSON.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Also write the model's outputs, one a line.",
)
@options.workers
@options.device
def command(
    model: Path,
    pairs: str,
    columns: str | None,
    format_: str | None,
    beam: int | None,
    sets: tuple[str, ...],
    by_length: bool,
    alignments: Path | None,
    tokenize: str,
    as_json: bool,
    output: Path | None,
    workers: int | None,
    device: str,
) -> None:
    """Measure the outputs of MODEL for the sources of PAIRS.

    PAIRS is a file of pairs (tsv, csv, jsonl, also .gz or .xz), two files joined by a comma (test.en,test.de), or - for
    standard input. Which measures are shown depends on what the model writes: text, characters or pronunciations.
    """
    from regard import files
    from regard.cli.look import one_line
    from regard.text import readers

    given = list(readers.read(pairs, columns=columns, format=format_))
    golds = None if alignments is None else _golds(alignments, given)

    from regard.model import load

    loaded = load(model, device=device)
    if golds is not None:
        loaded.align(given[:1])  # a model that has no attention says so before the long part
    settings = options.searching(loaded, beam, sets)
    found = loaded.evaluate(
        given, settings=settings, lengths=by_length, golds=golds, tokenize=tokenize, workers=workers
    )
    if output is not None:
        with options.writing(output):
            files.write(output, "".join(f"{one_line(text)}\n" for text in found.hypotheses))
    click.echo(_json(found) if as_json else _text(found))


def _golds(path: Path, pairs: list[Pair]) -> list[Gold]:
    from regard.evaluate.alignment import check_gold, read_gold
    from regard.text.words import words

    golds = read_gold(path)
    check_gold(path, golds, [(len(words(pair.source)), len(words(pair.target))) for pair in pairs])
    return golds


def _text(found: Evaluation) -> str:
    from regard.cli.look import aligned

    rows = [[measure.name, f"{measure.value:.2f}", measure.signature] for measure in found.measures]
    text = f"{len(found.hypotheses):,} pairs\n\n" + aligned([["measure", "value", "signature"], *rows], right={1})
    if found.buckets:
        names = [measure.name for measure in found.measures]
        lines = [
            [_span(bucket), f"{bucket.count:,}", *(f"{measure.value:.2f}" for measure in bucket.measures)]
            for bucket in found.buckets
        ]
        text += "\n\n" + aligned([["source length", "pairs", *names], *lines], right=range(1, 2 + len(names)))
    return text


def _span(bucket: Bucket) -> str:
    if bucket.high is None:
        return f"{bucket.low} and more"
    return str(bucket.low) if bucket.low == bucket.high else f"{bucket.low} to {bucket.high}"


def _json(found: Evaluation) -> str:
    import msgspec

    table = {
        "pairs": len(found.hypotheses),
        "measures": [measure.to_json() for measure in found.measures],
        "buckets": [
            {
                "low": bucket.low,
                "high": bucket.high,
                "count": bucket.count,
                "measures": [measure.to_json() for measure in bucket.measures],
            }
            for bucket in found.buckets
        ],
    }
    return msgspec.json.format(msgspec.json.encode(table), indent=2).decode()
