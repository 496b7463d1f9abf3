"""The one durable writer: a file or directory is there whole, or not at all.

Everything is written under a temporary name beside its place, synced, renamed, and the parent directory synced.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path


def write(path: Path, content: bytes | str) -> None:
    """Put `content` at `path`, replacing what was there, so that a reader sees the old or the new, never a part."""
    data = content.encode() if isinstance(content, str) else content
    path = path.resolve()  # a link stays a link
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # a device or a pipe: nothing to keep whole
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


@contextlib.contextmanager
def directory(path: Path) -> Iterator[Path]:
    """A directory to fill; it takes the name `path` only when the block has ended well, replacing what was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp"))
    try:
        yield temporary
        for inner in (temporary, *temporary.rglob("*")):
            sync_directory(inner) if inner.is_dir() else _sync_file(inner)
        temporary.chmod(0o777 & ~_umask())
        if path.exists():
            # rename cannot replace a directory that is not empty: the old one steps aside first
            old = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".old"))
            path.rename(old / path.name)
            try:
                temporary.rename(path)
            except BaseException:
                (old / path.name).rename(path)
                old.rmdir()
                raise
            shutil.rmtree(old)
        else:
            temporary.rename(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make the names in `path` durable; a system that cannot open directories has nothing to sync."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_file(path: Path) -> None:
    with path.open("rb+") as file:  # some systems sync only what could be written
        os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
