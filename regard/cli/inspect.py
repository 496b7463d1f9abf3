"""regard inspect"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from regard.cli import options
from regard.errors import UserError

if TYPE_CHECKING:
    from regard.explain.inspection import Inspection, Itself
    from regard.explain.map import Map
    from regard.explain.pictured import Pictured

EXAMPLES = """\b
Examples:
  regard inspect runs/mine "il m'a entarté"
  regard inspect runs/mine "il m'a entarté" --target "he hit me with a pie"
  regard inspect runs/mine "il m'a entarté" --png map.png --html map.html
  regard inspect runs/mine "il m'a entarté" --self source --layer 0
"""


@click.command(epilog=EXAMPLES)
@options.model
@click.argument("text", callback=options.check_text)
@click.option("--target", metavar="TEXT", callback=options.check_text, help="Look at this output, not at the model's.")
@options.beam
@click.option(
    "--self",
    "itself",
    type=click.Choice(["source", "target"]),
    help="Where the source looked at itself when it was read, or the target when it was written (Transformers).",
)
@click.option("--words/--pieces", default=None, show_default="words; of one word, pieces", help="What the map shows.")
@click.option("--layer", type=options.Whole(0), metavar="N", help="Of this layer only. [default: the mean of all]")
@click.option("--head", type=options.Whole(0), metavar="N", help="Of this head only. [default: the mean of all]")
@options.file("--png", ".png", "Also as a picture.")
@options.file("--svg", ".svg", "Also as a picture that stays sharp at any size.")
@options.file("--html", ".html", "Also as a page.")
@options.file("--json", ".json", "Also as numbers.")
@click.option("--width", type=options.Whole(24), metavar="N", show_default="the terminal's, or 80", help="Of the map.")
@options.device
def command(
    model: Path,
    text: str,
    target: str | None,
    beam: int | None,
    itself: Itself | None,
    words: bool | None,
    layer: int | None,
    head: int | None,
    png: Path | None,
    svg: Path | None,
    html: Path | None,
    json: Path | None,
    width: int | None,
    device: str,
) -> None:
    """Show where MODEL looked when it wrote its output for TEXT.

    The target goes down, the source across; a row shows what the model looked at when it wrote that word. Of a language
    model, what it looked back at when it came to each word of TEXT; of a classifier, where its hops looked. Of a model
    that reads pictures, TEXT is the path of one.
    """
    if target is not None and beam is not None:
        raise UserError("--beam: there is nothing to search for if --target is given; leave one of them out")
    if itself == "source":
        options.refuse("a source looks at itself whatever is written", {"--target": target, "--beam": beam})

    from regard.cli.kinds import reads_pictures, task_of
    from regard.cli.look import colour_wanted, one_line, terminal_width
    from regard.explain.inspection import averaged, worth_merging
    from regard.explain.pictured import Pictured
    from regard.explain.terminal import draw
    from regard.model import load

    task = task_of(model)
    which = {"--layer": layer is not None, "--head": head is not None}
    if task != "transduce":
        options.refuse("this model writes no other text", {"--target": target, "--beam": beam})
    if task == "language":
        options.refuse("a language model looks at nothing but its own text", {"--self": itself})
    if task == "classify":
        options.refuse(
            "a classifier has hops to show",
            {"--words": words is not None, "--png": png, "--svg": svg, "--width": width, "--self": itself, **which},
        )
        _hops(model, text, html, json, device)
        return
    if reads_pictures(model) and itself is None:
        options.refuse(
            "a picture is shown with --png or --json", {"--words": words is not None, "--svg": svg, "--html": html}
        )
    loaded = load(model, device=device)
    inspection = loaded.inspect(text) if task == "language" else loaded.inspect(text, target, beam=beam, itself=itself)
    if isinstance(inspection, Pictured):
        _picture(inspection.of(layer, head), width or terminal_width(), png, json)
        return
    merged = worth_merging(inspection) if words is None else words
    shown = inspection.map(merged=merged, layer=layer, head=head)
    map_ = draw(shown, width=width or terminal_width(), colour=colour_wanted())
    print(f"{one_line(inspection.target)}\n\n{map_}", flush=True)
    if said := averaged(inspection.of(layer, head).weights_LHTS):
        print(said, flush=True)
    pictures = [path for path in (png, svg) if path is not None]
    for path in _written(inspection, shown, pictures, html, json, layer, head):
        print(f"wrote {path}", file=sys.stderr)


def _written(
    inspection: Inspection,
    shown: Map,
    pictures: list[Path],
    html: Path | None,
    json: Path | None,
    layer: int | None,
    head: int | None,
) -> Iterator[Path]:
    """Write the files that were asked for, and name each when it is there."""
    import msgspec

    from regard import files
    from regard.cli.look import warn_of_missing
    from regard.explain import picture
    from regard.explain.html import page

    for path in pictures:
        title = inspection.target if inspection.itself else f"{inspection.source} → {inspection.target}"
        with options.writing(path):
            warn_of_missing(path, picture.save(shown, path, title=title))
        yield path
    if html is not None:
        with options.writing(html):
            files.write(html, page([inspection], title=inspection.source, layer=layer, head=head))
        yield html
    if json is not None:
        with options.writing(json):
            files.write(json, msgspec.json.encode(inspection.of(layer, head).to_json()) + b"\n")
        yield json


def _hops(model: Path, text: str, html: Path | None, json: Path | None, device: str) -> None:
    import msgspec

    from regard import files
    from regard.cli.look import colour_wanted
    from regard.explain.hops import draw, page
    from regard.model import Classifier

    found = options.load(Classifier, model, device, "inspect").inspect(text)
    print(f"{found.label} ({100 * found.probabilities[found.label]:.1f} %)\n\n{draw(found, colour=colour_wanted())}")
    for path, content in ((html, page([found], title=text)), (json, msgspec.json.encode(found.to_json()))):
        if path is not None:
            with options.writing(path):
                files.write(path, content)
            print(f"wrote {path}", file=sys.stderr)


def _picture(found: Pictured, width: int, png: Path | None, json: Path | None) -> None:
    import msgspec

    from regard import files
    from regard.cli.look import one_line, warn_of_missing
    from regard.explain import pictured
    from regard.explain.inspection import averaged

    print(f"{one_line(found.target)}\n\n{pictured.draw(found, width=width)}", flush=True)
    if said := averaged(found.weights_LHTS):
        print(said, flush=True)
    if png is not None:
        with options.writing(png):
            warn_of_missing(png, pictured.save(found, png))
        print(f"wrote {png}", file=sys.stderr)
    if json is not None:
        with options.writing(json):
            files.write(json, msgspec.json.encode(found.to_json()) + b"\n")
        print(f"wrote {json}", file=sys.stderr)
