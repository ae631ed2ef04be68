"""The paper's sixteen tables (OpenML suite 337): from a folder of files, or from OpenML, checked against PF-T1."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.tabular.benchmark.printed import BY_NAME, TASKS, Task
from glassware.tabular.benchmark.tables import KINDS, Table, make_table, read_frame

VARIABLE = "GLASSWARE_DATA"  # the environment variable with the folder of the tables


class Suite337:
    """The sixteen tasks.

    Args:
        data: folder with one file per task, named as in :data:`glassware.tabular.benchmark.printed.TASKS`, as
            ``credit.parquet``, ``.csv`` or ``.arff``; None takes the folder of the variable GLASSWARE_DATA. Without
            either, tables come from OpenML, which scikit-learn keeps in its own cache.
    """

    def __init__(self, data: str | Path | None = None) -> None:
        data = data if data is not None else os.environ.get(VARIABLE) or None
        self.folder = None if data is None else Path(data)
        if self.folder is not None and not self.folder.is_dir():
            raise GlasswareError(f"there is no folder {self.folder} with tables (option --data, variable {VARIABLE})")

    def names(self) -> list[str]:
        """Tasks that can be loaded: those with a file in the folder, or, from OpenML, all."""
        if self.folder is None:
            return list(BY_NAME)
        found = [task.name for task in TASKS if self._file(task.name) is not None]
        if not found:
            raise GlasswareError(
                f"no table of the suite in {self.folder}: expected files like credit.parquet, .csv or .arff"
            )
        return found

    def load(self, name: str) -> Table:
        """One table."""
        if name not in BY_NAME:
            raise GlasswareError(f"unknown task '{name}'; tasks are {', '.join(BY_NAME)}")
        if self.folder is None:
            return _load_openml(name)
        path = self._file(name)
        if path is None:
            raise GlasswareError(f"no file of task {name} in {self.folder}: expected {name}.parquet, .csv or .arff")
        return _load_file(name, path)

    def check(self) -> pl.DataFrame:
        """Every table that can be loaded beside what the paper prints: one row per task, deviations in words."""
        return pl.DataFrame([_checked(self.load(name)) for name in self.names()])

    def _file(self, name: str) -> Path | None:
        assert self.folder is not None
        paths = (self.folder / f"{name}{kind}" for kind in KINDS)
        return next((path for path in paths if path.is_file()), None)


def deviation(task: Task, columns: int, rows: int) -> str:
    """How a table differs from the printed sizes; empty if it does not.

    The printed number of features counts the target (E15); a table with as many inputs as printed is reported.
    """
    said = []
    if columns == task.features:
        said.append(f"{columns} inputs, as printed, though the printed number counts the target elsewhere")
    elif columns != task.columns:
        said.append(f"{columns} of {task.columns} inputs")
    if rows != task.rows:
        said.append(f"{rows:,} of {task.rows:,} rows")
    return ", ".join(said)


def exact(name: str, columns: int, rows: int) -> bool:
    """Whether a table has the sizes the paper prints for the task of this name."""
    return not deviation(BY_NAME[name], columns, rows)


def _checked(table: Table) -> dict[str, object]:
    task, columns = BY_NAME[table.name], len(table.columns)
    different = deviation(task, columns, table.rows)
    return {
        "task": task.number, "name": task.name, "printed_features": task.features, "printed_rows": task.rows,
        "columns": columns, "rows": table.rows, "classes": len(table.classes), "exact": not different,
        "deviation": different,
    }  # fmt: skip


@lru_cache(maxsize=4)
def _load_file(name: str, path: Path) -> Table:
    return make_table(name, read_frame(path))


@lru_cache(maxsize=4)
def _load_openml(name: str) -> Table:
    from sklearn.datasets import fetch_openml

    parser = "pandas" if find_spec("pandas") is not None else "liac-arff"  # the second is slow but always available
    try:
        found = fetch_openml(data_id=BY_NAME[name].openml, as_frame=False, parser=parser)
    except (OSError, ValueError) as error:  # offline raises a URLError, which is an OSError
        reason = " ".join(str(error).split())[:100]
        raise GlasswareError(
            f"no tables: give a folder of Parquet, CSV or ARFF files (option --data, variable {VARIABLE}), or go online"
            f" for OpenML ({reason})"
        ) from None
    classes, y = np.unique(found.target, return_inverse=True)
    X = np.ascontiguousarray(found.data, dtype=np.float32)
    return Table(name, X, y, tuple(found.feature_names), tuple(str(c) for c in classes))
