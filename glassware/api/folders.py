"""Where results and figures are unless you say otherwise, and folders that cannot be used, refused early."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import TypeAlias

from glassware.foundation.address import place_of
from glassware.foundation.errors import GlasswareError
from glassware.foundation.names import check_path
from glassware.sweeps import Store
from glassware.sweeps.places import disk_of

STORE, FIGURES = "results/store", "results/figures"

AnyStore: TypeAlias = Store | str | PurePath


def as_store(store: AnyStore) -> Store:
    """A store, by itself or by its folder, which need not be there yet."""
    return store if isinstance(store, Store) else Store(store)


def existing(store: AnyStore) -> Store:
    """A store to read from: a place that is not there is likelier misspelt than an empty store."""
    if isinstance(store, Store):
        return store
    place = place_of(store)
    if not disk_of(place).exists(place):
        raise GlasswareError(f"there is no store at {store}; 'glassware reproduce' and 'glassware sweep' make one")
    return as_store(store)


def check_figures(folder: str | Path) -> None:
    """Fail early if the folder for figures is not writable; it is not made yet."""
    check_path(folder)
    for place in (Path(folder), *Path(folder).absolute().parents):
        if place.exists():
            if not place.is_dir():
                raise GlasswareError(f"cannot write figures to {folder}: {place} is a file")
            if not os.access(place, os.W_OK):
                raise GlasswareError(f"cannot write figures to {folder}: no permission in {place}")
            return
