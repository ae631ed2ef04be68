"""Names that others chose, of files and columns: shown safely, and refused where nothing could be kept under them."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from glassware.foundation.errors import GlasswareError

LONGEST = 255  # bytes of a name on the usual file systems
LONGEST_PATH = 4000
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # one slash: Path makes s3:/bucket of s3://bucket


def printable(text: str) -> str:
    """The text with its control characters spelt out; lines stay.

    A terminal would obey them: a name could move the cursor, hide text or write it from right to left.
    """
    return "".join(one if one == "\n" or _harmless(one) else _spelt(one) for one in text)


def check_path(path: str | Path) -> None:
    """Refuse a path where nothing can be kept, in one sentence; by its name alone, nothing is touched."""
    text = os.fspath(path)
    shown = printable(text if len(text) <= 2 * LONGEST else text[:LONGEST] + "…")
    if ADDRESS.match(text):
        shown = re.sub(":/+", "://", shown, count=1)
        raise GlasswareError(f"{shown} is an address, not a folder or a file of this machine")
    if "\0" in text:
        raise GlasswareError(f"a name cannot have a zero byte: {shown}")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:  # bytes that are no text reach Python as lone surrogates
        raise GlasswareError(f"the name {shown} is not text in UTF-8") from None
    if size > LONGEST_PATH or any(len(part.encode()) > LONGEST for part in Path(text).parts):
        raise GlasswareError(f"the name {shown} is too long for a file system")


def _harmless(one: str) -> bool:
    return one.isprintable() or unicodedata.category(one) == "Zs"


def _spelt(one: str) -> str:
    return one.encode("unicode_escape").decode("ascii")
