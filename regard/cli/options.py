"""Arguments and options that several commands share."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from regard.errors import UserError

if TYPE_CHECKING:
    from regard.model import Model, Translator
    from regard.search import SearchSettings

F = TypeVar("F", bound=Callable[..., None])
M = TypeVar("M", bound="Model")


class Whole(click.IntRange):
    """A whole number from `least` on, and not so large that no tensor could hold it."""

    name = "whole number"

    def __init__(self, least: int) -> None:
        super().__init__(min=least)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from regard.config import LARGEST

        number = super().convert(value, param, ctx)
        if number > LARGEST:
            self.fail(f"{number} is more than {LARGEST:,}", param, ctx)
        return number


model = click.argument("model", type=click.Path(exists=True, file_okay=False, path_type=Path))
pairs = click.argument("pairs")
columns = click.option(
    "--columns",
    metavar="C",
    help="Which columns are source and target: 1,2 or 2,1 or en,fr; 1,2- if all from 2 on are right answers.",
)
format_ = click.option(
    "--format", "format_", metavar="F", help="tsv, csv or jsonl, where the file's name does not say it."
)
beam = click.option(
    "--beam",
    type=Whole(1),
    metavar="N",
    show_default="the model's",
    help="Search width; 1 is greedy.",
)
sets = click.option(
    "--set", "sets", multiple=True, metavar="NAME=VALUE", help="Search otherwise: normalise=gnmt, coverage=0.2, …"
)
with_ = click.option(
    "--with",
    "others",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    metavar="OTHER",
    help="Another model that writes together with MODEL: by the mean of their probabilities. Can be repeated.",
)
device = click.option("--device", default="cpu", show_default=True, metavar="D", help="cpu, cuda, mps, …")

workers = click.option(
    "--workers",
    type=Whole(1),
    metavar="N",
    show_default="all cores",
    help="N batches at once, each on one core.",
)


# the ranges are those of SampleSettings, and so the message names the option
def temperature(help_: str) -> Callable[[F], F]:
    return click.option("--temperature", type=click.FloatRange(0.001, 1000), metavar="X", help=help_)


def top_k(help_: str) -> Callable[[F], F]:
    return click.option("--top-k", type=Whole(0), metavar="N", help=help_)


def top_p(help_: str) -> Callable[[F], F]:
    return click.option("--top-p", type=click.FloatRange(0, 1, min_open=True), metavar="X", help=help_)


def check_text(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """Refuse an argument whose bytes are no text: Python hands them on as lone surrogates."""
    if text is not None and not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise click.BadParameter("is not UTF-8") from None
    return text


def check_place(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """Refuse at once what could not be written at the end."""
    if path is not None and not path.exists():
        above = next(parent for parent in path.absolute().parents if parent.exists())
        if not above.is_dir() or not os.access(above, os.W_OK):
            raise click.BadParameter(f"{path}: cannot be written: {above} is not a directory that can be written to")
    return path


def file(name: str, suffix: str | tuple[str, ...], help_: str) -> Callable[[F], F]:
    """An option that names a file to write, by a name that says what it is."""
    suffixes = (suffix,) if isinstance(suffix, str) else suffix

    def check(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
        if path is not None and path.suffix.lower() not in suffixes:
            raise click.BadParameter(f"{path}: give it a name that ends in {' or '.join(suffixes)}")
        return check_place(ctx, param, path)

    kind = click.Path(dir_okay=False, writable=True, path_type=Path)
    return click.option(name, type=kind, callback=check, metavar="FILE", help=help_)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """What the system has against writing to `path`, as a UserError."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None


def load(kind: type[M], path: Path, device: str, verb: str, others: Sequence[Path] = ()) -> M:
    """The model at `path`, if it is of the kind that can do what is asked; together with others."""
    from regard import model

    loaded = model.load(path, *others, device=device)
    if not isinstance(loaded, kind):
        raise UserError(f"{path}: {loaded.cannot(verb)}")
    return loaded


def refuse(why: str, given: dict[str, object]) -> None:
    """Options that mean nothing for this kind of model."""
    for name, value in given.items():
        if value not in (None, False, ()):
            raise UserError(f"{why}: {name} does not apply")


def searching(model: Translator, beam: int | None, sets: Sequence[str]) -> SearchSettings:
    """The model's own way to search, with another width and other settings over it."""
    from regard import config
    from regard.search import SearchSettings, check_alpha

    own, given = config.to_table(model.searching(beam)), config.parse_set(sets, example="width=10")
    if isinstance(given.get("search"), dict):  # the name that it has in a run's settings
        given = {**given.pop("search"), **given}
    if given.get("kind", own["kind"]) != own["kind"]:
        if beam is not None:
            raise UserError(f"--beam {beam} and kind={given['kind']} are two ways to search: choose one")
        # another kind discards what was said of this one, but not how long an output may be
        given = {"max_length": own["max_length"], **given}
    table = config.merge({"search": own}, {"search": given})["search"]
    settings: SearchSettings = config.read(table, SearchSettings, "search")  # type: ignore[arg-type]
    if "alpha" in given:
        check_alpha(settings)
    return settings
