"""Tables from files: Parquet, CSV or ARFF in, numbers and class codes out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from glassware.tabular.inputs import DataError

KINDS = (".parquet", ".csv", ".arff")
TARGETS = ("target", "class")  # names taken for the target if none is given


@dataclass(frozen=True, eq=False)
class Table:
    """A table of a classification task.

    Attributes:
        name: of the task.
        X: inputs, float32, one row per example.
        y: class of each row, 0 to number of classes - 1.
        columns: names of the inputs.
        classes: names of the classes, in the order of their codes.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    columns: tuple[str, ...]
    classes: tuple[str, ...]

    @property
    def rows(self) -> int:
        """Number of examples."""
        return len(self.y)


def read_frame(path: Path, separator: str = ",") -> pl.DataFrame:
    """A file as a frame, columns as they are; ``separator`` stands between the fields of a CSV file."""
    if not path.is_file():
        raise DataError(f"There is no file {path}.")
    try:
        if path.suffix == ".parquet":
            return pl.read_parquet(path, glob=False)
        if path.suffix == ".csv":
            return pl.read_csv(path, separator=separator, infer_schema_length=None, glob=False)
        if path.suffix == ".arff":
            return _read_arff(path)
    except StopIteration:
        raise DataError(f"{path} cannot be read: it ends before a line @data.") from None
    except (pl.exceptions.PolarsError, OSError, ValueError, NotImplementedError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise DataError(f"{path} cannot be read: {reason}.") from None
    raise DataError(f"{path} is none of {', '.join(KINDS)}.")


def _read_arff(path: Path) -> pl.DataFrame:
    from scipy.io import arff

    records, _ = arff.loadarff(path)
    columns = {name: records[name] for name in records.dtype.names or ()}
    return pl.DataFrame(
        {name: values.astype(str) if values.dtype.kind == "S" else values for name, values in columns.items()}
    )


def make_table(name: str, frame: pl.DataFrame, target: str | None = None) -> Table:
    """Inputs and classes of a frame. The target is the column named, else 'target' or 'class', else the last one."""
    if frame.width < 2:
        raise DataError(f"{name} has {frame.width} columns; an input and a target are needed.")
    if target is None:
        target = next((column for column in TARGETS if column in frame.columns), frame.columns[-1])
    inputs = frame.drop(target)
    for column, dtype in inputs.schema.items():
        if not (dtype.is_numeric() or dtype == pl.Boolean):
            raise DataError(f"Column {column!r} of {name} is of type {dtype}: the suite's tables hold numbers only.")
    classes = frame[target].drop_nulls().unique().sort()
    if len(classes) < frame[target].n_unique():
        raise DataError(f"The target of {name} has missing values.")
    y = frame[target].replace_strict(classes, np.arange(len(classes)), return_dtype=pl.Int64)
    X = inputs.select(pl.all().cast(pl.Float32)).to_numpy()
    return Table(
        name, np.ascontiguousarray(X), y.to_numpy(), tuple(inputs.columns), tuple(str(c) for c in classes.to_list())
    )
