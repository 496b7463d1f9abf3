"""What every picture needs: PNG, or SVG whose text stays text; fonts that have its characters; the same file again."""

from __future__ import annotations

import contextlib
import io
import logging
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from regard import files
from regard.errors import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FONT = "DejaVu Sans"  # comes with matplotlib
METADATA = {"png": {"Software": None}, "svg": {"Date": None}}  # the same picture is the same file


def save(path: Path, text: str, draw: Callable[[], Figure]) -> str:
    """Write what `draw` gives; returns the characters of `text` that no font of this machine can show."""
    kind = check(path)
    with _quiet():
        import matplotlib

        families, missing = _fonts(text)
        options = {"font.family": families, "text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "regard"}
        with matplotlib.rc_context(options):  # type: ignore[arg-type]
            content = io.BytesIO()
            draw().savefig(content, format=kind, dpi=150, bbox_inches="tight", metadata=METADATA[kind])
    files.write(path, content.getvalue())
    return missing


def check(path: Path) -> str:
    """'png' or 'svg', as the name says."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in METADATA:
        raise UserError(f"{path}: a picture is written as .png or .svg: give it a name that ends in one of them")
    return kind


def _fonts(text: str) -> tuple[list[str], str]:
    """Families that together show the text, those that show most of the rest first, and what none of them can."""
    from matplotlib import font_manager, get_data_path

    def shown(path: str, characters: set[str]) -> set[str]:
        font = font_manager.get_font(path)
        return {character for character in characters if font.get_char_index(ord(character))}

    missing = {character for character in text if not _is_mark(character)}
    missing -= shown(font_manager.findfont(FONT), missing)
    families = [FONT]
    if missing:
        # matplotlib's other fonts are of formulas, or have a box for every character
        others = {
            entry.name: shown(entry.fname, missing)
            for entry in sorted(font_manager.fontManager.ttflist, key=lambda entry: (entry.name, entry.fname))
            if entry.style == "normal"
            and not entry.fname.startswith(get_data_path())
            and "LastResort" not in entry.name
        }
        while missing and others:
            best = max(others, key=lambda name: len(others[name] & missing))
            if not others[best] & missing:
                break
            families.append(best)
            missing -= others.pop(best)
    return families, "".join(sorted(missing))


def _is_mark(character: str) -> bool:
    """Joiners and selectors of variants, which a font need not have."""
    return unicodedata.category(character) == "Cf" or "\ufe00" <= character <= "\ufe0f" or character.isspace()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without matplotlib's own words about fonts and layout: the caller is told by what `save` returns."""
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
