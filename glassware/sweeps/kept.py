"""Kept weights: one safetensors file per run beside the store's parts, its arrays named ``step/leaf``.

A file is called ``<run id>-<digest of its bytes>.safetensors``; those of earlier versions have no digest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import PurePath

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError

from glassware.foundation.errors import GlasswareError, StoreError
from glassware.sweeps.checked import read_checked, stem_of, write_checked
from glassware.sweeps.disk import TEMPORARY
from glassware.sweeps.places import disk_of

FOLDER, SUFFIX = "weights", ".safetensors"

# The files of each run as they were last listed, the one that counts first. Listing a folder of many files for each run
# would take long, and a file that has been replaced since has another name, so that a stale entry is noticed.
_seen: dict[PurePath, dict[str, list[PurePath]]] = {}


def keep(store: PurePath, run: str, arrays: Mapping[str, np.ndarray]) -> PurePath:
    """Write the arrays of a run. A run that is trained again replaces its file, under whatever name it was."""
    data = safetensors.numpy.save({name: np.ascontiguousarray(a) for name, a in arrays.items()})
    disk = disk_of(store)
    with disk.errors(store):
        disk.make(store / FOLDER)
        if store not in _seen:
            _seen[store] = kept_files(store)
        path = write_checked(store / FOLDER, run, SUFFIX, data)
        for before in _seen[store].get(run, []):
            if before != path:
                disk.remove(before)
        _seen[store][run] = [path]
    return path


def kept(store: PurePath, run: str, step: int | str = "final") -> dict[str, np.ndarray]:
    """The weights of a run at a step, by name."""
    path = find(store, run)
    if path is None:
        raise GlasswareError(f'run {run} has kept no weights in {store}: give keep=("final",) in its specification')
    arrays = load(path)
    found = {name.split("/", 1)[1]: a for name, a in arrays.items() if name.split("/", 1)[0] == str(step)}
    if not found:
        names = {name.split("/", 1)[0] for name in arrays}
        steps = sorted(names, key=lambda s: (s != "first", s == "final", len(s), s))
        raise GlasswareError(f"run {run} has no weights of step {step}; it kept {', '.join(steps)}")
    return found


def load(path: PurePath) -> dict[str, np.ndarray]:
    """All arrays of a file, verified before they are parsed."""
    try:
        arrays = safetensors.numpy.load(read_checked(path))
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise StoreError(f"{path} is damaged ({str(error).splitlines()[0][:120]})") from None
    if not all("/" in name for name in arrays):
        raise StoreError(f"{path} does not hold the weights of a run; remove it")
    return arrays


def find(store: PurePath, run: str) -> PurePath | None:
    """The file of a run; the newest if a crash left two."""
    found = _seen.get(store, {}).get(run)
    if not found or not disk_of(store).exists(found[0]):
        _seen[store] = kept_files(store)
        found = _seen[store].get(run)
    return found[0] if found else None


def kept_files(store: PurePath) -> dict[str, list[PurePath]]:
    """The files of all runs that keep weights, by run, newest first; of equal age the first by name."""
    found: dict[str, list[PurePath]] = defaultdict(list)
    disk = disk_of(store)
    for path in disk.entries(store / FOLDER):
        if path.suffix == SUFFIX and not path.name.startswith(TEMPORARY):
            found[run_of(path)].append(path)
    return {run: disk.newest_first(paths) for run, paths in found.items()}


def run_of(path: PurePath) -> str:
    """The run that a file of weights belongs to."""
    return stem_of(path)
