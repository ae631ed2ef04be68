"""Files whose names end in a digest of their bytes, so that damage shows before anything parses them.

A flipped bit in a Parquet file may be read as another number, or bring Polars down. The digest is part of the name, and
so it appears together with the file, in one rename. Files of earlier versions have none and are read as they are.

The first half of a digest is of the footer alone, where a Parquet file keeps its schema and the number of its rows:
that much can be trusted without reading the rest.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import PurePath

from glassware.foundation.errors import StoreError
from glassware.sweeps.places import disk_of

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


def digest_in(path: PurePath) -> str | None:
    """The digest that the name promises; None for a file of an earlier version."""
    found = _NAMED.search(path.stem)
    return found[1] if found else None


def stem_of(path: PurePath) -> str:
    """The name of a file without digest and suffix."""
    return path.stem if digest_in(path) is None else path.stem[: -DIGITS - 1]


def write_checked(folder: PurePath, stem: str, suffix: str, data: bytes) -> PurePath:
    """Write a file, whole or not at all, under a name that ends in its digest."""
    path = folder / f"{stem}-{digest(data)}{suffix}"
    disk_of(path).write(path, data)
    return path


def read_checked(path: PurePath) -> bytes:
    """The bytes of a file, verified if its name has a digest. Parse these bytes: the file may change meanwhile.

    Raises ``FileNotFoundError`` if it is not there, and a ``StoreError`` that names it if it cannot be used.
    """
    data = disk_of(path).read(path)
    promised = digest_in(path)
    if promised is not None and digest(data) != promised:
        raise damaged(path)
    return data


def check_footer(path: PurePath) -> None:
    """Refuse a Parquet file whose footer is damaged; reads nothing else of it."""
    with disk_of(path).opened(path) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 8))
        length = _footer_length(file.read(8), size)
        file.seek(size - length)
        footer = file.read(length)
    promised = digest_in(path)
    if promised is not None and _half(footer) != promised[: DIGITS // 2]:
        raise damaged(path)


def damaged(path: PurePath) -> StoreError:
    """What is said of a file whose bytes have changed since it was written."""
    return StoreError(f"{path} is damaged (its bytes do not fit its name); 'glassware store repair' moves it aside")
