"""regard translate"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from regard.cli import options
from regard.errors import UserError

if TYPE_CHECKING:
    from regard.model import Translation, Translator

EXAMPLES = """\b
Examples:
  regard translate runs/mine texts.txt > outputs.txt
  echo "il m'a entarté" | regard translate runs/mine --beam 10
  regard translate runs/mine texts.txt --json --nbest 3
  regard translate runs/mine texts.txt --set normalise=gnmt --set alpha=1
  regard translate runs/mine texts.txt --sample --temperature 0.7 --seed 3
  regard translate runs/mine texts.txt --with runs/other
"""


@click.command(epilog=EXAMPLES)
@options.model
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True), default="-")
@options.beam
@options.sets
@options.with_
@click.option("--prefix", default="", metavar="TEXT", callback=options.check_text, help="How every output begins.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line, with probabilities.")
@click.option("--nbest", type=options.Whole(1), metavar="N", help="With --json: the N best outputs as well.")
@click.option("--attention", is_flag=True, help="With --json: the attention weights as well.")
@click.option("--sample", is_flag=True, help="Draw outputs at random, as probable as the model holds them to be.")
@options.temperature("With --sample: below 1 sharper, above 1 flatter.")
@options.top_k("With --sample: only from the N most probable tokens.")
@options.top_p("With --sample: only from the first X of the probability.")
@click.option("--seed", type=options.Whole(0), metavar="N", help="With --sample: the same seed draws the same.")
@options.workers
@options.device
def command(
    model: Path,
    file: str,
    beam: int | None,
    sets: tuple[str, ...],
    others: tuple[Path, ...],
    prefix: str,
    as_json: bool,
    nbest: int | None,
    attention: bool,
    sample: bool,
    temperature: float | None,
    top_k: int | None,
    top_p: float | None,
    seed: int | None,
    workers: int | None,
    device: str,
) -> None:
    """Turn each line of FILE into a line of output, in order.

    MODEL is a run or a model directory. Without FILE, lines are read from standard input and answered as they come. A
    blank line becomes a blank line. For a model that reads pictures the lines are their paths, seen from where FILE is.
    """
    draw = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "seed": seed}
    _check(draw, beam=beam, sample=sample, as_json=as_json, nbest=nbest, attention=attention)

    from regard.cli.kinds import reads_pictures
    from regard.cli.lines import answered, as_they_come, prompted, warn_of_tabs
    from regard.cli.look import one_line
    from regard.model import Translator
    from regard.search import check_num_best
    from regard.text.pictures import beside
    from regard.text.readers import read_lines

    if others and attention:
        raise UserError("--attention: is of one model, and several write: leave --with out")
    of_pictures = reads_pictures(model)
    if of_pictures and attention:
        raise UserError("--attention: of pictures, `regard inspect` shows where the model looked, one by one")
    loaded = options.load(Translator, model, device, "translate", others)
    said = [f"{name}={value}" for name, value in draw.items() if value is not None]
    settings = options.searching(loaded, beam, ["kind=sample", *said, *sets] if sample else sets)
    check_num_best(settings, nbest or 1)
    if attention:
        loaded.check_attends()
    lines = read_lines(file)
    number, cut = 0, []

    def translated(texts: list[str], first: int) -> list[list[Translation]]:
        sources = [beside(file, text) if of_pictures and file != "-" and text.strip() else text for text in texts]
        return loaded.search(sources, settings, num_best=nbest or 1, prefix=prefix, first=first, workers=workers)

    batches = prompted(lines) if file == "-" and sys.stdin.isatty() else as_they_come(lines)
    for texts, found in answered(warn_of_tabs(batches, file), translated, file):
        cut += [line for line, best in enumerate(found, start=number + 1) if not best[0].finished]
        number += len(texts)
        if as_json:
            print(*_json(loaded, texts, found, nbest, attention, workers), sep="\n")
        else:
            print(*(one_line(best[0].text) for best in found), sep="\n")
        sys.stdout.flush()
    if cut:
        some = "output was" if len(cut) == 1 else "outputs were"
        click.echo(
            f"regard: warning: {len(cut):,} {some} cut at the greatest length that is searched, the first in line "
            f"{cut[0]:,}; --set max_length=N searches further",
            err=True,
        )


def _check(
    draw: dict[str, Any], *, beam: int | None, sample: bool, as_json: bool, nbest: int | None, attention: bool
) -> None:
    if sample and beam is not None:
        raise UserError("--beam and --sample are two ways to search: choose one")
    for name, value in draw.items():
        if value is not None and not sample:
            raise UserError(f"--{name.replace('_', '-')} is for drawing outputs at random: add --sample")
    if not as_json and (nbest is not None or attention):
        raise UserError(f"{'--attention' if attention else '--nbest'} does not fit on a line of text: add --json")


def _json(
    model: Translator,
    texts: Sequence[str],
    found: Sequence[Sequence[Translation]],
    nbest: int | None,
    attention: bool,
    workers: int | None,
) -> Iterator[str]:
    import msgspec

    # a second, forced pass over the very tokens that were found
    full = [(text, best[0].ids) for text, best in zip(texts, found, strict=True) if text.strip()]
    looked = iter(model.inspections(full, workers=workers) if attention else ())
    for text, best in zip(texts, found, strict=True):
        rows = [{"target": t.text, "logprob": t.logprob, "score": t.score, "finished": t.finished} for t in best]
        row: dict[str, Any] = {"source": text, **rows[0]}
        if nbest is not None:
            row["hypotheses"] = rows
        if attention:
            row["attention"] = next(looked).to_json() if text.strip() else None
        yield msgspec.json.encode(row).decode()
