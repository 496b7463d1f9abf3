"""The root of all settings, and how its layers come together: defaults, preset, file, --set."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Annotated

from regard import config
from regard.config import Meta, Plain, Table
from regard.errors import UserError, suggest
from regard.models import ModelSettings, Seq2SeqSettings
from regard.search import BeamSettings, SearchSettings
from regard.text.corpus import FilterSettings
from regard.text.tokenisers import AutoSettings, SourceSettings, TokeniserSettings
from regard.training import TrainSettings


class DataSettings(Table, frozen=True):
    """Where the pairs are. Paths stay in the run; the model holds none."""

    train: Annotated[str, Meta(description="pairs to learn from: a file, two joined by a comma, or - for stdin")] = ""
    valid: Annotated[str | None, Meta(description="pairs to validate with; none = some of the training pairs")] = None
    columns: Annotated[
        str | None,
        Meta(description="which columns are source and target, as 1,2 or en,fr; 1,2- if all from 2 on are right"),
    ] = None
    format: Annotated[str | None, Meta(description="tsv, csv or jsonl; none = what the file's name says")] = None
    valid_pairs: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="pairs held back to validate; none = 5 %, at most 1,000")
    ] = None
    filter: Annotated[FilterSettings, Meta(description="which pairs are dropped")] = FilterSettings()


class TextSettings(Table, frozen=True):
    """How text becomes numbers."""

    source: Annotated[SourceSettings, Meta(description="tokeniser of the source, or how pictures are read")] = (
        AutoSettings()
    )
    target: Annotated[TokeniserSettings, Meta(description="tokeniser of the target")] = AutoSettings()
    joint: Annotated[bool, Meta(description="one tokeniser, learnt from both sides (text.source says which)")] = False
    similar: Annotated[
        int,
        Meta(ge=0, description="targets of so many training pairs, the most similar, are read beside each source"),
    ] = 0
    similar_dropout: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="share of the sources that are without similar pairs in an epoch; above 0, outputs are written "
            "by the mean of what both readings of a source say",
        ),
    ] = 0.0


class Settings(Table, frozen=True):
    """All that can be said about a run."""

    seed: Annotated[int, Meta(ge=0, description="of weights, order, dropout and split")] = 1
    preset: Annotated[str | None, Meta(description="the preset to start from; none = chosen by the data")] = None
    data: Annotated[DataSettings, Meta(description="where the pairs are")] = DataSettings()
    text: Annotated[TextSettings, Meta(description="how text becomes numbers")] = TextSettings()
    model: Annotated[ModelSettings, Meta(description="the network")] = Seq2SeqSettings()
    train: Annotated[TrainSettings, Meta(description="how it learns")] = TrainSettings()
    search: Annotated[SearchSettings, Meta(description="how it translates unless told otherwise")] = BeamSettings()


def presets() -> dict[str, Plain]:
    """The presets by name, in the order of their files."""
    found = sorted(resources.files("regard.presets").iterdir(), key=lambda file: file.name)
    toml = [file for file in found if file.name.endswith(".toml")]
    return {file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8")) for file in toml}


def preset(name: str) -> Plain:
    known = presets()
    if not isinstance(name, str) or name not in known:
        raise UserError(f"preset {name}: is not one of {', '.join(known)}{suggest(str(name), known)}")
    return known[name] | {"preset": name}


def said_preset(table: Plain) -> str | None:
    """The one that a table names; "none" is none."""
    name: str | None = table.get("preset")
    return None if name == "none" else name


def layered(*layers: Plain, where: str) -> Settings:
    """Defaults, then each layer over it, read strictly."""
    return config.read(config.merge(config.to_table(Settings()), *map(_timed, layers)), Settings, where)


def _timed(layer: Plain) -> Plain:
    """Steps come before minutes, but those of an earlier layer do not."""
    train = layer.get("train")
    by_clock = isinstance(train, dict) and train.get("minutes") not in (None, "none") and "steps" not in train
    return config.merge(layer, {"train": {"steps": None}}) if by_clock else layer
