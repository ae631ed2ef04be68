"""Compiled programs, kept on disk between processes: a second start compiles nothing it has compiled before."""

from __future__ import annotations

import hashlib
import os
import platform
import warnings
from pathlib import Path

import jax

VARIABLE = "GLASSWARE_CACHE"
WORTH_KEEPING = 0.3  # seconds of compiling; JAX makes many programs that take less
MOST_PROGRAMS = 2000  # of some hundred kilobytes each; beyond this the oldest go


def keep_compiled() -> Path | None:
    """Let JAX keep what it compiles, and say where; None where it does not, which is never an error.

    ``GLASSWARE_CACHE`` names another folder, or is ``off``. Whoever has set JAX's own cache keeps it.
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
    # A disk that fills up, or an entry that a killed process left half written, costs a compilation and no more.
    warnings.filterwarnings("ignore", message="Error (reading|writing) persistent compilation cache entry")
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", WORTH_KEEPING)
    return folder


def cache_wanted() -> bool:
    """Whether compiled programs are kept at all."""
    return os.environ.get(VARIABLE, "").lower() not in ("off", "0")


def cache_folder() -> Path:
    """The user's cache folder, or the one that ``GLASSWARE_CACHE`` names; a folder in it for each kind of processor."""
    user = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "glassware"
    return Path(os.environ.get(VARIABLE) or user) / "programs" / _processor()


def _processor() -> str:
    """Names the instructions this processor has: machines that share a home folder must not share machine code."""
    facts = f"{platform.machine()} {platform.processor()}"
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        facts += next((line for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:  # not Linux
        pass
    return hashlib.sha256(facts.encode()).hexdigest()[:12]


def _prune(folder: Path) -> None:
    """Remove the oldest programs beyond the most that are kept."""
    found = [(entry.stat().st_mtime, entry.path) for entry in os.scandir(folder) if entry.is_file()]
    for _, path in sorted(found, reverse=True)[MOST_PROGRAMS:]:
        Path(path).unlink(missing_ok=True)
