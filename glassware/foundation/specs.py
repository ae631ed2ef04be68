"""Specifications as they stand in a table of results: canonical JSON, one per run."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from glassware.foundation.part import dotted

# The keys of a specification are sorted, and the seed of a run is followed by one of these.
_SEED = r'"seed":\d+,("(?:start|steps|task)":)'


def seedless(column: str = "spec") -> pl.Expr:
    """Specifications without the seeds of their runs: many runs share one, so that few need to be parsed."""
    return pl.col(column).str.replace(_SEED, "${1}")


def in_cells(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """The specifications of a table, without seeds, beside some of its columns: every combination once, as ``spec``.

    A table of millions of runs has them as categories in a column ``cell`` (``Store.read``).
    """
    if "spec" in frame.columns:
        return frame.select(seedless(), *columns).unique(maintain_order=True)
    return frame.select(pl.col("cell").alias("spec"), *columns).unique(maintain_order=True).cast({"spec": pl.String})


def fields(spec: str) -> dict[str, Any]:
    """The fields of a specification that are not at their defaults: ``{"task.n": 50, "optimiser.lr": 0.1, ..}``."""
    return dict(dotted(json.loads(spec)))
