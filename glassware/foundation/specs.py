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


def fields(spec: str) -> dict[str, Any]:
    """The fields of a specification that are not at their defaults: ``{"task.n": 50, "optimiser.lr": 0.1, ..}``."""
    return dict(dotted(json.loads(spec)))
