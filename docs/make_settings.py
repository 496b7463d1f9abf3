"""Writes docs/settings.md from the settings themselves. `make fix` runs it; a test holds that the page is current."""

from __future__ import annotations

import itertools
import types
import typing
from importlib import resources
from pathlib import Path

import msgspec

from regard import config
from regard.run.settings import Settings, presets

HEAD = """# Settings

Everything that can be said in a settings file (`--settings F.toml`) or with `--set a.b=c`. This page is made from the
code: do not edit it, run `make fix`.

Layers, later ones win: the defaults below, a preset, the file, `--set`, the options of the command. There is always a
preset, which the data choose if nobody does, so that many defaults are not what a run has: `regard train … --dry-run`
prints what all layers give together, and needs no `--out`. If a layer changes a `kind`, all earlier settings of that
table are dropped; what a layer does not say is as in the layer before, and `none` takes back what can be none. `regard
translate` and `regard evaluate` take the settings of `search` with or without its name: `--set coverage=0.2`.

## Presets

"""


def page() -> str:
    parts = [HEAD + "\n".join(["| preset | |", "|---|---|", *map(described, presets())]) + "\n"]
    places: dict[type[config.Table], dict[str, None]] = {}  # a table may stand in several, and each only once
    owners: dict[type[config.Table], dict[str, None]] = {}  # the kinds that have it
    for path, table in config.walk(Settings):
        places.setdefault(table, {})[path] = None
        for hint in typing.get_type_hints(table).values():
            if tag := table.__struct_config__.tag:
                owners.setdefault(hint, {})[str(tag)] = None
    shared = [path for table, paths in places.items() if not table.__struct_config__.tag for path in paths]
    for table, paths in places.items():
        ambiguous = any(shared.count(path) > 1 for path in paths)
        parts.append(section(list(paths), table, list(owners[table]) if ambiguous else []))
    return "\n".join(parts)


def described(name: str) -> str:
    """What a preset says of itself in its first lines."""
    lines = (resources.files("regard.presets") / f"{name}.toml").read_text(encoding="utf-8").splitlines()
    said = [line.removeprefix("# ") for line in itertools.takewhile(lambda line: line.startswith("#"), lines)]
    return f"| [`{name}`](../regard/presets/{name}.toml) | {' '.join(said)} |"


def section(paths: list[str], table: type[config.Table], owners: list[str]) -> str:
    tag = table.__struct_config__.tag
    title = ", ".join(f"`{path}`" for path in paths) if paths != [""] else "The root"
    title += f" with kind = `{tag}`" if tag else ""
    title += f" of {', '.join(f'`{owner}`' for owner in owners)}" if owners else ""
    lines = [f"## {title}", "", (table.__doc__ or "").strip(), ""]
    fields = msgspec.structs.fields(table)
    if fields:
        lines += ["| setting | default | |", "|---|---|---|"]
    hints = typing.get_type_hints(table, include_extras=True)
    for field in fields:
        metas = (m for m in hints[field.name].__metadata__ if isinstance(m, msgspec.Meta))
        meta = next(m for m in metas if m.description)
        lines.append(f"| `{field.name}` | {default(field.default)} | {meta.description}{choices(hints[field.name])} |")
    return "\n".join(lines) + "\n"


def default(value: object) -> str:
    if isinstance(value, config.Table):
        tag = value.__struct_config__.tag
        return f"`{tag}`{others(value)}" if tag else ""
    return "none" if value is None else f"`{msgspec.json.encode(value).decode()}`"


def others(table: config.Table) -> str:
    """What is not as it would be if the kind alone were said."""
    fields = [field for field in msgspec.structs.fields(table) if getattr(table, field.name) != field.default]
    said = ", ".join(f"{field.name} {default(getattr(table, field.name))}" for field in fields)
    return f" ({said})" if said else ""


def choices(hint: object) -> str:
    inner = typing.get_args(hint)[0]
    if typing.get_origin(inner) is typing.Literal:
        return ": " + ", ".join(f"`{value}`" for value in typing.get_args(inner))
    members = typing.get_args(inner) if isinstance(inner, types.UnionType) else ()
    tags = [getattr(getattr(m, "__struct_config__", None), "tag", None) for m in members]
    return ": " + ", ".join(f"`{tag}`" for tag in tags) if all(tags) and tags else ""


if __name__ == "__main__":
    Path(__file__).with_name("settings.md").write_text(page(), encoding="utf-8")
