"""What stores of earlier formats look like today.

A store's ``store.json`` names its format (files and columns) and its semantics (what the numbers mean). Rows of an
earlier format are converted as they are read; rows of earlier semantics can be shown, never added to or resumed.

    format 1  0.1.0: no weights, and columns for a few fields of a specification only
    format 2  weights/, and every part's own columns
"""

from __future__ import annotations

import json

import polars as pl

from glassware.foundation.errors import GlasswareError

FORMAT = 2


def converted(table: pl.DataFrame, format_: int) -> pl.DataFrame:
    """Rows of a format with the columns of today's."""
    if format_ >= FORMAT or not len(table) or "spec" not in table.columns:
        return table
    return _with_columns_of_parts(table)


def _with_columns_of_parts(table: pl.DataFrame) -> pl.DataFrame:
    """Format 1 to 2: what the columns left out is in the specification."""
    from glassware.sweeps.rows import frame
    from glassware.sweeps.validation import build

    known: dict[str, dict[str, object]] = {}
    for spec in table["spec"].unique():
        try:
            known[spec] = {**build(json.loads(spec)).columns(), "spec": spec}
        except GlasswareError:  # a part that is not registered here: the row stays as it is
            known[spec] = {"spec": spec}
    more = frame(list(known.values()))
    fresh = [name for name in more.columns if name not in table.columns]
    return table.join(more.select("spec", *fresh), on="spec", how="left", maintain_order="left")
