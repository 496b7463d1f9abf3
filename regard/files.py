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
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # a device or a pipe: nothing to keep whole
        return
    path = path.resolve()  # a link stays a link
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with named(path), os.fdopen(handle, "wb") as file:
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
def alone(directory: Path) -> Iterator[bool]:
    """Whether no other process is in such a block with this directory, which gets a file for that: `lock`.

    The system forgets of whoever dies in the block. Where it cannot tell (Windows, some shares), everybody is alone.
    """
    try:
        import fcntl
    except ImportError:
        yield True
        return
    with (directory / "lock").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        except OSError:
            pass
        yield True


def taken(directory: Path) -> bool:
    """Whether another process is in such a block."""
    if not (directory / "lock").exists():
        return False
    try:
        with alone(directory) as nobody_else:
            return not nobody_else
    except OSError:  # not ours to write
        return False


@contextlib.contextmanager
def named(path: Path) -> Iterator[None]:
    """An error in the block says where: a full disk does not know the name of the file."""
    try:
        yield
    except OSError as error:
        if error.errno is not None:
            error.filename = error.filename or str(path)
        raise


@contextlib.contextmanager
def directory(path: Path, *, replace: bool = True) -> Iterator[Path]:
    """A directory to fill; it takes the name `path` only when the block has ended well, replacing what was there.

    If it shall not replace anything, a directory that has come to be there meanwhile is an OSError.
    """
    path = path.resolve()  # a link stays a link
    # a mount cannot be renamed, and whoever stands in a directory shall still stand in it
    # (Path.is_mount is not there on every system)
    stays = path.is_dir() and (os.path.ismount(path) or path == Path.cwd() or not any(path.iterdir()))
    beside = path if stays else path.parent
    try:
        beside.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=beside, prefix=f".{path.name}.", suffix=".tmp"))
    except OSError as error:  # nobody knows the temporary name
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with named(path):
            yield temporary
            for inner in (temporary, *temporary.rglob("*")):
                # whoever wrote it (safetensors) may have kept it to themselves, and a model is to be given away
                inner.chmod((0o777 if inner.is_dir() else 0o666) & ~_umask())
                sync_directory(inner) if inner.is_dir() else _sync_file(inner)
            if stays:
                empty(path, but=temporary)
                for inner in temporary.iterdir():
                    inner.rename(path / inner.name)
                temporary.rmdir()
            elif replace:
                _take_place(path, temporary)
            else:
                temporary.rename(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    sync_directory(beside)


def _take_place(path: Path, new: Path) -> None:
    if not path.exists():
        new.rename(path)
        return
    # rename cannot replace a directory that is not empty: the old one steps aside first
    old = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".old"))
    try:
        path.rename(old / path.name)
        try:
            new.rename(path)
        except BaseException:
            (old / path.name).rename(path)
            raise
    except BaseException:
        old.rmdir()
        raise
    shutil.rmtree(old)


def empty(path: Path, *, but: Path | None = None) -> None:
    """Remove what is in a directory, and let itself stand."""
    for inner in path.iterdir():
        if inner != but:
            shutil.rmtree(inner) if inner.is_dir() and not inner.is_symlink() else inner.unlink()


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
