"""Files that are written for others, whole or not at all."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from glassware.foundation.errors import GlasswareError


def written(path: Path, content: bytes) -> Path:
    """Write a file under a temporary name first, and return its path; a failure is one sentence."""
    temporary = path.with_name(f".{path.name}.writing")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        return temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise GlasswareError(f"cannot write {path}: {error.strerror or error}") from None
