"""Writing files that are whole or not there, and what the system says against it."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

from glassware.errors import StoreError

TEMPORARY = ".tmp-"  # how the names of unfinished files begin


def write_whole(path: Path, data: bytes) -> None:
    """Temporary name, sync, rename, sync the folder: the file is whole or absent, even after a power cut."""
    temporary = path.with_name(f"{TEMPORARY}{uuid.uuid4().hex[:8]}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextlib.contextmanager
def os_errors(path: Path) -> Iterator[None]:
    """What the system refuses as one sentence about the store."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot write to store {path}: {error.strerror}; what it holds is intact") from None
