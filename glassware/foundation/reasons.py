"""Mistakes in words: what a function of the user's raised, and which name was probably meant."""

from __future__ import annotations

import difflib
import os
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from glassware.foundation.errors import GlasswareError


def reason(error: Exception, function: Callable[..., Any]) -> str:
    """Why a function failed, in one line, and in which line of its file.

    With GLASSWARE_DEBUG=1 the whole traceback is printed as well.
    """
    if os.environ.get("GLASSWARE_DEBUG"):
        traceback.print_exception(error)
    text = " ".join(str(error).split())[:200]
    said = text if isinstance(error, GlasswareError) else f"{type(error).__name__}: {text}".rstrip(": ")
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"{said} ({Path(file).name}, line {lines[-1]})" if file and lines else said


def missing_column(column: str, columns: Iterable[str]) -> str:
    """A sentence about a column that a table does not have: ``width``, where ``model.width`` is asked for."""
    known = list(columns)
    last = column.rsplit(".", 1)[-1]
    near = [last] if last in known else difflib.get_close_matches(last, known, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return f"the rows have no column '{column}'{hint}"
