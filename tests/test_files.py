"""A file or a directory is there whole, or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from regard import files


@pytest.fixture
def umask() -> Iterator[int]:
    """One that is not everybody's."""
    old = os.umask(0o027)
    yield 0o027
    os.umask(old)


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def broken(*_: object) -> None:
    raise OSError(errno.ENOSPC, "the disk is full")


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "new" / "deep" / "file.txt"
    files.write(path, "é")
    assert path.read_bytes() == "é".encode()
    files.write(path, b"\x00\r\n")
    assert path.read_bytes() == b"\x00\r\n"
    assert names(path.parent) == ["file.txt"]


@pytest.mark.parametrize(("owner", "call"), [(os, "fsync"), (Path, "replace")])
def test_a_file_that_cannot_be_written_leaves_the_old(
    owner: object, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.txt"
    files.write(path, "old")
    with monkeypatch.context() as patch:
        patch.setattr(owner, call, broken)
        with pytest.raises(OSError, match="disk is full"):
            files.write(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file.txt"]


def test_permissions_follow_the_umask(tmp_path: Path, umask: int) -> None:
    files.write(tmp_path / "file.txt", "x")
    with files.directory(tmp_path / "made") as place:
        (place / "inner.txt").write_text("x")
    assert mode(tmp_path / "file.txt") == 0o666 & ~umask
    assert mode(tmp_path / "made") == 0o777 & ~umask
    assert mode(tmp_path / "made" / "inner.txt") == 0o666 & ~umask
    assert os.umask(umask) == umask, "the umask is as it was"


def test_a_directory_takes_its_name_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "model"
    with files.directory(path) as place:
        (place / "below").mkdir()
        (place / "below" / "file.txt").write_text("x")
        assert not path.exists()
        assert place.parent == path.parent, "the same disk, so that it can be renamed"
    assert (path / "below" / "file.txt").read_text() == "x"
    assert names(path.parent) == ["model"]


def test_a_directory_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.mkdir()
    (path / "old.txt").write_text("old")
    with files.directory(path) as place:
        (place / "new.txt").write_text("new")
        assert names(path) == ["old.txt"], "the old one is there until the new one is whole"
    assert names(path) == ["new.txt"]
    assert names(tmp_path) == ["model"]


@pytest.mark.parametrize("exception", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("exists", [True, False])
def test_a_directory_that_is_not_finished_leaves_the_old(
    exists: bool, exception: type[BaseException], tmp_path: Path
) -> None:
    path = tmp_path / "model"
    if exists:
        path.mkdir()
        (path / "old.txt").write_text("old")
    with pytest.raises(exception), files.directory(path) as place:
        (place / "new.txt").write_text("half")
        raise exception
    assert names(tmp_path) == (["model"] if exists else [])
    if exists:
        assert names(path) == ["old.txt"]


def test_a_directory_that_cannot_take_its_name_leaves_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model"
    path.mkdir()
    (path / "old.txt").write_text("old")
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.name.endswith(".tmp"):
            broken()
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(OSError, match="disk is full"), files.directory(path) as place:
        (place / "new.txt").write_text("new")
    assert names(path) == ["old.txt"]
    assert names(tmp_path) == ["model"]


def test_all_that_is_in_a_directory_is_synced_before_it_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: set[int] = set()
    fsync = os.fsync

    def note(handle: int) -> None:
        synced.add(os.fstat(handle).st_ino)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", note)
    with files.directory(tmp_path / "model") as place:
        (place / "below").mkdir()
        (place / "below" / "file.txt").write_text("x")
    made = tmp_path / "model"
    for path in (tmp_path, made, made / "below", made / "below" / "file.txt"):
        assert path.stat().st_ino in synced, path


@pytest.mark.parametrize("full", [True, False])
def test_whoever_stands_in_a_directory_still_stands_in_it(
    full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "here"
    path.mkdir()
    monkeypatch.chdir(path)
    if full:
        (path / "old").mkdir()
        (path / "old" / "old.txt").write_text("old")
    with files.directory(Path()) as place:
        (place / "new.txt").write_text("new")
    assert names(Path()) == ["new.txt"]
    assert names(tmp_path) == ["here"]


def test_a_link_to_a_directory_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "old.txt").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "there")
    with files.directory(tmp_path / "link") as place:
        (place / "new.txt").write_text("new")
    assert (tmp_path / "link").is_symlink() and names(tmp_path / "there") == ["new.txt"]
    assert names(tmp_path) == ["link", "there"]


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    files.write(Path(f"/dev/fd/{writer}"), "é")
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        assert pipe.read() == "é".encode()


def test_a_full_disk_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="disk is full") as raised:
        files.write(tmp_path / "file.txt", "new")
    assert raised.value.filename == str(tmp_path / "file.txt")
