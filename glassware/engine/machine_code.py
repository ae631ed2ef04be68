"""How functions of our CPU kernels are compiled by Numba, and where the machine code is kept."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

import numba

from glassware.engine import threefry, vectors
from glassware.engine.cache import cache_folder, cache_wanted

Function = TypeVar("Function", bound=Callable[..., object])
Built = TypeVar("Built")


class Callback(Protocol):
    """A compiled function with an address."""

    address: int


class MachineCode:
    """The compiled functions of one kernel: the files of the folder ``sources``."""

    def __init__(self, name: str, sources: Path) -> None:
        # Named by all its files: Numba looks at a function's own file only, not at those it calls.
        digest = hashlib.sha256()
        for path in [*sorted(sources.glob("*.py")), Path(vectors.__file__), Path(threefry.__file__)]:
            digest.update(path.read_bytes())
        self.folder = cache_folder() / f"{name}-{digest.hexdigest()[:12]}"

    def compiled(self, function: Function) -> Function:
        """Compile when first called, without the interpreter's lock, and keep the machine code on disk."""
        theirs = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(self.folder)
        try:
            return numba.njit(nogil=True, cache=cache_wanted(), error_model="numpy")(function)
        except RuntimeError:  # no folder to write to
            return numba.njit(nogil=True, error_model="numpy")(function)
        finally:
            numba.config.CACHE_DIR = theirs

    def callback(self, signature: object, function: Callable[..., object]) -> Callback:
        """Compile now, for callers that know an address only, and keep the machine code on disk."""
        theirs = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(self.folder)
        try:
            return numba.cfunc(signature, cache=cache_wanted(), error_model="numpy")(function)
        except RuntimeError:  # no folder to write to
            return numba.cfunc(signature, error_model="numpy")(function)
        finally:
            numba.config.CACHE_DIR = theirs

    def build(self, make: Callable[[], Built]) -> Built:
        """What ``make`` returns, which loads or compiles these functions. If it fails, the kept machine code is thrown
        away and it is called once more: what a killed process left half written raises any error when loaded."""
        try:
            return make()
        except Exception:
            shutil.rmtree(self.folder, ignore_errors=True)
            return make()


def inlined(function: Function) -> Function:
    """Compile as part of whatever calls it, and so only once."""
    return numba.njit(inline="always")(function)
