"""Atomic writes, and errors of the operating system as one sentence.

By hand: of the libraries for it, atomicwrites is no longer maintained and fsspec's transactions do not sync.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path, PurePath

from glassware.foundation.errors import StoreError

TEMPORARY = ".tmp-"  # how the names of unfinished files begin


def write_whole(path: Path, data: bytes) -> None:
    """Temporary name, sync, rename, sync the folder: the file is whole or absent, even after a power cut."""
    temporary = path.with_name(f"{TEMPORARY}{uuid.uuid4().hex[:8]}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    if os.name == "nt":  # cannot open a folder, nor needs to: it journals names itself
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextlib.contextmanager
def os_errors(path: PurePath) -> Iterator[None]:
    """Turn an error of the operating system into one sentence about the store."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot write to store {path}: {error.strerror}; what it holds is intact") from None
