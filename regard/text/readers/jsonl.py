"""JSONL: one object a line, {"source": …, "target": …}, perhaps with "references": […] that are right as well."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from regard.errors import UserError, suggest
from regard.text.pair import Pair, check_utf8
from regard.text.readers.columns import Columns, make_pair
from regard.text.readers.lines import read_lines, title


def read(name: str, columns: Columns | None) -> Iterator[Pair]:
    for number, line in enumerate(read_lines(name), start=1):
        if line:
            where = f"{title(name)}:{number}"
            yield _pair(_object(line, where), columns, where)


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise UserError(f"{where}: is not JSON: {error.msg} (character {error.colno})") from None
    except (ValueError, RecursionError) as error:  # a number too long, lists too deep
        raise UserError(f"{where}: is not JSON that can be read: {error}") from None
    if not isinstance(value, dict):
        raise UserError(f'{where}: is not a JSON object such as {{"source": "…", "target": "…"}}')
    return value


def _pair(value: dict[str, Any], columns: Columns | None, where: str) -> Pair:
    columns = columns and columns.found(value.keys())
    if columns is not None:
        source, *targets = [_string(value, key, where) for key in columns.names]
        return make_pair(source, targets, where)
    references = value.get("references", [])
    if not isinstance(references, list) or not all(isinstance(text, str) for text in references):
        raise UserError(f'{where}: "references" is not a list of strings')
    targets = [_string(value, "target", where), *(_utf8(text, "references", where) for text in references)]
    return make_pair(_string(value, "source", where), targets, where)


def _string(value: dict[str, Any], key: str, where: str) -> str:
    if key not in value:
        hint = suggest(key, value) or "; choose keys with --columns, such as --columns en,fr"
        raise UserError(f'{where}: has no key "{key}"{hint}')
    if not isinstance(value[key], str):
        raise UserError(f'{where}: "{key}" is not a string')
    return _utf8(value[key], key, where)


def _utf8(text: str, key: str, where: str) -> str:
    check_utf8(text, f'{where}: "{key}"')
    return text
