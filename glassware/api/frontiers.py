"""Where success begins between two fields: an adaptive search instead of a full grid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from glassware.api.folders import AnyStore, as_store, check_figures
from glassware.api.sweeps import make_reporter, stopped_in_words
from glassware.charts import save
from glassware.charts.frontier import frontier_figure
from glassware.engine import Engine
from glassware.foundation.errors import GlasswareError
from glassware.foundation.limits import check_counts
from glassware.luck.frontier import Frontier, advance, cells, edges, frontiers
from glassware.sweeps import Forecast, Reporter, make_plan, read_sweep, sweep
from glassware.training import Run

if TYPE_CHECKING:
    import altair as alt

SEEDS = 50  # most runs of a cell, where the runs given do not say it


@dataclass(frozen=True)
class Found:
    """What a search for the frontier has found.

    Attributes:
        edges: one row per row and column of the grid: on the axis ``along`` success crosses ``level`` at ``value``
            (``low`` to ``high``), where the axis ``across`` has the value ``at``; with ``runs``, ``fall`` (two values
            of which the larger succeeds significantly less often) and ``state``.
        cells: one row per cell: ``known`` (measured, inferred or unknown), ``successes``, ``runs`` and ``rate``.
        rows: one row per run.
        axes: the two fields.
    """

    edges: pl.DataFrame
    cells: pl.DataFrame
    rows: pl.DataFrame
    axes: tuple[str, str]

    def save(self, folder: str | Path, name: str = "frontier") -> tuple[Path, Path]:
        """Draw it: a PNG, and a page with every cell's counts."""
        check_figures(Path(folder))
        return save(self.chart(), Path(folder), name)

    def chart(self) -> alt.TopLevelMixin:
        """Cells and edges as a chart; a notebook draws it."""
        return frontier_figure(self.edges, self.cells, self.rows, self.axes)


@dataclass(frozen=True)
class Bound:
    """At most what a search will take: the grid that it searches, its share of the work, and the runs it may train."""

    grid: Forecast
    work: float

    @property
    def runs(self) -> int:
        return self.grid.left.runs

    @property
    def seconds(self) -> float:
        """For the share of the grid's work that the search may take; first looks at cells may add a little."""
        return self.work * self.grid.at_most


def frontier(
    runs: Iterable[Run] | str | Path,
    axes: Sequence[str] = ("m", "model.width"),
    store: AnyStore | None = None,
    *,
    levels: Sequence[float] = (0.5,),
    precision: float = 1.1,
    seeds: int | None = None,
    work: float = 0.08,
    lanes: int | None = None,
    engine: Engine = "auto",
    progress: bool | Reporter = False,
) -> Found:
    """Find the edge of success on a grid of two fields, with a small part of the grid's work.

    Every row and every column is a search of its own on the same runs: it halves the range until two neighbouring
    values lie on either side of the edge, then adds runs where they narrow the most intervals for their work. An
    edge is read on the line between the rates of two neighbours; its interval is that of the likelihood, from runs of
    its own row or column alone.

    Args:
        runs: runs (see ``grid``), or the path of a TOML sweep file: a whole grid of the axes. What varies besides makes
            panels, searched side by side; what goes with an axis (``zips``) is part of it. m may end online.
        axes: the two fields. More of either should not hurt; where it does, ``edges`` says so.
        store: folder of results, made when it is not there; the same call goes on where it was stopped.
        levels: success rates whose edges are looked for.
        precision: a row or column is done when its 99% interval's upper end is at most so many times the lower one.
        seeds: runs of a cell, at most; those of the sweep if it has several seeds, else 50.
        work: the search ends when it has taken this share of what ``seeds`` runs in every cell would take.
        lanes, engine, progress: as for ``sweep``.

    >>> import glassware as gw
    >>> base = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=300)
    >>> found = gw.frontier(gw.grid(base, {"m": [20, 100, 500], "model.width": [4, 16]}), precision=2, seeds=8)
    >>> found.edges.select("along", "at", "value").height, set(found.cells["known"]) <= {"measured", "inferred"}
    (5, True)
    """
    panels = _panels(runs, axes, levels=levels, precision=precision, seeds=seeds, work=work, lanes=lanes)
    reporter, kept = make_reporter(progress, 1, lanes, engine), None if store is None else as_store(store)
    rows, number = pl.DataFrame(), 0
    with stopped_in_words(store, progress):
        while todo := advance(panels, rows):
            number += 1
            new = sweep(todo, kept, reporter=reporter, lanes=lanes, engine=engine)
            rows = pl.concat([rows, new], how="diagonal_relaxed") if len(rows) else new
            if reporter is not None:
                reporter.on_message(f"round {number}, {len(rows):,} runs: {_now(edges(panels, rows))}")
    return Found(edges(panels, rows), cells(panels, rows), rows, panels[0].axes)


def frontier_bound(
    runs: Iterable[Run] | str | Path,
    axes: Sequence[str] = ("m", "model.width"),
    store: AnyStore | None = None,
    *,
    seeds: int | None = None,
    work: float = 0.08,
    lanes: int | None = None,
    engine: Engine = "auto",
) -> Bound:
    """What a search takes at most; trains nothing, but measures the machine for up to a minute."""
    panels = _panels(runs, axes, seeds=seeds, work=work, lanes=lanes)
    wanted = [
        run.model_copy(update={"seed": run.seed + i})
        for panel in panels
        for run in panel.runs.values()
        for i in range(panel.lattice.seeds)
    ]
    kept = None if store is None else as_store(store)
    return Bound(make_plan(wanted, kept).estimate(lanes, engine), work)


def _panels(
    runs: Iterable[Run] | str | Path, axes: Sequence[str], *, seeds: int | None, lanes: int | None, **how: object
) -> list[Frontier]:
    check_counts(lanes=lanes, seeds=seeds)
    wanted = read_sweep(runs) if isinstance(runs, str | Path) else list(runs)
    if not wanted:
        raise GlasswareError("a frontier needs runs to search among, and there are none")
    given = max(Counter(run.model_copy(update={"seed": 0}).model_dump_json() for run in wanted).values())
    levels = how.pop("levels", None)
    if isinstance(levels, Iterable):
        how["levels"] = tuple(levels)
    return frontiers(wanted, axes, seeds=seeds or (given if given > 1 else SEEDS), **how)


def _now(found: pl.DataFrame) -> str:
    """The widest rows' edges so far, and how many lines are done, in a line."""
    over = found.filter(pl.col("state") != "searching").height
    known = found.filter(pl.col("along") == found["along"][0], pl.col("value").is_not_null())
    said = [
        f"{row['at']:g}: {row['value']:.4g} [{row['low'] or 0:.4g}, {row['high'] or float('inf'):.4g}]".replace(
            "inf", "∞"
        )
        for row in known.head(4).iter_rows(named=True)
        if row["at"] is not None
    ]
    more = "; …" if len(known) > len(said) else ""
    where = f"; {found['along'][0]} at {found['across'][0]} {'; '.join(said)}{more}" if said else ""
    return f"{over} of {len(found)} rows and columns done{where}"
