"""Kept weights: one safetensors file per run beside the store's parts, its arrays named ``step/leaf``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError, safe_open

from glassware.foundation.errors import GlasswareError, StoreError
from glassware.sweeps.disk import os_errors, write_whole

FOLDER = "weights"


def keep(store: Path, run: str, arrays: Mapping[str, np.ndarray]) -> None:
    """Write the arrays of a run. A run that is trained again writes the same file again."""
    path = _path(store, run)
    with os_errors(store):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, safetensors.numpy.save({name: np.ascontiguousarray(a) for name, a in arrays.items()}))


def kept(store: Path, run: str, step: int | str = "final") -> dict[str, np.ndarray]:
    """The weights of a run at a step, by name."""
    path = _path(store, run)
    if not path.exists():
        raise GlasswareError(f'run {run} has kept no weights in {store}: give keep=("final",) in its specification')
    try:
        with safe_open(path, "np") as file:
            names = list(file.keys())
            found = {
                name.split("/", 1)[1]: file.get_tensor(name) for name in names if name.split("/", 1)[0] == str(step)
            }
    except (SafetensorError, OSError) as error:
        raise StoreError(f"{path} is damaged ({str(error).splitlines()[0][:120]})") from None
    if not found:
        steps = sorted({name.split("/", 1)[0] for name in names}, key=lambda s: (s != "first", s == "final", len(s), s))
        raise GlasswareError(f"run {run} has no weights of step {step}; it kept {', '.join(steps)}")
    return found


def _path(store: Path, run: str) -> Path:
    return store / FOLDER / f"{run}.safetensors"
