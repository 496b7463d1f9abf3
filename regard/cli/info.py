"""regard info"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from regard import files
from regard.cli import options
from regard.errors import UserError

if TYPE_CHECKING:
    from regard.model import Model
    from regard.training.events import Event

EXAMPLES = """\b
Examples:
  regard info runs/mine
  regard info runs/mine --png curves.png
  regard info runs/mine/model --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path))
@options.file("--png", ".png", "Write the learning curves of the run as a picture.")
@click.option("--json", "as_json", is_flag=True, help="All that is known, as JSON.")
def command(path: Path, png: Path | None, as_json: bool) -> None:
    """Tell what the model or run at PATH is, how it was trained, and how good it is.

    Of a run that has not ended it tells how far it is and how to go on.
    """
    from regard.cli.look import warn_of_missing
    from regard.training import curves, events

    happened = events.read(path / "events.jsonl")
    if png is not None:
        if not happened:
            raise UserError(f"{path}: there is no events.jsonl to draw curves from: give a run that has begun")
        with options.writing(png):
            warn_of_missing(png, curves.draw(happened, png, title=str(path)))
    run = _run(path, happened) if (path / "settings.json").is_file() else None
    model = None
    if run is None or (path / "model").exists():
        from regard.model import load

        model = load(path)
    if as_json:
        click.echo(_json(model, run))
    else:
        parts = [_model_text(model, path) if model else "", _run_text(run, path) if run else ""]
        click.echo("\n\n".join(part for part in parts if part))
    if png is not None:
        click.echo(f"wrote {png}", err=True)


def _run(path: Path, happened: list[Event]) -> dict[str, Any]:
    """How far a run is, as its settings and events tell it."""
    import msgspec

    from regard.training.events import Ended, Learnt, Planned, Validated

    try:
        steps = msgspec.json.decode((path / "settings.json").read_bytes())["train"]["steps"]
    except (OSError, msgspec.MsgspecError, KeyError, TypeError) as error:
        raise UserError(f"{path / 'settings.json'}: is not the settings of a run: {error}") from None
    learnt = [event for event in happened if isinstance(event, Learnt)]
    best = [event for event in happened if isinstance(event, Validated) and event.best]
    ended = [event for event in happened if isinstance(event, Ended)]
    planned = [event for event in happened if isinstance(event, Planned)]
    return {
        "step": happened[-1].step if happened else 0,
        "steps": planned[-1].steps if planned else steps,
        "loss": learnt[-1].loss if learnt else None,
        "best": msgspec.to_builtins(best[-1]) if best else None,
        "ended": msgspec.to_builtins(ended[-1]) if ended else None,
        "bytes": _bytes(path),
        "goes_on": files.taken(path),
    }


def _model_text(model: Model, path: Path) -> str:
    from regard.cli.look import aligned
    from regard.cli.train import duration, pieces
    from regard.evaluate.measure import shown
    from regard.model import find
    from regard.run.card import describe, units

    config, training = model.config, model.config.training
    texts = [[name, pieces(one)] for name, one in model.task.tokenisers.items()]
    unit = units(config.model)
    facts = [
        ["model", describe(config.model)],
        *texts,
        ["parameters", f"{training['parameters']:,}, {_megabytes(_bytes(find(path)))} on disk"],
        [
            "trained",
            f"on {training['pairs']:,} {unit}: {training['steps']:,} steps, {duration(training['seconds'])}, "
            f"seed {training['settings']['seed']}",
        ],
        ["written by", f"regard {config.regard}, torch {training['torch']}"],
    ]
    scores = [[m["name"], shown(m["name"], m["value"]), m["signature"]] for m in config.measures]
    heading = f"On the {training['valid_pairs']:,} validation {unit}, which chose the model:"
    return f"{aligned(facts)}\n\n{heading}\n{aligned(scores, right={1})}"


def _run_text(run: dict[str, Any], path: Path) -> str:
    from regard.cli.look import aligned
    from regard.evaluate.measure import shown

    best, ended = run["best"], run["ended"]
    facts = [["run", f"step {run['step']:,} of {run['steps']:,}, {_megabytes(run['bytes'])} on disk"]]
    if run["loss"] is not None:
        facts.append(["loss", f"{run['loss']:.3f} in training, at the last"])
    if best is not None:
        value = shown(best["measure"], best["value"])
        facts.append(["best", f"step {best['step']:,}: loss {best['loss']:.3f}, {best['measure']} {value}"])
    if run["goes_on"]:
        facts.append(["goes on", "another process is training it"])
    elif ended is not None:
        facts.append(["ended", f"by {ended['reason']}; chosen: {ended['chosen']}"])
    else:
        facts.append(["not ended", f"go on with: regard train --resume {shlex.quote(str(path))}"])
    return aligned(facts)


def _json(model: Model | None, run: dict[str, Any] | None) -> str:
    import msgspec

    table = {"model": None if model is None else model.config, "run": run}
    return msgspec.json.format(msgspec.json.encode(table), indent=2).decode()


def _bytes(directory: Path) -> int:
    return sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
