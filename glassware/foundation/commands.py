"""Commands that sentences suggest: with the files of parts that the present command was given, or they would fail."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

_parts: list[str] = []


def set_parts(files: Iterable[object]) -> None:
    """Remember the files of parts that the present command was given."""
    _parts[:] = [str(file) for file in files]


def command(words: str, *, shared: bool = False) -> str:
    """A command to suggest: ``glassware --parts mine.py reproduce mine/width``.

    ``shared``: for other people, to whom the folders of this machine say nothing.
    """
    files = [Path(file).name if shared else file for file in _parts]
    return " ".join(["glassware", *(f"--parts {shlex.quote(file)}" for file in files), words])
