"""Made rows of the tabular benchmark: what is printed, and an offset."""

import polars as pl

from glassware.tabular.benchmark.printed import TASKS

EXACT = [task for task in TASKS if task.name not in ("MiniBooNE", "Higgs", "jannis")]
FRACTIONS = (1.0, 0.1, 0.01)


def rows(family, error, trials=3, fractions=FRACTIONS, tasks=EXACT, **more):
    """Made rows: ``error`` takes a task, a fraction and a trial, and may add to what is printed."""
    return pl.DataFrame(
        [
            {"family": family, "task": t.name, "fraction": f, "cap": 10_000, "trial": i, "columns": t.columns,
             "rows": t.rows, "train_rows": int(1000 * f), "error": error(t, f, i), **more}
            for t in tasks for f in fractions for i in range(trials)
        ],
        schema_overrides={"max_depth": pl.Int64} if "max_depth" in more else None,
    )  # fmt: skip


def forest(off=0.0, cap=10_000, depth=None, **more):
    made = rows(
        "forest",
        lambda t, f, i: (t.forest.at(f) + off) / 100,
        max_depth=depth,
        max_features="1",
        n_estimators=100,
        **more,
    )
    return made.with_columns(cap=pl.lit(cap, pl.Int64))


def network(off=0.0, depth=3, width=100, init="dense", decay=0.0, rule="adam", **more):
    return rows(
        "networks", lambda t, f, i: (t.mlp.at(f) + off + 0.1 * (i - 1)) / 100, depth=depth, width=width, init=init,
        weight_decay=decay, optimiser=rule, **more,
    )  # fmt: skip


def sgd(off=0.0, **more):
    return network(off, rule="sgd", **more)


def method(name, off=0.0, trials=5, **more):
    return rows(
        "methods", lambda t, f, i: (t.mlp.at(f) + off + 0.1 * (i - (trials - 1) / 2)) / 100, trials, method=name, **more
    )


def noisy(frame, off):
    """The same rows with errors that vary by so many points from trial to trial, each table in its own way."""
    sign = pl.col("task").rank("dense") % 2 * 2.0 - 1
    return frame.with_columns(error=pl.col("error") + sign * (pl.col("trial") - pl.col("trial").mean()) * off / 100)


def together(*frames):
    return pl.concat(frames, how="diagonal_relaxed")


def on(count, make, good, bad):
    """Rows of ``make``: so many tasks with the first offset, the others with the second."""
    return together(make(good, tasks=EXACT[:count]), make(bad, tasks=EXACT[count:]))
