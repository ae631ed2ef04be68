"""Frames of results for other tools: CSV files and pandas."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.foundation.names import check_path

if TYPE_CHECKING:
    import pandas as pd


def to_csv(frame: pl.DataFrame, path: str | Path) -> Path:
    """Write a frame as CSV and return its path. Nested columns (curves, supports) are JSON, as ``[0.5,0.25,null]``.

    JSON knows no NaN and no infinity: inside nested columns they become null.

    >>> import glassware as gw, polars as pl, tempfile
    >>> frame = pl.DataFrame({"id": ["a"], "curve_loss": [[1.0, 0.5]]})
    >>> path = gw.to_csv(frame, tempfile.mkdtemp() + "/rows.csv")
    >>> print(path.read_text())
    id,curve_loss
    a,"[1.0,0.5]"
    <BLANKLINE>
    """
    check_path(path)
    flat = [_as_json(column) if column.dtype.is_nested() else column for column in frame]
    try:
        pl.DataFrame(flat).write_csv(path)
    except OSError as error:
        raise GlasswareError(f"cannot write {path}: {error.strerror or error}") from None
    return Path(path)


def to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """The frame for pandas, which must be installed; pyarrow need not be.

    Whole numbers and truth values with gaps become pandas' ``Int64`` and ``boolean`` rather than floats and objects;
    nested columns hold lists.

    >>> import glassware as gw, polars as pl
    >>> frame = gw.to_pandas(pl.DataFrame({"m": [300, None], "support": [[1, 4], [2, 3]]}))
    >>> frame["m"].dtype, frame["support"][0]
    (Int64Dtype(), [1, 4])
    """
    try:
        import pandas as pd
    except ImportError:
        raise GlasswareError("gw.to_pandas needs pandas: pip install pandas") from None

    def convert(column: pl.Series) -> Any:
        kind, gaps = column.dtype, column.null_count() > 0
        if kind.is_integer() and gaps:
            return pd.array(column.to_list(), dtype="Int64")
        if kind == pl.Boolean and gaps:
            return pd.array(column.to_list(), dtype="boolean")
        if kind.is_numeric() or kind == pl.Boolean:
            return column.to_numpy()
        return pd.Series(column.to_list(), dtype=object)  # not an array: lists of one length would become a matrix

    return pd.DataFrame({column.name: convert(column) for column in frame})


def _as_json(column: pl.Series) -> pl.Series:
    texts = [
        None if value is None else json.dumps(plain_values(value), separators=(",", ":")) for value in column.to_list()
    ]
    return pl.Series(column.name, texts, dtype=pl.String)


def plain_values(value: Any) -> Any:
    """The value as JSON can hold it: what is not a finite number is null."""
    if isinstance(value, dict):
        return {name: plain_values(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain_values(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
