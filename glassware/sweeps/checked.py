"""Files whose names end in a digest of their bytes, so that damage shows before anything parses them.

A flipped bit in a Parquet file may be read as another number, or bring Polars down. The digest is part of the name, and
so it appears together with the file, in one rename. Files of earlier versions have none and are read as they are.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path

from glassware.foundation.errors import StoreError
from glassware.sweeps.disk import write_whole

DIGITS = 32  # hexadecimal; no other name in a store ends in so many
_NAMED = re.compile(rf"-([0-9a-f]{{{DIGITS}}})$")


def digest(data: bytes) -> str:
    """What a file with these bytes is called at the end."""
    return hashlib.blake2b(data, digest_size=DIGITS // 2).hexdigest()


def digest_in(path: Path) -> str | None:
    """The digest that the name promises; None for a file of an earlier version."""
    found = _NAMED.search(path.stem)
    return found[1] if found else None


def write_checked(folder: Path, stem: str, suffix: str, data: bytes) -> Path:
    """Write a file, whole or not at all, under a name that ends in its digest."""
    path = folder / f"{stem}-{digest(data)}{suffix}"
    write_whole(path, data)
    return path


def read_checked(path: Path) -> bytes:
    """The bytes of a file, verified if its name has a digest. Parse these bytes: the file may change meanwhile.

    Raises ``FileNotFoundError`` if it is not there, and a ``StoreError`` that names it if it cannot be used.
    """
    try:
        # Opening a pipe would wait for a writer; with this flag it returns at once, and is then refused.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise StoreError(f"{path} is not a file and does not belong in a glassware store; remove it")
            data = file.read()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from None
    promised = digest_in(path)
    if promised is not None and digest(data) != promised:
        raise StoreError(f"{path} is damaged (its bytes do not fit its name); 'glassware store repair' moves it aside")
    return data
