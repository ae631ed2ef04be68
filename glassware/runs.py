"""Sweeps as one function: what trains without a study."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from glassware.engine import Engine
from glassware.foundation.errors import GlasswareError
from glassware.progress import Progress
from glassware.sweeps import Reporter, Store, parse_share
from glassware.sweeps import sweep as train_sweep
from glassware.training import Run


def sweep(
    runs: Iterable[Run] | str | Path,
    store: Store | str | Path | None = None,
    *,
    lanes: int | None = None,
    engine: Engine = "auto",
    share: str | None = None,
    progress: bool | Reporter = False,
) -> pl.DataFrame:
    """Train the runs that the store does not have yet and return the rows of all of them, in the order given.

    Args:
        runs: runs (see ``grid``), or the path of a TOML sweep file.
        store: folder of results, made when it is not there; without one the rows are only returned.
        lanes: runs held at once; chosen from the device's memory unless given.
        engine: ``auto`` (kernels where they can, XLA otherwise), ``xla``, ``kernels`` or ``kernels-exact``.
        share: ``2/8`` trains the second of eight equal parts and returns its rows; eight processes, on as many GPUs or
            machines, may do theirs at the same time into one store.
        progress: True prints how far it is; or a ``Reporter`` of your own.
    """
    at_least_one(lanes=lanes)
    reporter, part = make_reporter(progress, 1, lanes, engine), None if share is None else parse_share(share)
    return train_sweep(runs, store, reporter=reporter, lanes=lanes, engine=engine, share=part)


def make_reporter(progress: bool | Reporter, stages: int, lanes: int | None, engine: Engine) -> Reporter | None:
    """The reporter asked for: none, the usual one, or one of the caller's own."""
    if isinstance(progress, bool):
        return Progress(stages=stages, lanes=lanes, engine=engine) if progress else None
    return progress


def at_least_one(**values: int | None) -> None:
    """Refuse numbers below 1, by name."""
    for name, value in values.items():
        if value is not None and value < 1:
            raise GlasswareError(f"{name} must be at least 1, not {value}")
