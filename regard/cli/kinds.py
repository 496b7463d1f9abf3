"""What kind of model a directory holds, without loading it: some commands do other things with other kinds."""

from __future__ import annotations

from pathlib import Path


def task_of(path: Path) -> str:
    """`transduce`, `classify` or `language`; what is wrong with the directory, loading it will tell."""
    found = _told(path, "config.json", "task")
    return "transduce" if found is None else str(found)


def columns_of(path: Path) -> str | None:
    """Which columns it was trained on, if that was said."""
    found = _told(path, "config.json", "training", "columns")
    return found if isinstance(found, str) else None


def reads_pictures(path: Path) -> bool:
    """Whether sources are paths of pictures."""
    return _told(path, "tokeniser.source.json", "kind") == "image"


def labels_of(path: Path) -> list[str]:
    from regard.text import tokenisers
    from regard.text.tokenisers.label import LabelTokeniser

    tokeniser = tokenisers.load(_directory(path) / "tokeniser.target.json")
    assert isinstance(tokeniser, LabelTokeniser)
    return tokeniser.labels


def _told(path: Path, name: str, *keys: str) -> object:
    """What a file of the model says there; None if it is not to be read or does not say."""
    import msgspec

    try:
        found = msgspec.json.decode((_directory(path) / name).read_bytes())
        for key in keys:
            found = found[key]
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return None
    return found


def _directory(path: Path) -> Path:
    return path if (path / "config.json").is_file() else path / "model"
