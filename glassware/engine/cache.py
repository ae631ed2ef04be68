"""Compiled programs, kept on disk between processes: the second start loads what the first compiled."""

from __future__ import annotations

import hashlib
import os
import platform
import warnings
from pathlib import Path

import jax
from platformdirs import user_cache_path

VARIABLE = "GLASSWARE_CACHE"
WORTH_KEEPING = 0.3  # seconds to compile; JAX makes many small programs that take less
MOST_PROGRAMS = 2000  # a few hundred kilobytes each; the oldest beyond this are deleted


def keep_compiled() -> Path | None:
    """Turn on JAX's compilation cache and return its folder; None if it stays off, which is never an error.

    ``GLASSWARE_CACHE`` names another folder, or is ``off``. A cache that the user has set in JAX is left alone.
    """
    if getattr(jax.config, "jax_compilation_cache_dir", None) or not cache_wanted():
        return None
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _prune(folder)
    except OSError:
        return None
    if not os.access(folder, os.W_OK):
        return None
    # A full disk, or an entry that a killed process left half written, costs one more compilation and nothing else.
    warnings.filterwarnings("ignore", message="Error (reading|writing) persistent compilation cache entry")
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", WORTH_KEEPING)
    return folder


def cache_wanted() -> bool:
    """Whether compiled programs are kept at all."""
    return os.environ.get(VARIABLE, "").lower() not in ("off", "0")


def cache_folder() -> Path:
    """The user's cache folder, or the one that ``GLASSWARE_CACHE`` names; one subfolder per kind of processor."""
    named = os.environ.get(VARIABLE)
    user = Path(named) if named else user_cache_path("glassware", appauthor=False)
    return user / "programs" / _processor()


def _processor() -> str:
    """A hash of this processor's instruction set: machines that share a home folder must not share machine code."""
    facts = f"{platform.machine()} {platform.processor()}"
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        facts += next((line for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:  # not Linux
        pass
    return hashlib.sha256(facts.encode()).hexdigest()[:12]


def _prune(folder: Path) -> None:
    """Delete the oldest programs beyond ``MOST_PROGRAMS``."""
    found = [(entry.stat().st_mtime, entry.path) for entry in os.scandir(folder) if entry.is_file()]
    for _, path in sorted(found, reverse=True)[MOST_PROGRAMS:]:
        Path(path).unlink(missing_ok=True)
