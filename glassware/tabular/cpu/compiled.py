"""How the functions of the kernel for tables are compiled, and where the machine code is kept."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

from glassware.engine.cache import cache_folder, cache_wanted

Function = TypeVar("Function", bound=Callable[..., Any])


def _sources() -> str:
    """Names this version of the kernel. Numba looks at a function's own file only, not at those it calls."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


FOLDER = str(cache_folder() / f"tables-{_sources()}")


def compiled(function: Function) -> Function:
    """Compile when first called, without the interpreter's lock, and keep the machine code on disk."""
    theirs = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = FOLDER
    try:
        return numba.njit(nogil=True, cache=cache_wanted(), error_model="numpy")(function)
    except RuntimeError:  # no folder to write to
        return numba.njit(nogil=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = theirs


def inlined(function: Function) -> Function:
    """Compile as part of whatever calls it, and so only once."""
    return numba.njit(inline="always")(function)


def forget() -> None:
    """Throw the kept machine code away: what a killed process left half written cannot be loaded."""
    shutil.rmtree(FOLDER, ignore_errors=True)
