"""Commands that sentences suggest: with the files of parts that the present command was given, or they would fail."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable

_parts: list[str] = []


def set_parts(files: Iterable[object]) -> None:
    """Remember the files of parts that the present command was given."""
    _parts[:] = [str(file) for file in files]


def parts_given() -> list[str]:
    """The files of parts that the present command was given, as other processes find them."""
    return [os.path.abspath(file) for file in _parts]


def command(words: str) -> str:
    """A command to suggest: ``glassware --parts mine.py reproduce mine/width``."""
    return " ".join(["glassware", *(f"--parts {shlex.quote(file)}" for file in _parts), words])
