"""regard data"""

from __future__ import annotations

import re
from pathlib import Path

import click

from regard.cli import options
from regard.text.make import CORPORA, make

GROUP_EXAMPLES = """\b
Examples:
  regard data make pie --out data/pie
  regard data make --help
"""
EXAMPLES = """\b
Examples:
  regard data make pie --out data/pie
  regard data make reverse --out data/reverse --size 5000 --length 3-8
"""


class _Make(click.Command):
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Corpora"):
            formatter.write_dl(list(CORPORA.items()))
        super().format_epilog(ctx, formatter)


@click.group(epilog=GROUP_EXAMPLES, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Make corpora to try things on."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _length(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", value, re.ASCII)
    if match is None:
        raise click.BadParameter(f"{value} is neither a number nor a range such as 3-8")
    return int(match[1]), int(match[2] or match[1])


@command.command("make", cls=_Make, short_help="Write a corpus.", epilog=EXAMPLES)
@click.argument("name")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="A new directory.")
@click.option("--size", type=options.Whole(1), metavar="N", show_default="its own", help="Training pairs.")
@click.option("--seed", type=options.Whole(0), default=1, show_default=True, metavar="N", help="Of what is drawn.")
@click.option("--length", metavar="A-B", callback=_length, help="Units of a source: from A to B, or always A.")
def make_command(name: str, out: Path, size: int | None, seed: int, length: tuple[int, int] | None) -> None:
    """Write the corpus NAME: train, valid and test pairs, the same for the same seed.

    No source is in two of the files. Where the gold word links are known they are written beside the pairs.
    """
    with options.writing(out):
        counts = make(name, out, size=size, seed=seed, length=length)
    for split, count in counts.items():
        gold = out / f"{split}.align"
        also = f", word links in {gold}" if gold.exists() else ""
        click.echo(f"{out / split}.tsv: {count:,} pairs{also}")
