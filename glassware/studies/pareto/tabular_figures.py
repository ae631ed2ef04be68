"""Figures of ``tabular``: error against training size, error against width, and the printed table beside ours."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.panels import error_panels
from glassware.charts.theme import CATEGORIES, DENSE, SPARSE
from glassware.charts.tiles import tiles
from glassware.foundation.statistics import bootstrap

NETWORK, FOREST, OURS = "network, best of grid", "forest, best of grid", "our estimator, as it comes"
PRINTED = {NETWORK: "network, printed", FOREST: "forest, printed"}
COLOURS = {
    NETWORK: DENSE, PRINTED[NETWORK]: DENSE, FOREST: CATEGORIES[2], PRINTED[FOREST]: CATEGORIES[2], OURS: SPARSE
}  # fmt: skip
STARTS = {"dense": "dense", "s=2": "2-sparse"}  # as the tables call them, and as figures do
FRACTIONS = {1.0: "all rows", 0.1: "10%", 0.01: "1%"}


def by_rows(frame: pl.DataFrame) -> Any:
    """PF-F6: best networks, best forests and ours against training rows, the printed medians dotted."""
    table = by_rows_table(frame)
    if not len(table):
        return None
    return error_panels(
        table,
        title="Error against training rows, ours and printed",
        subtitle="medians over trials; solid: at most 10,000 rows; dotted: as printed, at all, 10% and 1% of the rows",
        colours=COLOURS,
    )


def by_rows_table(frame: pl.DataFrame) -> pl.DataFrame:
    """One row per task, curve and training size."""
    from glassware.tabular.benchmark.printed import TASKS
    from glassware.tabular.benchmark.protocol import Cell

    found, medians = list[dict[str, Any]](), _medians(frame)
    for task in TASKS:
        mine = [row for row in medians if row["panel"] == task.name]
        if not mine:
            continue
        found += mine
        for kind, errors in ((NETWORK, task.mlp), (FOREST, task.forest)):
            for fraction in FRACTIONS:
                rows = Cell(task.name, fraction, None).rows(task.rows)
                found.append(_row(task.name, PRINTED[kind], rows, errors.at(fraction) / 100, True))
    order = [NETWORK, PRINTED[NETWORK], FOREST, PRINTED[FOREST], OURS]
    found.sort(key=lambda row: order.index(row["kind"]))
    return _in_order(found, [task.name for task in TASKS])


def _medians(frame: pl.DataFrame) -> list[dict[str, Any]]:
    from glassware.tabular.benchmark.best import FOREST as FOREST_SETTING
    from glassware.tabular.benchmark.best import NETWORK as NETWORK_SETTING
    from glassware.tabular.benchmark.best import best

    found = list[dict[str, Any]]()
    for kind, family, setting in ((NETWORK, "networks", NETWORK_SETTING), (FOREST, "forest", FOREST_SETTING)):
        rows = _family(frame, family)
        if len(rows):
            for task, rows_used, error in best(rows.filter(pl.col("cap").is_not_null()), setting)[
                "task", "train_rows", "error"
            ].iter_rows():
                found.append(_row(task, kind, rows_used, error, False))
    ours = _family(frame, "methods")
    if len(ours):
        ours = ours.filter(pl.col("method") == "sparse")
        for (task, rows_used), part in ours.group_by(["task", "train_rows"]):
            found.append(_row(task, OURS, rows_used, part["error"].median(), False))
    return sorted(found, key=lambda row: (row["kind"], row["rows"]))


def by_width(frame: pl.DataFrame) -> Any:
    """Networks of depth 3 at 1% against width, dense and with s = 2: the paper's comparison."""
    rows = _family(frame, "networks")
    if not len(rows):
        return None
    rows = rows.filter(
        pl.col("fraction") == 0.01, pl.col("depth") == 3, pl.col("weight_decay") == 0, pl.col("optimiser") == "adam",
        pl.col("init").is_in(["dense", "s=2"]),
    )  # fmt: skip
    from glassware.tabular.benchmark.printed import TASKS

    found = [
        {"panel": task, "kind": STARTS[init], "width": width, **_middle([part]), "printed": False}
        for (task, init, width), part in rows.group_by(["task", "init", "width"])
    ]
    found.sort(key=lambda row: (row["kind"], row["width"]))
    return error_panels(
        _in_order(found, [task.name for task in TASKS]),
        title="Error against width on 1% of the rows",
        subtitle="networks of depth 3, Adam, 100 epochs; medians over trials; bars: 95% intervals of five and more",
        x="width",
        x_title="width r",
        colours={"dense": DENSE, "2-sparse": SPARSE},
    )


def by_optimiser(frame: pl.DataFrame) -> Any:
    """Networks at 1% against width, the mean over tables, one panel per optimiser and depth that has two widths."""
    table = by_optimiser_table(frame)
    table = table.filter(pl.col("width").n_unique().over("panel") > 1) if len(table) else table
    if not len(table):
        return None
    return error_panels(
        table,
        title=f"Error against width, mean of {table['tables'][0]} tables on 1% of their rows",
        subtitle="medians over trials, 100 epochs at the rate of 0.001"
        + ("" if table["low"].is_null().all() else "; bars: 95% intervals for these tables"),
        x="width",
        x_title="width r",
        columns=4,
        colours={"dense": DENSE, "2-sparse": SPARSE},
        own_y=False,
    )


def by_optimiser_table(frame: pl.DataFrame) -> pl.DataFrame:
    """A row an optimiser, depth, width and start that all tables have: other means would be of other tables."""
    rows = _family(frame, "networks")
    if not len(rows):
        return rows
    rows = rows.filter(
        pl.col("fraction") == 0.01, pl.col("weight_decay") == 0, pl.col("init").is_in(["dense", "s=2"])
    )  # fmt: skip
    names, tables = {"adam": "Adam", "sgd": "SGD"}, rows["task"].n_unique()
    found = [
        {"panel": f"{names[rule]}, depth {depth}", "kind": STARTS[init], "width": width, **_middle(parts),
         "tables": tables, "printed": False}
        for (rule, depth, init, width), cell in rows.sort("optimiser", "depth", "init", "width").group_by(
            ["optimiser", "depth", "init", "width"], maintain_order=True
        )
        if len(parts := cell.partition_by("task")) == tables
    ]  # fmt: skip
    return pl.DataFrame(found, infer_schema_length=None)


def _middle(tables: list[pl.DataFrame]) -> dict[str, float | None]:
    """The mean over tables of the median over trials, with the interval that other trials of these tables leave it."""
    trials = (table["error"].to_list() for table in tables)
    found = bootstrap(lambda *errors: float(np.mean([np.median(one) for one in errors])), *trials)
    low, high = (None if math.isnan(end) else end for end in (found.low, found.high))
    return {"error": found.value, "low": low, "high": high}


def xor(frame: pl.DataFrame) -> Any:
    """The made table: networks by width, the forest as a level line."""
    rows = _family(frame, "xor")
    if not len(rows):
        return None
    networks = rows.filter(pl.col("method") == "network")
    widths = networks["width"].unique().sort().to_list()
    names = {("dense", "adam"): "dense, Adam", ("s=2", "adam"): "2-sparse, Adam", ("dense", "sgd"): "dense, SGD",
             ("s=2", "sgd"): "2-sparse, SGD"}  # fmt: skip
    found = [
        {"panel": f"{size:,} rows", "kind": names[init, rule], "width": width, "error": part["error"].median()}
        for (size, init, rule, width), part in networks.group_by(["train_rows", "init", "optimiser", "width"])
    ]
    for (size,), part in rows.filter(pl.col("method") == "forest").group_by(["train_rows"]):
        level = part["error"].median()
        found += [{"panel": f"{size:,} rows", "kind": "forest", "width": w, "error": level} for w in widths]
    order = [*names.values(), "forest"]
    found.sort(key=lambda row: (order.index(row["kind"]), row["width"]))
    sizes = [f"{size:,} rows" for size in rows["train_rows"].unique().sort()]
    return error_panels(
        _in_order([{**row, "printed": False} for row in found], sizes),
        title="Exclusive or of two columns among twenty",
        subtitle="networks of depth 2 and a forest of 100 trees; medians over trials",
        x="width",
        x_title="width r",
    )


def beside_printed(frame: pl.DataFrame) -> Any:
    """PF-T2 beside ours: best network and best forest at three fractions, coloured by the difference."""
    table = beside_printed_table(frame)
    if not len(table):
        return None
    return tiles(
        table,
        scale=alt.Scale(scheme="redblue", reverse=True, domain=[-6, 6], domainMid=0, clamp=True),
        title="Median test errors in percent: ours, and printed in brackets",
        subtitle="best of each grid; red: ours is worse, blue: better; *: not the table of the paper",
        x_title="training rows",
        y_title="",
        value_title="ours - printed",
        tile_width=92,
    )


def beside_printed_table(frame: pl.DataFrame) -> pl.DataFrame:
    """One row per task, family and fraction."""
    from glassware.tabular.benchmark.best import best_forests, best_networks
    from glassware.tabular.benchmark.printed import TASKS

    found = list[dict[str, Any]]()
    for panel, family, compare in (("networks", "networks", best_networks), ("forests", "forest", best_forests)):
        rows = _family(frame, family)
        if not len(rows):
            continue
        beside = compare(rows.filter(pl.col("cap").is_not_null()))
        for task, percent, ours, printed, same in beside["task", "percent", "ours", "printed", "exact"].iter_rows():
            found.append(
                {"panel": panel, "row": task if same else f"{task} *", "column": FRACTIONS[percent / 100],
                 "value": ours - printed, "text": f"{ours:.1f} ({printed:.1f})"}
            )  # fmt: skip
    order = {task.name: place for place, task in enumerate(TASKS)}
    found.sort(key=lambda row: (order[row["row"].removesuffix(" *")], [*FRACTIONS.values()].index(row["column"])))
    return pl.DataFrame(found)


def _family(frame: pl.DataFrame, family: str) -> pl.DataFrame:
    return frame.filter(pl.col("family") == family) if "family" in frame.columns else pl.DataFrame()


def _row(task: str, kind: str, rows: int, error: Any, printed: bool) -> dict[str, Any]:
    return {"panel": task, "kind": kind, "rows": rows, "error": error, "printed": printed}


def _in_order(found: list[dict[str, Any]], panels: list[str]) -> pl.DataFrame:
    """Rows sorted by panel, lines and kinds in the order they came."""
    return pl.DataFrame(sorted(found, key=lambda row: panels.index(row["panel"])), infer_schema_length=None)
