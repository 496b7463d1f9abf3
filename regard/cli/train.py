"""regard train"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from regard.cli import options
from regard.errors import UserError

if TYPE_CHECKING:
    from regard.model import Model
    from regard.run.plan import Prepared
    from regard.tasks.base import TaskName
    from regard.text.pair import Pair
    from regard.text.tokenisers import Reader

EXAMPLES = """\b
Examples:
  regard train pairs.tsv --out runs/mine
  regard train train.en,train.de --valid val.en,val.de --out runs/ende --minutes 20
  regard train pairs.tsv --out runs/dot --set model.decoder.wiring.score.kind=dot
  regard train labels.tsv --task classify --out runs/labels
  regard train book.txt --task language --out runs/book
  regard train --resume runs/mine
  regard train pairs.csv --columns en,fr --out runs/new --dry-run

\b
Presets:
  recurrent        tiny, small, base
  Transformers     transformer-tiny, transformer-small, transformer-base
  fast to write    hybrid-tiny, hybrid-small, hybrid-base (Transformer, SSRU)
  of the papers    sutskever, cho, bahdanau, luong (smaller)
  classifiers      classifier-tiny, classifier-small, classifier-base
  language models  language-tiny, language-small, language-base
  pictures         image-tiny, image-small, image-base, image-patches
  `regard demo`    demo
"""


# what columns of translations are called most often; as a pair of words it would be an odd beginning
LANGUAGES = set(
    """ar cs da de el en es fi fr he hi hu it ja ko nl pl pt ro ru sv tr uk vi zh
    eng fra fre deu ger spa ita por rus zho jpn arabic chinese czech danish dutch english finnish french german greek
    hindi hungarian italian japanese korean polish portuguese romanian russian spanish swedish turkish ukrainian
    vietnamese""".split()  # noqa: SIM905
)

NEXT = {
    "transduce": {
        "translate {} FILE": "turn lines into lines",
        'inspect {} "a text"': "see where it looked",
        "evaluate {} PAIRS": "measure it on pairs it has not seen",
    },
    "classify": {
        "classify {} FILE": "give lines their labels",
        'inspect {} "a text"': "see where its hops looked",
        "evaluate {} PAIRS": "measure it on texts it has not seen",
    },
    "language": {
        'generate {} "Once"': "go on with a text",
        'inspect {} "a text"': "see what it looked back at",
        "evaluate {} FILE": "measure it on text it has not seen",
    },
}


@click.command(epilog=EXAMPLES)
@click.argument("pairs", required=False)
@click.option("--valid", metavar="PAIRS", help="Pairs to validate with. [default: some of the training pairs]")
@click.option("--out", type=click.Path(path_type=Path), help="Directory of the new run.")
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Go on with a run that was stopped; with --steps or --minutes also with one that has ended: the learning rate "
    "goes on as if the run had been planned for so long.",
)
@click.option(
    "--task",
    type=click.Choice(["transduce", "classify", "language"]),
    help="What to learn: to turn source into target, to give texts labels, to go on with a text. [default: transduce]",
)
@options.columns
@options.format_
@click.option("--preset", metavar="P", help="Start from these settings. [default: chosen by the data]")
@click.option("--settings", type=click.Path(path_type=Path), metavar="F.toml", help="A file of settings.")
@click.option("--set", "sets", multiple=True, metavar="a.b=c", help="One setting; may be given many times.")
@click.option("--steps", type=options.Whole(1), metavar="N", help="Train for N updates; with --resume, N in all.")
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True, max=1e6),
    metavar="N",
    help="Train for N minutes; with --resume, N more. [default: 4]",
)
@click.option("--seed", type=options.Whole(0), metavar="N", help="Of weights, order, dropout, split. [default: 1]")
@options.device
@click.option("--dry-run", is_flag=True, help="Say what would be done, print all settings, and stop.")
@click.option("--overwrite", is_flag=True, help="Replace the run if --out exists.")
def command(
    pairs: str | None,
    valid: str | None,
    out: Path | None,
    resume: Path | None,
    task: TaskName | None,
    columns: str | None,
    format_: str | None,
    preset: str | None,
    settings: Path | None,
    sets: tuple[str, ...],
    steps: int | None,
    minutes: float | None,
    seed: int | None,
    device: str,
    dry_run: bool,
    overwrite: bool,
) -> None:
    """Learn to turn one side of PAIRS into the other.

    PAIRS is a file of pairs (tsv, csv, jsonl, also .gz or .xz), two files joined by a comma (train.en,train.de), or -
    for standard input. With --task classify it holds texts and their labels, with --task language it is plain text.
    With --preset image-small its sources are the paths of pictures. Ctrl-C saves and says how to go on. Validations on
    the way search in haste, greedily; what is told at the end was found by the model's own search.
    """
    if resume is not None:
        news = {
            "PAIRS": pairs,
            "--out": out,
            "--valid": valid,
            "--task": task,
            "--preset": preset,
            "--settings": settings,
            "--seed": seed,
            "--overwrite": overwrite or None,
        }
        for name, value in {**news, "--set": sets or None, "--columns": columns, "--format": format_}.items():
            if value is not None:
                raise UserError(f"--resume goes on with the run's own settings: {name} cannot be given with it")
    elif (out is None and not dry_run) or (pairs is None and settings is None and not sets):
        missing = "--out (a directory for the run)" if out is None and pairs else "PAIRS (a file to learn from)"
        raise UserError(f"train needs {missing}: regard train pairs.tsv --out runs/mine")

    from regard import config
    from regard.cli.progress import preparing, watching
    from regard.run import conduct, plan

    if resume is not None:
        with preparing():
            prepared = plan.prepare_resumed(resume, steps=steps, minutes=minutes, device=device)
    else:
        data = {name: value for name, value in (("columns", columns), ("format", format_)) if value is not None}
        layers = [
            config.read_toml(settings) if settings else {},
            config.parse_set(sets),
            {"data": data} if data else {},
            conduct.options(steps=steps, minutes=minutes, seed=seed),
        ]
        where = str(settings) if settings and not sets else "--set" if sets and not settings else "settings"
        with preparing():
            prepared = plan.prepare_new(
                pairs,
                out=None if dry_run else out,
                valid=valid,
                preset_name=preset,
                layers=conduct.of_task(task, preset, layers),
                where=where,
                device=device,
                overwrite=overwrite,
            )
    click.echo(facts(prepared))
    if dry_run:
        click.echo("\n" + config.to_toml(config.to_table(prepared.settings)))
        return
    with watching(prepared.steps) as watcher:
        model = conduct.run(prepared, watcher)
    done(prepared.out, model)


def facts(prepared: Prepared) -> str:
    """What is known before the start, two columns wide."""
    from regard.models import LanguageModelSettings
    from regard.nn.products import gain
    from regard.run.card import describe, units
    from regard.run.corpus import amount, said
    from regard.text.tokenisers.label import LabelTokeniser

    settings, corpus, texts = prepared.settings, prepared.corpus, prepared.texts
    counts = [amount(settings.model, pairs) for pairs in (corpus.train, corpus.valid)]
    held = "held back" if corpus.held_back else "given"
    rows = [
        (units(settings.model), f"{counts[0]:,} to learn from, {counts[1]:,} to validate ({held})"),
        *([("dropped", said(corpus.dropped, settings.data.filter))] if corpus.dropped else []),
        # a header that was taken for a pair, or sides the wrong way round, are seen here
        *([] if isinstance(settings.model, LanguageModelSettings) else [("first", _example(corpus.first))]),
        *((name, f"{pieces(one)} ({texts.reasons[name]})") for name, one in texts.tokenisers.items()),
        ("model", describe(settings.model)),
        ("parameters", f"{prepared.num_parameters:,}" + (f" (preset {settings.preset})" if settings.preset else "")),
        ("memory", f"about {prepared.estimate.peak_bytes / 1e9:.1f} GB" if prepared.estimate.peak_bytes else "unknown"),
        ("time", f"{prepared.steps:,} steps ({_epochs(prepared)}), {_estimate(prepared)}"),
    ]
    if settings.train.precision == "bfloat16":
        rows.append(_rounded(gain()))
    if prepared.before.step:
        rows.append(("resumed", f"after step {prepared.before.step:,}"))
    names = [side.strip() for side in (corpus.first.source, corpus.first.target)]
    if {name.lower() for name in names} <= LANGUAGES:
        rows.append(("warning", f"the first pair looks like a header: if it is one, say --columns {','.join(names)}"))
    labels = texts.tokenisers["target"]
    if isinstance(labels, LabelTokeniser) and 2 * len(labels.labels) > counts[0]:
        rows.append(("warning", f"{len(labels.labels):,} labels for {counts[0]:,} texts: are they labels?"))
    if corpus.num_leaks:
        verb = "source to validate with is" if corpus.num_leaks == 1 else "sources to validate with are"
        rows.append(("warning", f"{corpus.num_leaks:,} {verb} also among those to learn from"))
    return "\n".join(f"{name:<11}{text}" for name, text in rows)


def _rounded(gain: float) -> tuple[str, str]:
    if gain < 1:
        return "warning", f"bfloat16 is {1 / gain:.1f} times as slow as float32 here: say --set train.precision=float32"
    return "products", f"of bfloat16, {gain:.1f} times as fast as those of float32 here"


def _example(pair: Pair) -> str:
    """'a dog runs → ein hund rennt'"""
    from regard.cli.look import one_line
    from regard.explain.terminal import shortened

    return " → ".join(shortened(one_line(side), 32) for side in (pair.source, pair.target))


def pieces(tokeniser: Reader) -> str:
    """'bpe, 4,000 pieces'"""
    from regard.cli.look import one_line
    from regard.text.pictures import Pictures
    from regard.text.tokenisers.label import LabelTokeniser
    from regard.text.tokenisers.recalling import RecallingTokeniser

    if isinstance(tokeniser, Pictures):
        return f"pictures, {tokeniser.height} pixels high"
    if isinstance(tokeniser, LabelTokeniser):
        some = ", ".join(one_line(label) for label in tokeniser.labels[:6])
        return f"{len(tokeniser.labels):,} labels: {some}{', …' if len(tokeniser.labels) > 6 else ''}"
    if isinstance(tokeniser, RecallingTokeniser):
        similar = f"{tokeniser.count} similar pair{'s' if tokeniser.count > 1 else ''}"
        return f"{pieces(tokeniser.source)}, and the targets of {similar}"
    return f"{tokeniser.kind}, {tokeniser.size:,} pieces"


def _epochs(prepared: Prepared) -> str:
    return f"{prepared.steps / prepared.estimate.steps_an_epoch:.1f} epochs"


def _estimate(prepared: Prepared) -> str:
    hint = "" if prepared.deadline is None or "train" in prepared.given else " (--minutes N for another budget)"
    return f"about {duration(prepared.seconds)}{hint}"


def duration(seconds: float) -> str:
    """'45 s', '3 min 20 s', '2 h 5 min'"""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def done(out: Path, model: Model) -> None:
    name = shlex.quote(str(out))
    from regard.evaluate.measure import shown
    from regard.model import Translator

    scores = ", ".join(f"{one['name']} {shown(one['name'], one['value'])}" for one in model.config.measures)
    click.echo(f"\nOn what was held to validate: {scores}")
    click.echo(f"The model is {out / 'model'}. Now:")
    for command, does in NEXT[model.config.task].items():
        if command.startswith("inspect") and not model.can_be_looked_into:
            continue
        if isinstance(model, Translator) and model.reads_pictures:
            command = command.replace('"a text"', "PICTURE").replace("FILE", "PATHS")
        click.echo(f"  regard {command.format(name):<32}  {does}")
