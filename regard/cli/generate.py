"""regard generate"""

from __future__ import annotations

from pathlib import Path

import click

from regard.cli import options
from regard.errors import UserError

EXAMPLES = """\b
Examples:
  regard generate runs/shakespeare "ROMEO:" --length 300
  regard generate runs/shakespeare "ROMEO:" --temperature 0.7 --top-k 20 --seed 3
  regard generate runs/names --count 10
  regard generate runs/names "An" --beam 5 --count 5 --json
"""


@click.command(epilog=EXAMPLES)
@options.model
@click.argument("prompt", default="", callback=options.check_text)
@click.option(
    "--length", type=options.Whole(1), default=200, show_default=True, metavar="N", help="At most N more tokens."
)
@click.option("--count", type=options.Whole(1), default=1, show_default=True, metavar="N", help="Texts to write.")
@options.temperature("Below 1 sharper than the model, above 1 flatter.")
@options.top_k("Draw only from the N most probable tokens.")
@options.top_p("Draw only from the first X of the probability.")
@click.option("--seed", type=options.Whole(0), metavar="N", help="The same seed draws the same.")
@click.option(
    "--beam", type=options.Whole(1), metavar="N", help="Search for the most probable text instead; 1 is greedy."
)
@click.option("--json", "as_json", is_flag=True, help="A JSON object a text, on one line.")
@options.device
def command(
    model: Path,
    prompt: str,
    length: int,
    count: int,
    temperature: float | None,
    top_k: int | None,
    top_p: float | None,
    seed: int | None,
    beam: int | None,
    as_json: bool,
    device: str,
) -> None:
    """Go on with PROMPT, or write from nothing.

    Tokens are drawn at random, as probable as MODEL holds them to be, unless --beam is given.
    """
    draw = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "seed": seed}
    said = {name: value for name, value in draw.items() if value is not None}
    if beam is not None and said:
        raise UserError(f"--beam and --{next(iter(said)).replace('_', '-')} are two ways to write: choose one")
    if beam is not None and count > beam:
        raise UserError(f"--count {count}: a beam of width {beam} cannot give so many: make it {count} wide")

    import msgspec

    from regard import config
    from regard.model import LanguageModel
    from regard.search import BeamSettings, GreedySettings, SampleSettings, SearchSettings

    settings: SearchSettings
    if beam is None:
        settings = config.read({"kind": "sample", **said}, SampleSettings, "search")
    else:
        settings = GreedySettings() if beam == 1 else BeamSettings(width=beam)
    loaded = options.load(LanguageModel, model, device, "generate")
    texts = loaded.generate(prompt, settings=settings, max_length=length, count=count)
    for number, text in enumerate(texts):
        if as_json:
            click.echo(msgspec.json.encode({"prompt": prompt, "text": text}).decode())
        else:
            click.echo(("\n" + "─" * 8 + "\n" if number and loaded.task.running else "") + text)
