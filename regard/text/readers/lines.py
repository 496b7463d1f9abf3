"""Bytes to numbered lines: opening, decompressing, decoding. What every reader stands on.

A line ends at "\\n" and nowhere else; one "\\r" before it is taken off, and so is a BOM at the start of the file.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from regard.errors import UserError

BOM = b"\xef\xbb\xbf"
GZIP = b"\x1f\x8b"
XZ = b"\xfd7zXZ\x00"


def read_lines(name: str | Path) -> Iterator[str]:
    """The lines of a file, or of standard input for "-"; a last line without "\\n" counts."""
    for number, line in enumerate(_raw_lines(str(name)), start=1):
        text = line.removesuffix(b"\n").removesuffix(b"\r")
        if number == 1:
            text = text.removeprefix(BOM)
        try:
            yield text.decode()
        except UnicodeDecodeError as error:
            raise UserError(
                f"{title(name)}:{number}: is not UTF-8 (byte {error.start + 1} of the line); save the file as UTF-8"
            ) from None


def read_text(name: str | Path) -> str:
    """A whole file as it is, but for a BOM, and "\\r\\n" read as "\\n"."""
    data = b"".join(_raw_lines(str(name))).removeprefix(BOM)
    try:
        return data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(f"{title(name)}:{line}: is not UTF-8; save the file as UTF-8") from None


def title(name: str | Path) -> str:
    """What messages call the file."""
    return "stdin" if str(name) == "-" else str(name)


def _raw_lines(name: str) -> Iterator[bytes]:
    try:
        with contextlib.ExitStack() as stack:
            stream = _standard_input() if name == "-" else stack.enter_context(Path(name).open("rb"))
            yield from stack.enter_context(_decompressed(stream))
    except (gzip.BadGzipFile, zlib.error, lzma.LZMAError, EOFError) as error:
        raise UserError(f"{title(name)}: its compressed data is broken or cut short ({error})") from None
    except OSError as error:
        raise UserError(f"{title(name)}: cannot be read: {error.strerror or error}") from None


def _standard_input() -> io.BufferedReader:
    stream = sys.stdin.buffer
    # a stand-in without `peek` (a BytesIO) is read whole; the real one line by line, as they come
    return stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(io.BytesIO(stream.read()))


def _decompressed(stream: io.BufferedReader) -> contextlib.AbstractContextManager[BinaryIO | io.BufferedIOBase]:
    """The stream as it is, or through gzip or xz if it begins as they do, whatever its name."""
    head = stream.peek(len(XZ))
    if head.startswith(GZIP):
        return gzip.GzipFile(fileobj=stream, mode="rb")
    if head.startswith(XZ):
        return lzma.LZMAFile(stream)
    return contextlib.nullcontext(stream)
