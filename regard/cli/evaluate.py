"""regard evaluate"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from regard.cli import options
from regard.errors import UserError

if TYPE_CHECKING:
    from regard.cli.evaluated import System
    from regard.evaluate.alignment import Gold
    from regard.evaluate.sacre import Tokenize
    from regard.text.pair import Pair

EXAMPLES = """\b
Examples:
  regard evaluate runs/mine test.tsv
  regard evaluate runs/ende test.en,test.de --beam 10 --by-length
  regard evaluate runs/pie test.tsv --alignments test.align --json
  regard evaluate runs/mine test.tsv --against runs/other --against outputs.txt
  regard evaluate runs/mine test.tsv --against runs/other --figure lengths.svg
  regard evaluate runs/mine test.tsv --with runs/other --against runs/mine
"""


@click.command(epilog=EXAMPLES)
@options.model
@options.pairs
@options.columns
@options.format_
@options.beam
@options.sets
@options.with_
@click.option(
    "--against",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    metavar="OTHER",
    help="Compare with another model or a text file of outputs, one a line. Can be repeated.",
)
@click.option("--by-length", is_flag=True, help="Also for short and long sources apart.")
@options.file("--figure", (".svg", ".png"), "Draw the first of the measures by source length.")
@click.option(
    "--alignments",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="GOLD",
    help="Word links (a line a pair: 0-0 1p2) to measure the attention against.",
)
@click.option(
    "--tokenize",
    type=click.Choice(["13a", "intl", "zh", "char", "none"]),
    help="For BLEU, which is then also shown for characters and pronunciations. [default: 13a]",
)
@click.option("--json", "as_json", is_flag=True, help="The numbers as JSON.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    callback=options.check_place,
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
    others: tuple[Path, ...],
    against: tuple[Path, ...],
    by_length: bool,
    figure: Path | None,
    alignments: Path | None,
    tokenize: Tokenize | None,
    as_json: bool,
    output: Path | None,
    workers: int | None,
    device: str,
) -> None:
    """Measure the outputs of MODEL for the sources of PAIRS.

    PAIRS is a file of pairs (tsv, csv, jsonl, also .gz or .xz), two files joined by a comma (test.en,test.de), or - for
    standard input; for a classifier texts and their labels, for a language model a file of plain text. Which measures
    are shown depends on what the model writes: text, characters, pronunciations, labels.

    With --against, p tells how easily chance alone makes a difference as great: below 0.05 it is usually believed.
    """
    from regard import files
    from regard.cli import evaluated
    from regard.cli.kinds import columns_of, labels_of, reads_pictures, task_of
    from regard.cli.look import one_line
    from regard.cli.systems import Work, prepared
    from regard.text import readers
    from regard.text.labelled import labelled
    from regard.text.pictures import beside

    if len(against) >= evaluated.MOST:
        raise UserError(f"--against: {len(against)} systems are too many: at most {evaluated.MOST - 1} can be compared")
    if output is not None:
        _check_apart(output, [*readers.files_of(pairs), *against, *([alignments] if alignments else [])])
    if others and alignments:
        raise UserError("--alignments: are measured against where one model looks, and several write: leave --with out")
    task = task_of(model)
    for path in against:
        if path.is_dir() and task_of(path) != task:
            raise UserError(f"{path}: is a model of another task than {model}: their measures are not the same")
    if task == "language":
        options.refuse(
            "a language model is measured on plain text",
            {
                "--columns": columns,
                "--format": format_,
                "--beam": beam,
                "--set": sets,
                "--with": others,
                "--against": against,
                "--by-length": by_length,
                "--figure": figure,
                "--alignments": alignments,
                "--output": output,
                "--tokenize": tokenize,
            },
        )
        click.echo(_of_texts(model, pairs, as_json=as_json, workers=workers, device=device))
        return
    given = list(readers.read(pairs, columns=columns, usual=columns_of(model), format=format_))
    if reads_pictures(model):
        options.refuse(
            "a picture has no words", {"--by-length": by_length, "--figure": figure, "--alignments": alignments}
        )
        given = [replace(pair, source=beside(pairs, pair.source)) for pair in given]
    if task == "classify":
        options.refuse(
            "a classifier gives labels",
            {
                "--beam": beam,
                "--set": sets,
                "--with": others,
                "--alignments": alignments,
                "--tokenize": tokenize,
            },
        )
        given = labelled(given, labels_of(model))
    golds = None if alignments is None else _golds(alignments, given)

    work = Work(given, beam, sets, align=golds is not None, device=device, workers=workers)
    compared = [(str(path), prepared(path, work, pairs)) for path in against]

    from regard.evaluate.classes import by_class
    from regard.evaluate.significance import compare
    from regard.model import Classifier, Translator, load
    from regard.tasks.evaluation import Evaluation, Outputs, evaluate

    loaded = load(model, *others, device=device)
    assert isinstance(loaded, Translator | Classifier)
    kinds = loaded.task.kinds
    if golds is not None and isinstance(loaded, Translator):
        loaded.check_attends()

    def measured(outputs: Outputs) -> Evaluation:
        lengths = by_length or figure is not None
        return evaluate(outputs, given, kinds, lengths=lengths, golds=golds, tokenize=tokenize)

    found = measured(work.outputs(loaded))
    del loaded  # one model at a time
    if output is not None:
        with options.writing(output):
            files.write(output, "".join(f"{one_line(text)}\n" for text in found.hypotheses))
        click.echo(f"wrote {output}", err=True)
    systems = [evaluated.System(" with ".join(map(str, [model, *others])), found)]
    for name, outputs in compared:
        held = measured(outputs())
        systems.append(evaluated.System(name, held, compare(found.counts, held.counts)))
    classes = by_class(found.hypotheses, [pair.target for pair in given]) if task == "classify" else []
    click.echo((evaluated.json if as_json else evaluated.text)(systems, by_length=by_length, classes=classes))
    if figure is not None:
        _draw(systems, given, figure)


def _check_apart(output: Path, inputs: Sequence[str | Path]) -> None:
    """Refuse to write over what is read, and over what belongs to a run or a model."""
    if not output.exists():
        return
    if any(str(name) != "-" and Path(name).exists() and output.samefile(name) for name in inputs):
        raise UserError(f"--output {output}: is read, too; choose another name")
    if any((output.resolve().parent / name).exists() for name in ("settings.json", "SHA256SUMS")):
        raise UserError(f"--output {output}: is a file of a run or a model; choose another name")


def _of_texts(model: Path, name: str, *, as_json: bool, workers: int | None, device: str) -> str:
    """The measures of a language model, for a text or its lines."""
    import msgspec

    from regard.cli.look import aligned
    from regard.evaluate.measure import shown
    from regard.model import LanguageModel
    from regard.models import LanguageModelSettings
    from regard.run.corpus import texts

    loaded = options.load(LanguageModel, model, device, "evaluate")
    settings = loaded.config.model
    assert isinstance(settings, LanguageModelSettings)
    found = texts(name, settings)
    measures = loaded.measures(found, workers=workers)
    if as_json:
        table = {"texts": len(found), "measures": [measure.to_json() for measure in measures]}
        return msgspec.json.format(msgspec.json.encode(table), indent=2).decode()
    rows = [[measure.name, shown(measure.name, measure.value), measure.signature] for measure in measures]
    num_characters = sum(len(pair.target) for pair in found)
    head = f"{num_characters:,} characters" + ("" if loaded.task.running else f" in {len(found):,} lines")
    return f"{head}\n\n" + aligned([["measure", "value", "signature"], *rows], right={1})


def _draw(systems: list[System], pairs: list[Pair], path: Path) -> None:
    from regard.cli.look import warn_of_missing
    from regard.explain import lengths
    from regard.tasks.evaluation import source_lengths

    curves = [lengths.Curve(one.name, one.evaluation.measures[0], one.evaluation.buckets) for one in systems]
    with options.writing(path):
        warn_of_missing(path, lengths.save(curves, path, unit=source_lengths(pairs)[1]))
    click.echo(f"wrote {path}", err=True)


def _golds(path: Path, pairs: list[Pair]) -> list[Gold]:
    from regard.evaluate.alignment import check_gold, read_gold
    from regard.text.words import words

    golds = read_gold(path)
    check_gold(path, golds, [(len(words(pair.source)), len(words(pair.target))) for pair in pairs])
    return golds
