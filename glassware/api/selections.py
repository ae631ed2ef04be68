"""Rows by name: those of a study, of a sweep that a store remembers, of a sweep file; listed, compared, written."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import polars as pl

from glassware.api.files import written
from glassware.api.folders import STORE, AnyStore, existing
from glassware.api.frames import plain_values, to_csv
from glassware.foundation.commands import command
from glassware.foundation.errors import GlasswareError
from glassware.foundation.names import check_path
from glassware.foundation.reasons import reason
from glassware.luck.by_field import summary
from glassware.luck.side_by_side import SideBySide, side_by_side
from glassware.studies import STUDIES, check_scale, find, results
from glassware.sweeps import Store, named, pick, read_sweep_file, recall, remembered

log = logging.getLogger("glassware")

Format: TypeAlias = Literal["csv", "parquet", "json"]
Selection: TypeAlias = str | pl.DataFrame


def list_sweeps(store: AnyStore = STORE) -> pl.DataFrame:
    """The sweeps that a store remembers by name: title, runs wanted, runs there, successes.

    >>> import glassware as gw, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> base = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000)
    >>> _ = gw.sweep(gw.grid(base, {"m": [10, "online"]}, seeds=3), folder, name="data", title="Do data help?")
    >>> gw.list_sweeps(folder).rows()
    [('data', 'Do data help?', 6, 6, 3)]
    """
    kept = existing(store)
    rows = kept.read(["id", "success"])
    kinds = {"name": pl.String, "title": pl.String, "wanted": pl.Int64, "runs": pl.Int64, "succeeded": pl.Int64}
    found = []
    for one in remembered(kept):
        there = pick(rows, one.ids)
        found.append((one.name, one.title, len(one.ids), len(there), int(there["success"].sum())))
    return pl.DataFrame(found, schema=kinds, orient="row")


def draw_sweep(file: str | Path, frame: pl.DataFrame, folder: str | Path) -> list[Path]:
    """Draw the usual figure of a sweep file from its rows, as PNG and HTML; nothing where that cannot be done."""
    from glassware.charts import save
    from glassware.charts.any_sweep import axes, sweep_figure

    known = read_sweep_file(file)
    if not len(frame):
        return []
    found = summary(frame).filter(pl.col("field") != "all")
    try:
        chart = sweep_figure(frame, axes(frame, list(dict.fromkeys(found["field"]))), known.title or known.name)
        return list(save(chart, Path(folder) / "sweeps", known.name.replace("/", "-")))
    except GlasswareError:
        raise
    except Exception as error:  # whatever columns parts of one's own have: the rows are not lost
        log.warning(f"no figure of {known.name}: {reason(error, sweep_figure)}")
        return []


def rows_of(name: str | None, store: Store, scale: str = "laptop") -> pl.DataFrame:
    """The rows of a study, of a remembered sweep, of a sweep file; of the whole store where no name is given."""
    if name is None:
        return store.read()
    listed = recall(store, name)
    if listed is not None:
        return store.read(ids=listed.ids)
    if name.endswith(".toml"):
        return store.read(ids=named(read_sweep_file(name).runs, store))
    known = [one.name for one in remembered(store)]
    if name not in STUDIES and "/" not in name and known:
        raise GlasswareError(f"{store.path} remembers no sweep '{name}'; it has {', '.join(known)}")
    study, size = find(name), check_scale(scale)
    found = results(study, size, store)
    if not len(found):
        raise GlasswareError(f"no results of {name} at scale {size} yet: {command(f'reproduce {name} --scale {size}')}")
    return found


def compare(first: Selection, second: Selection, *, scale: str = "laptop", store: AnyStore = STORE) -> SideBySide:
    """Two selections of runs side by side, cell by cell, with intervals of the rates and of their difference.

    Cells are named by the fields that vary within either. Fields that have one value in all of the first and another in
    all of the second are what is compared.

    Args:
        first, second: names of sweeps or studies, sweep files, or frames of rows.
        scale: of studies.
        store: folder of results, for names.

    >>> import glassware as gw
    >>> base = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000)
    >>> rows = [gw.sweep(gw.grid(base, {"m": [m]}, seeds=5)) for m in (10, "online")]
    >>> found = gw.compare(*rows)
    >>> found.differ, found.table["difference"].to_list()
    ((('m', '10', 'online'),), [1.0])
    """
    frames = [one if isinstance(one, pl.DataFrame) else rows_of(one, existing(store), scale) for one in (first, second)]
    for one, frame in zip((first, second), frames, strict=True):
        if "spec" not in frame.columns or not frame["spec"].count():
            named_ = one if isinstance(one, str) else "a frame"
            raise GlasswareError(f"{named_} has no runs to compare")
    return side_by_side(*frames)


def export(
    name: str | None = None,
    *,
    to: str | Path,
    format: Format | None = None,
    scale: str = "laptop",
    store: AnyStore = STORE,
    curves: bool = True,
) -> Path:
    """Write rows for other tools, as CSV, Parquet or JSON, and return the path.

    In CSV nested columns (curves, supports) are JSON; JSON has null where a number is not finite.

    Args:
        name: of a sweep or a study, or a sweep file; the whole store unless given.
        to: the file.
        format: ``csv``, ``parquet`` or ``json``; by the file's suffix unless given.
        scale: of a study.
        store: folder of results.
        curves: False leaves out columns of lists, which take most of the room.

    >>> import glassware as gw, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = gw.train(gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000), folder)
    >>> gw.export(to=folder + "/rows.json", store=folder).name
    'rows.json'
    """
    check_path(to)
    path = Path(to)
    kinds: Mapping[str, Format] = {f".{kind}": kind for kind in get_args(Format)}
    chosen = format or kinds.get(path.suffix.lower())
    if chosen not in get_args(Format):
        raise GlasswareError(f"rows are written as {', '.join(get_args(Format))}, not as {format or path.name}")
    if path.is_dir():
        raise GlasswareError(f"{to} is a folder; name a file in it")
    frame = rows_of(name, existing(store), scale)
    if not curves:
        frame = frame.select(column for column in frame.columns if not frame.schema[column].is_nested())
    if chosen == "csv":
        return to_csv(frame, path)
    if chosen == "json":
        lines = ",\n".join(json.dumps(plain_values(row)) for row in frame.iter_rows(named=True))
        return written(path, f"[{lines}]\n".encode())
    try:
        frame.write_parquet(path, compression="zstd", compression_level=19)
    except OSError as error:
        raise GlasswareError(f"cannot write {path}: {error.strerror or error}") from None
    return path
