"""Files whose names end in a digest of their bytes, so that damage shows before anything parses them.

A flipped bit in a Parquet file may be read as another number, or bring Polars down. The digest is part of the name, and
so it appears together with the file, in one rename. Files of earlier versions have none and are read as they are.

The first half of a digest is of the footer alone, where a Parquet file keeps its schema and the number of its rows:
that much can be trusted without reading the rest.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from glassware.foundation.errors import StoreError
from glassware.sweeps.disk import write_whole

MAGIC = b"PAR1"  # how a Parquet file begins and ends
DIGITS = 32  # hexadecimal; no other name in a store ends in so many
_NAMED = re.compile(rf"-([0-9a-f]{{{DIGITS}}})$")


def digest(data: bytes) -> str:
    """What a file with these bytes is called at the end: half for its footer, half for all of it."""
    return _half(data[-_footer_length(data[-8:], len(data)) :]) + _half(data)


def _half(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=DIGITS // 4).hexdigest()


def _footer_length(end: bytes, size: int) -> int:
    """Bytes of a Parquet footer by the last eight of a file; the whole file if it has none."""
    length = int.from_bytes(end[:4], "little") + 8
    return length if end[4:] == MAGIC and length <= size else size


def digest_in(path: Path) -> str | None:
    """The digest that the name promises; None for a file of an earlier version."""
    found = _NAMED.search(path.stem)
    return found[1] if found else None


def stem_of(path: Path) -> str:
    """The name of a file without digest and suffix."""
    return path.stem if digest_in(path) is None else path.stem[: -DIGITS - 1]


def write_checked(folder: Path, stem: str, suffix: str, data: bytes) -> Path:
    """Write a file, whole or not at all, under a name that ends in its digest."""
    path = folder / f"{stem}-{digest(data)}{suffix}"
    write_whole(path, data)
    return path


def read_checked(path: Path) -> bytes:
    """The bytes of a file, verified if its name has a digest. Parse these bytes: the file may change meanwhile.

    Raises ``FileNotFoundError`` if it is not there, and a ``StoreError`` that names it if it cannot be used.
    """
    with opened(path) as file:
        data = file.read()
    promised = digest_in(path)
    if promised is not None and digest(data) != promised:
        raise damaged(path)
    return data


def check_footer(path: Path) -> None:
    """Refuse a Parquet file whose footer is damaged; reads nothing else of it."""
    with opened(path) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 8))
        length = _footer_length(file.read(8), size)
        file.seek(size - length)
        footer = file.read(length)
    promised = digest_in(path)
    if promised is not None and _half(footer) != promised[: DIGITS // 2]:
        raise damaged(path)


def damaged(path: Path) -> StoreError:
    """What is said of a file whose bytes have changed since it was written."""
    return StoreError(f"{path} is damaged (its bytes do not fit its name); 'glassware store repair' moves it aside")


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file to read, if it is one. Opening a pipe would wait for a writer, and is refused instead."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            os.close(handle)
            what = "a folder" if stat.S_ISDIR(mode) else "not a file"
            raise StoreError(f"{path} is {what} and does not belong in a glassware store; remove it")
        with os.fdopen(handle, "rb") as file:
            yield file
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from None
