"""How much of something runs need to succeed: an adaptive search instead of a grid."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from glassware.api.folders import AnyStore, as_store
from glassware.api.sweeps import make_reporter, stopped_in_words
from glassware.engine import Engine
from glassware.foundation.limits import check_counts
from glassware.luck.threshold import Search, advance, apart, searches
from glassware.sweeps import Reporter, read_sweep, sweep
from glassware.training import Run


def threshold(
    runs: Iterable[Run] | str | Path,
    axis: str = "m",
    store: AnyStore | None = None,
    *,
    level: float = 0.8,
    precision: float = 1.25,
    budget: int = 100,
    trials: int = 4,
    tries: int = 1,
    lanes: int | None = None,
    engine: Engine = "auto",
    progress: bool | Reporter = False,
) -> pl.DataFrame:
    """Find the value of a field at which runs succeed at a given rate, by rounds of trials where they tell most.

    Success must become likelier, or stay, as the field grows. The interval is that of the likelihood of a rising curve
    (logistic in the logarithm, with a share of trials that always fail); it holds although the values were chosen by
    what was seen before.

    Args:
        runs: runs (see ``grid``), or the path of a TOML sweep file. The smallest and the largest value of ``axis`` are
            the range; whatever else varies gives a search of its own, and all go on side by side.
        axis: the field to search: ``m``, ``model.width``, ..
        store: folder of results, made when it is not there; the same call goes on where it was stopped.
        level: the success rate looked for.
        precision: a search ends when its interval's upper end is at most so many times the lower one,
        budget: or when it has had so many trials.
        trials: at each value of a round.
        tries: runs that a trial may take: the same data, new first weights after each failure.
        lanes, engine, progress: as for ``sweep``.

    Returns:
        One row per search: the fields in which they differ, ``value`` with ``low`` and ``high`` (null where the trials
        do not tell), ``level``, ``trials``, ``successes``, ``runs`` and ``state``: ``found``, ``budget spent``,
        ``below the range`` or ``above the range``.

    >>> import glassware as gw
    >>> base = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=500)
    >>> found = gw.threshold(gw.grid(base, {"m": [10, 300]}), precision=2, budget=30)
    >>> found["state"].item(), found["low"].item() < found["value"].item() < found["high"].item()
    ('found', True)
    """
    check_counts(lanes=lanes, budget=budget, trials=trials, tries=tries)
    wanted = read_sweep(runs) if isinstance(runs, str | Path) else list(runs)
    design = {"level": level, "precision": precision, "budget": budget, "trials": trials, "tries": tries}
    found = searches(wanted, axis, **design)
    reporter, kept = make_reporter(progress, 1, lanes, engine), None if store is None else as_store(store)
    rows = pl.DataFrame()
    with stopped_in_words(store, progress):
        while todo := advance(found, rows):
            new = sweep(todo, kept, reporter=reporter, lanes=lanes, engine=engine)
            rows = pl.concat([rows, new], how="diagonal_relaxed") if len(rows) else new
            if reporter is not None:
                over = sum(search.state(rows) != "searching" for search in found)
                reporter.on_message(f"{over} of {len(found)} searches over: {_now(found, axis, rows)}")
    return _table(found, rows)


def _now(found: list[Search], axis: str, rows: pl.DataFrame) -> str:
    """The estimates so far, in a line."""
    said = []
    for search in found[:4]:
        value, low, high = search.fit(rows).at
        said.append(f"{axis} = {value:.3g} [{low:.3g}, {high:.3g}]".replace("nan", "?").replace("inf", "∞"))
    return "; ".join([*said, *(["…"] if len(found) > len(said) else [])])


def _table(found: list[Search], rows: pl.DataFrame) -> pl.DataFrame:
    """One row per search."""
    varied, lines = apart(found), list[dict[str, Any]]()
    for search, fields in zip(found, varied, strict=True):
        cells, (value, low, high) = search.cells(rows), search.fit(rows).at
        ends = (None if one != one or one in (0, float("inf")) else one for one in (value, low, high))
        lines.append(
            {
                **fields,
                **dict(zip(("value", "low", "high"), ends, strict=True)),
                "level": search.design.level,
                "trials": sum(cell.trials for cell in cells),
                "successes": sum(cell.won for cell in cells),
                "runs": sum(count for count, _ in search.trials(rows).values()),
                "state": search.state(rows),
            }
        )
    kinds = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    return pl.DataFrame(lines, schema_overrides=kinds, infer_schema_length=None)
