"""Columns of a table as they come: numbers, dates and words, from NumPy, pandas, Polars and SciPy's sparse arrays."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from glassware.foundation.arrays import Float64, Shaped
from glassware.tabular.inputs import DataError

if TYPE_CHECKING:
    import polars as pl

MOST_DENSE = 1 << 27  # numbers of a sparse table that is made dense: one GiB
TIME = "datetime64[us]"

Kind: TypeAlias = Literal["number", "moment", "word"]


class Column(NamedTuple):
    """One column.

    Attributes:
        name: as sentences call it.
        kind: what its values are.
        values: float64 with NaN, datetime64 with NaT, or text with None, where a value is missing.
        order: the levels of an ordered category, lowest first.
    """

    name: str
    kind: Kind
    values: Shaped[np.ndarray, " rows"]
    order: tuple[str, ...] | None = None


def typed(X: ArrayLike) -> list[Column] | None:
    """The columns of a table that holds more than plain numbers; None for others, which scikit-learn checks."""
    if hasattr(X, "iloc") and hasattr(X, "dtypes") and hasattr(X, "columns"):
        if all(isinstance(dtype, np.dtype) and dtype.kind in "biufc" for dtype in X.dtypes):
            return None
        return [_pandas(str(name), X.iloc[:, place]) for place, name in enumerate(X.columns)]
    if hasattr(X, "iter_columns") and hasattr(X, "schema"):
        if all(_plain(dtype) for dtype in X.schema.values()):
            return None
        return [_polars(column) for column in X.iter_columns()]
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise DataError("A LazyFrame has no rows yet: collect() it first.")
    if isinstance(X, list | tuple) and not _has_text(X):
        return None
    if isinstance(X, list | tuple):
        X = np.asarray(X, object)
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        return None
    if X.dtype.kind in "UM" or (X.dtype.kind == "O" and any(isinstance(value, str | date) for value in X.flat)):
        return [_array(str(place), X[:, place]) for place in range(X.shape[1])]
    return None


def dense(X: Any) -> Any:
    """A sparse table as an ordinary one, if it fits into memory; any other table as it is."""
    if not sparse.issparse(X):
        return X
    if X.shape[0] * X.shape[1] > MOST_DENSE:
        raise DataError(
            f"A sparse table of {X.shape[0]:,} x {X.shape[1]:,} is made dense, which takes more than"
            f" {MOST_DENSE * 8 >> 30} GiB: select columns first, for example with SelectKBest or TruncatedSVD."
        )
    return X.toarray()


def numbers(column: Column) -> Float64[np.ndarray, " rows"]:
    """The column as numbers: words must be spelt ones, moments are seconds since 1970."""
    if column.kind == "number":
        return column.values
    if column.kind == "moment":
        return seconds(column.values)
    try:
        return np.array([np.nan if word is None else float(word) for word in column.values], np.float64)
    except ValueError:
        raise DataError(f"Column {column.name} held numbers when the model was fitted, and holds text now.") from None


def moments(column: Column) -> Shaped[np.ndarray, " rows"]:
    """The column as moments."""
    if column.kind == "number" and np.isnan(column.values).all():
        return np.full(len(column.values), "NaT", TIME)
    if column.kind != "moment":
        raise DataError(f"Column {column.name} held dates when the model was fitted, and does not now.")
    return column.values


def words(column: Column) -> Shaped[np.ndarray, " rows"]:
    """The column as words, None where there is none."""
    if column.kind == "word":
        return column.values
    missing = np.isnat(column.values) if column.kind == "moment" else np.isnan(column.values)
    return _objects(
        [None if absent else _word(value) for value, absent in zip(column.values.tolist(), missing, strict=True)]
    )


def seconds(values: Shaped[np.ndarray, " rows"]) -> Float64[np.ndarray, " rows"]:
    """Seconds since 1970; NaN for NaT."""
    values = values.astype(TIME)
    return np.where(np.isnat(values), np.nan, values.astype(np.int64) / 1e6)


def missing_in(column: Column) -> int:
    """How many of its values are missing."""
    if column.kind == "word":
        return sum(word is None for word in column.values)
    return int((np.isnat if column.kind == "moment" else np.isnan)(column.values).sum())


def _plain(dtype: pl.DataType) -> bool:
    """Whether a column of Polars is numbers for NumPy, too; one of nothing but nulls has the type Null."""
    return dtype.is_integer() or dtype.is_float() or str(dtype) in ("Boolean", "Null")


def _pandas(name: str, series: Any) -> Column:
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        order = tuple(_word(level) for level in dtype.categories) if dtype.ordered else None
        return Column(name, "word", _texts(series.astype(object), series.isna()), order)
    if dtype.kind in "biuf":
        return Column(name, "number", np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan)))
    if dtype.kind == "M":
        if getattr(dtype, "tz", None) is not None:
            series = series.dt.tz_localize(None)  # months and hours are those of the clock on the wall
        return Column(name, "moment", series.to_numpy(dtype=TIME))
    if dtype.kind == "m":
        return Column(name, "number", np.asarray(series.dt.total_seconds(), np.float64))
    if dtype.kind in "OU":
        absent = np.asarray(series.isna(), bool)
        return _mixed(name, [None if gone else one for one, gone in zip(series.to_list(), absent, strict=True)])
    raise _unusable(name, str(dtype))


def _polars(column: pl.Series) -> Column:
    import polars as pl

    name, dtype = column.name, column.dtype
    if dtype.is_numeric() or dtype in (pl.Boolean, pl.Null):
        return Column(name, "number", column.cast(pl.Float64).to_numpy())
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        order = tuple(dtype.categories.to_list()) if isinstance(dtype, pl.Enum) else None
        return Column(name, "word", _objects(column.cast(pl.String).to_list()), order)
    if dtype in (pl.Date, pl.Datetime):
        return Column(name, "moment", column.cast(pl.Datetime("us")).to_numpy().astype(TIME))
    if dtype in (pl.Duration, pl.Time):
        whole = column.cast(pl.Duration("ns")) if dtype == pl.Time else column
        return Column(name, "number", whole.dt.total_microseconds().cast(pl.Float64).to_numpy() / 1e6)
    if dtype == pl.Object:
        return _mixed(name, column.to_list())
    raise _unusable(name, str(dtype))


def _array(name: str, values: Shaped[np.ndarray, " rows"]) -> Column:
    """A column of an array. NumPy makes text of numbers that stand beside text: what is spelt as a number is one."""
    if values.dtype.kind == "M":
        return Column(name, "moment", values.astype(TIME))
    if values.dtype.kind == "U":
        try:
            return Column(name, "number", values.astype(np.float64))
        except ValueError:
            return Column(name, "word", _objects(values.tolist()))
    return _mixed(name, [None if _nothing(value) else value for value in values.tolist()])


def _mixed(name: str, values: Sequence[object]) -> Column:
    """A column of Python's objects: all numbers, all dates, or else words."""
    known = [value for value in values if value is not None]
    if all(isinstance(value, Real | Decimal | np.bool_) for value in known):
        return Column(name, "number", np.array([np.nan if v is None else float(v) for v in values], np.float64))  # type: ignore[arg-type]
    if all(isinstance(value, date) for value in known):
        return Column(name, "moment", np.array([np.datetime64("NaT") if v is None else v for v in values], TIME))
    for value in known:
        if not isinstance(value, str | Real | Decimal | np.bool_ | date):
            raise _unusable(name, type(value).__name__)
    return Column(name, "word", _objects([None if value is None else _word(value) for value in values]))


def _texts(series: Any, absent: Any) -> Shaped[np.ndarray, " rows"]:
    pairs = zip(series.to_list(), np.asarray(absent, bool), strict=True)
    return _objects([None if gone else _word(value) for value, gone in pairs])


def _word(value: object) -> str:
    """A level as text: the same for 1 and 1.0, which a missing value elsewhere in the column may make of it."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _nothing(value: object) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _has_text(X: Sequence[object]) -> bool:
    return any(isinstance(value, str | date) for row in X if isinstance(row, list | tuple) for value in row)


def _objects(values: Sequence[object]) -> Shaped[np.ndarray, " rows"]:
    found = np.empty(len(values), object)
    found[:] = values
    return found


def _unusable(name: str, what: str) -> DataError:
    return DataError(
        f"Column {name!r} is of type {what}, neither numbers nor text nor dates: leave it out, or convert it."
    )
