"""The plan of the house: who may ask whom, what importing costs, and that every setting is documented."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata, resources
from pathlib import Path

import msgspec
import pytest

import regard
from regard import tasks
from regard.config import Table, walk
from regard.errors import UserError
from regard.models import ClassifierSettings
from regard.models.weights import count
from regard.run.settings import Settings, layered, preset, presets
from regard.tasks.base import Task
from regard.text import tokenisers
from regard.text.pictures import Pictures
from regard.text.tokenisers import ImageSettings

HOUSE = Path(regard.__file__).parent
FILES = sorted(HOUSE.rglob("*.py"))
# lowest first: a file imports only from lower rooms, or from its own
ORDER = [
    {"errors", "config", "files", "presets"},
    {"text"},
    {"nn"},
    {"models"},
    {"search"},
    {"evaluate"},
    {"tasks"},
    {"explain"},
    {"model"},
    {"training"},
    {"run"},
    {"cli"},
    {"__main__"},
]
FLOOR = {room: floor for floor, rooms in enumerate(ORDER) for room in rooms}
HEAVY = ("torch", "numpy", "tokenizers", "safetensors", "rich", "matplotlib", "sacrebleu")


def title(path: Path) -> str:
    return str(path.relative_to(HOUSE))


def room(path: Path) -> str:
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports anywhere, by their full names; `from a import b` is a.b."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{title(path)}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", [path for path in FILES if path != HOUSE / "__init__.py"], ids=title)
def test_a_file_imports_only_from_lower_rooms(path: Path) -> None:
    here = room(path)
    for module in imports(path):
        package, _, rest = module.partition(".")
        if package == "regard" and rest and rest != "__version__":
            other = rest.split(".")[0]
            assert other == here or FLOOR[other] < FLOOR[here] or FLOOR[other] == FLOOR[here] == 0, module


@pytest.mark.parametrize("path", [path for path in FILES if room(path) == "text"], ids=title)
def test_text_knows_no_torch(path: Path) -> None:
    assert "torch" not in {module.split(".")[0] for module in imports(path)}


@pytest.mark.parametrize("path", [path for path in FILES if room(path) != "cli"], ids=title)
def test_nothing_below_the_command_line_prints(path: Path) -> None:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    assert "print" not in {node.id for node in nodes if isinstance(node, ast.Name)}


def loaded(module: str) -> list[str]:
    """What heavy things a fresh interpreter has loaded after importing a module."""
    program = f"import sys, {module}; print(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


TABLES = list(dict.fromkeys(table for _, table in walk(Settings)))


@pytest.mark.parametrize("module", ["regard", *sorted({table.__module__ for table in TABLES})])
def test_importing_names_and_settings_costs_little(module: str) -> None:
    assert loaded(module) == []


def test_the_public_names_are_there() -> None:
    assert set(regard.__all__) == {"__version__", "load", "resume", "train"}
    for name in regard.__all__:
        assert getattr(regard, name)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        regard.nonsense  # noqa: B018


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_setting_is_documented(table: type[Table]) -> None:
    # an inherited docstring says nothing of what is different here
    assert (table.__dict__.get("__doc__") or "").strip()
    info = msgspec.inspect.type_info(table)
    assert isinstance(info, msgspec.inspect.StructType)
    for field in info.fields:
        described = isinstance(field.type, msgspec.inspect.Metadata) and field.type.extra_json_schema
        assert described and described.get("description"), f"{table.__name__}.{field.name}"
        assert not field.required, f"{table.__name__}.{field.name} has a default"


def built(name: str) -> Task:
    settings = layered(preset(name), where=name)
    assert settings.preset == name
    pieces = tokenisers.train(tokenisers.CharSettings(), ["ab"])
    labels = tokenisers.train(tokenisers.LabelSettings(), ["a", "b"])
    source = Pictures(32, 64) if isinstance(settings.text.source, ImageSettings) else pieces
    target = labels if isinstance(settings.model, ClassifierSettings) else pieces
    return tasks.build(settings.model, {"source": source, "target": target})


@pytest.mark.parametrize("name", presets())
def test_every_preset_can_be_read_and_built(name: str) -> None:
    assert built(name).device.type == "cpu"


@pytest.mark.parametrize("family", ["", "transformer-", "hybrid-", "classifier-", "language-", "image-"])
def test_a_family_comes_in_three_sizes(family: str) -> None:
    tiny, small, base = (count(built(f"{family}{size}").network) for size in ("tiny", "small", "base"))
    assert 2 * tiny < small and 1.5 * small < base


def test_a_misspelt_preset_is_refused() -> None:
    with pytest.raises(UserError, match=r"preset tinny: is not one of .*did you mean `tiny`\?"):
        preset("tinny")


def test_the_package_holds_its_data_and_its_types() -> None:
    package = resources.files("regard")
    assert (package / "py.typed").is_file()
    assert set(presets()) == {path.stem for path in (HOUSE / "presets").glob("*.toml")} >= {"tiny", "small", "base"}
    project = tomllib.loads((HOUSE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["regard"]
    assert metadata.version("regard") == regard.__version__
