"""What kind of model a directory holds, without loading it: some commands do other things with other kinds."""

from __future__ import annotations

from pathlib import Path


def task_of(path: Path) -> str:
    """`transduce`, `classify` or `language`; what is wrong with the directory, loading it will tell."""
    import msgspec

    try:
        return str(msgspec.json.decode((_directory(path) / "config.json").read_bytes())["task"])
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return "transduce"


def columns_of(path: Path) -> str | None:
    """Which columns it was trained on, if that was said."""
    import msgspec

    try:
        found = msgspec.json.decode((_directory(path) / "config.json").read_bytes())["training"].get("columns")
    except (OSError, msgspec.MsgspecError, KeyError, TypeError, AttributeError):
        return None
    return found if isinstance(found, str) else None


def reads_pictures(path: Path) -> bool:
    """Whether sources are paths of pictures."""
    import msgspec

    try:
        return bool(msgspec.json.decode((_directory(path) / "tokeniser.source.json").read_bytes())["kind"] == "image")
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return False


def labels_of(path: Path) -> list[str]:
    from regard.text import tokenisers
    from regard.text.tokenisers.label import LabelTokeniser

    tokeniser = tokenisers.load(_directory(path) / "tokeniser.target.json")
    assert isinstance(tokeniser, LabelTokeniser)
    return tokeniser.labels


def _directory(path: Path) -> Path:
    return path if (path / "config.json").is_file() else path / "model"
