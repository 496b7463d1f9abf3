"""The documentation says what the code does."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from regard.cli.main import COMMANDS, run

ROOT = Path(__file__).parent.parent


def test_the_page_of_settings_is_current() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "make_settings.py"))["page"]()
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == page, "run `make fix`"


def test_the_changelog_knows_the_version() -> None:
    import regard

    assert f"## {regard.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_readme_has_the_options_it_is_given(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(rf"^regard {name} .*$", readme, re.MULTILINE)
    given = {option for line in lines for option in re.findall(r" (--[a-z-]+)", line.split("#")[0])}
    assert run([name, "--help"]) == 0
    known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    assert given <= known


def test_links_of_the_readme_lead_somewhere() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", readme):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target


def test_the_help_of_train_names_every_preset(capsys: pytest.CaptureFixture[str]) -> None:
    from regard.run.settings import presets

    assert run(["train", "--help"]) == 0
    listed = capsys.readouterr().out.split("Presets:")[1]
    assert {word.strip(",") for word in listed.split()} >= set(presets())
