"""regard demo"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from regard.cli import options

if TYPE_CHECKING:
    from regard.model import Model

EXAMPLES = """\b
Examples:
  regard demo
  regard demo --seed 2 --out runs/demo2
"""
NUM_SHOWN = 8  # translations of the test set that go on the page


@click.command(epilog=EXAMPLES)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("runs/demo"),
    show_default=True,
    help="Where it goes; replaced if it is there.",
)
@click.option("--seed", type=options.Whole(0), default=1, show_default=True, metavar="N", help="Of data and training.")
def command(out: Path, seed: int) -> None:
    """Train on the embedded corpus, translate, and show where the model looked.

    French and romanised Hindi become English, in a minute or two. The test set holds out combinations of words that
    training never shows together.
    """
    from regard import files
    from regard.cli.progress import watching
    from regard.cli.train import facts
    from regard.run import conduct, plan
    from regard.text.make import make

    data, runs = out / "data", out / "run"
    if out.exists():
        _check_ours(out)
        files.empty(out)
    make("pie", data, seed=seed)
    click.echo(f"Made {data}: French and romanised Hindi to English, with gold word alignments.\n")
    prepared = plan.prepare_new(
        str(data / "train.tsv"),
        out=runs,
        valid=str(data / "valid.tsv"),
        preset_name="demo",
        layers=[conduct.options(seed=seed)],
    )
    click.echo(facts(prepared))
    with watching(prepared.settings.train.steps or 0) as watcher:
        model = conduct.run(prepared, watcher)
    _evaluate(model, data)
    _show(model, data, out / "attention.html")
    click.echo(f"\nThe model is {runs}. Next:")
    click.echo(f'  regard inspect {runs} "elle l\'a vue"')
    click.echo(f"  regard translate {runs}")
    click.echo("  regard train YOUR_PAIRS.tsv --out runs/mine")


def _check_ours(out: Path) -> None:
    from regard.errors import UserError

    names = {path.name for path in out.iterdir()} if out.is_dir() else {out.name}
    strange = sorted(names - {"data", "run", "attention.html"})
    if strange:
        raise UserError(f"{out}: holds {strange[0]}, which is not of the demo; choose another --out")
    if names and not (out / "data" / "test.align").exists():
        raise UserError(f"{out}: was not made by the demo; choose another --out")


def _evaluate(model: Model, data: Path) -> None:
    from regard.evaluate.alignment import read_gold
    from regard.text import readers

    pairs = list(readers.read(str(data / "test.tsv")))
    evaluation = model.evaluate(pairs, golds=read_gold(data / "test.align"))
    click.echo(f"\nOn {len(pairs):,} sentences with combinations of words that training never showed:")
    for measure in evaluation.measures:
        click.echo(f"  {measure.name:<6} {measure.value:6.2f}   {measure.signature}")


def _show(model: Model, data: Path, page: Path) -> None:
    """The two sentences that everybody asks for in the terminal; those and a few more on the page."""
    from regard import files
    from regard.cli.look import colour_wanted, terminal_width
    from regard.explain import html
    from regard.explain.terminal import draw
    from regard.text import readers
    from regard.text.make.pie import SHOWCASE

    inspections = [model.inspect(example.source) for example in SHOWCASE]
    for inspection in inspections:
        click.echo(f"\n{inspection.source}  →  {inspection.target}\n")
        click.echo(draw(inspection.map(merged=True), width=terminal_width(), colour=colour_wanted()))
    test = [pair.source for pair in readers.read(str(data / "test.tsv"))]
    more = [model.inspect(source) for source in test[:NUM_SHOWN]]
    files.write(page, html.page([*inspections, *more], title="Where the model looked"))
    click.echo(f"\nOpen {page} in a browser to see these and {NUM_SHOWN} more.")
