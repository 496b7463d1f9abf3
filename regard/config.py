"""Strict reading and merging of TOML, JSON and `--set` into frozen settings. It knows no model.

Settings are `Table`s: frozen, unknown fields forbidden, every field documented by its `Meta`. A choice is a union of
Tables told apart by `kind`. Layers are merged as plain tables before they are read, so that what is not said inherits.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Meta

from regard.errors import UserError, suggest

__all__ = ["Choice", "Meta", "Table", "merge", "parse_set", "read", "read_toml", "to_table", "to_toml", "walk"]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The base of all settings."""


class Choice(Table, frozen=True, tag_field="kind"):
    """The base of all settings that are one of a union: `class DotSettings(Choice, frozen=True, tag="dot")`."""


T = TypeVar("T")
Plain = dict[str, Any]
LARGEST = 2**53  # whole numbers up to here are the same to every reader of JSON


def read(table: Plain, type_: type[T], where: str = "settings") -> T:
    """A plain table as settings of `type_`, or a UserError that names the setting and what it could have been."""
    info = msgspec.inspect.type_info(type_)
    table = _inherit(table, info)
    _check_names(table, info, "", where)
    try:
        settings = msgspec.convert(table, type_, strict=True)
    except msgspec.ValidationError as error:
        message, _, path = str(error).replace("| null`", "| none`").partition(" - at `$")  # one can say none, not null
        setting = path.rstrip("`").lstrip(".") or "the whole"
        words = _words(table, info, setting)
        hint = f"; it is one of {', '.join(words)}" if words else ""
        raise UserError(f"{where}: {setting}: {message[0].lower()}{message[1:]}{hint}") from None
    _check_numbers(table, "", where)
    return settings


def _inherit(value: Any, info: Any) -> Any:
    """A table without its kind goes on from its field's default: `score.size` alone is of the default score.

    And "none" is none, where that can be: TOML has no word for it.
    """
    structs = _structs(info)
    if not isinstance(value, dict) or not structs:
        return value
    struct = next((struct for struct in structs if struct.tag in (None, value.get("kind"))), structs[0])
    completed = dict(value)
    for field in struct.fields:
        inner = value.get(field.encode_name)
        if isinstance(inner, dict) and "kind" not in inner and isinstance(field.default, Choice):
            inner = merge(to_table(field.default), inner)
        if inner == "none" and _optional(field.type):
            completed[field.encode_name] = None
        elif inner is not None:
            completed[field.encode_name] = _inherit(inner, field.type)
    return completed


def _check_names(value: Any, info: Any, path: str, where: str) -> None:
    """Refuse unknown fields and kinds by their path, with a suggestion. Wrong types are left to msgspec."""
    if not isinstance(value, dict):
        return
    structs = _structs(info)
    if not structs:
        return
    if structs[0].tag is not None:
        kinds = {str(struct.tag): struct for struct in structs}
        kind = value.get("kind", next(iter(kinds)) if len(kinds) == 1 else None)
        if kind is None:
            raise UserError(f"{where}: {_join(path, 'kind')} is missing: one of {', '.join(kinds)}")
        if not isinstance(kind, str) or kind not in kinds:
            raise UserError(
                f"{where}: {_join(path, 'kind')} = {kind!r} is not one of {', '.join(kinds)}{suggest(str(kind), kinds)}"
            )
        struct = kinds[kind]
    else:
        struct = structs[0]
    fields = {field.encode_name: field for field in struct.fields}
    for name, inner in value.items():
        if name in fields:
            _check_names(inner, fields[name].type, _join(path, name), where)
        elif not (name == "kind" and struct.tag is not None):
            known = f"; known here: {', '.join(fields)}" if fields else f": `{struct.tag}` has no settings of its own"
            hint = suggest(name, fields) or known
            raise UserError(f"{where}: there is no setting `{_join(path, name)}`{hint}")


def _check_numbers(value: Any, path: str, where: str) -> None:
    """Refuse what JSON cannot hold: settings are written, and read again."""
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_numbers(inner, _join(path, name), where)
    elif isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"{where}: {path} = {value}: expected a finite number")
    elif isinstance(value, int) and abs(value) > LARGEST:
        raise UserError(f"{where}: {path} = {value}: expected a number of at most {LARGEST:,}")


def _optional(info: Any) -> bool:
    while isinstance(info, msgspec.inspect.Metadata):
        info = info.type
    return any(isinstance(one, msgspec.inspect.NoneType) for one in getattr(info, "types", ()))


def _structs(info: Any) -> list[msgspec.inspect.StructType]:
    while isinstance(info, msgspec.inspect.Metadata):
        info = info.type
    return [t for t in getattr(info, "types", (info,)) if isinstance(t, msgspec.inspect.StructType)]


def _words(value: Any, info: Any, path: str) -> list[str]:
    """What can be said at `path`, if that is one of some words."""
    name, _, rest = path.partition(".")
    for struct in _structs(info):
        if isinstance(value, dict) and struct.tag in (None, value.get("kind")):
            for field in struct.fields:
                if field.encode_name == name:
                    return _words(value.get(name), field.type, rest)
    while isinstance(info, msgspec.inspect.Metadata):
        info = info.type
    return [str(word) for word in info.values] if isinstance(info, msgspec.inspect.LiteralType) and not path else []


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def merge(*layers: Plain) -> Plain:
    """Later layers win. A changed `kind` replaces its table, an absent one inherits."""
    merged: Plain = {}
    for layer in layers:
        for name, value in layer.items():
            old = merged.get(name)
            if (
                isinstance(value, dict)
                and isinstance(old, dict)
                and value.get("kind", old.get("kind")) == old.get("kind")
            ):
                merged[name] = merge(old, value)
            else:
                merged[name] = merge(value) if isinstance(value, dict) else value
    return merged


def parse_set(assignments: Sequence[str], *, example: str = "train.steps=2000") -> Plain:
    """`["a.b=3", "a.c=word"]` as a table. Values are TOML; what is not TOML is a string.

    All of them are one layer: a `kind` does not undo what was said beside it, in whatever order.
    """
    table: Plain = {}
    for assignment in assignments:
        path, equals, text = assignment.partition("=")
        if not equals or not path.strip():
            raise UserError(f"--set {assignment}: expected NAME=VALUE, for example {example}")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text
        *parents, last = path.strip().split(".")
        inner = table
        for name in parents:
            if not isinstance(inner.get(name), dict):
                inner[name] = {}
            inner = inner[name]
        inner[last] = value
    return table


def read_toml(path: Path) -> Plain:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: is not UTF-8 (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: is not TOML: {error}") from None


def to_table(settings: Table) -> Plain:
    """Settings as a plain table, every field said."""
    table = msgspec.to_builtins(settings)
    assert isinstance(table, dict)
    return table


def to_toml(table: Plain, path: str = "") -> str:
    """A plain table as TOML: its own values first, then its tables. TOML has no null: what is None is left out."""
    own = {name: value for name, value in table.items() if value is not None and not isinstance(value, dict)}
    inner = {name: value for name, value in table.items() if isinstance(value, dict)}
    head = [f"[{path}]"] if path and (own or not inner) else []
    blocks = ["\n".join([*head, *(f"{name} = {_toml_value(value)}" for name, value in own.items())])]
    blocks += [to_toml(value, _join(path, name)) for name, value in inner.items()]
    return "\n\n".join(block for block in blocks if block)


def _toml_value(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_toml_value(item) for item in value) + "]"
    if isinstance(value, float):
        return repr(value)  # JSON has no inf and nan, TOML has
    # JSON's strings, integers and booleans are TOML's too, but for one character
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")


def walk(type_: type[Table]) -> Iterator[tuple[str, type[Table]]]:
    """Every Table that can stand anywhere below `type_`, with the path it stands at: for help, docs and tests."""

    def below(info: Any, path: str) -> Iterator[tuple[str, type[Table]]]:
        for struct in _structs(info):
            assert issubclass(struct.cls, Table)
            yield path, struct.cls
            for field in struct.fields:
                yield from below(field.type, _join(path, field.encode_name))

    yield from below(msgspec.inspect.type_info(type_), "")
