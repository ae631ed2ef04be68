"""Figures of unigram signal: distances, losses, and when runs cross to bigrams (see ``unigram_signal``)."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.dots import dots
from glassware.studies.induction.shared.figures import Panelled, distance_chart, loss_chart
from glassware.studies.induction.unigram_signal_checks import (
    MIXED,
    chains_to_cross,
    chains_until,
    log_ratio,
    median_ratio,
    paired,
)
from glassware.studies.lanes import Row, lanes

ALONE, WITH = "doubly stochastic chains alone", "half of the chains unigram"
SETTINGS = (("k = 4, t = 100", {"states": 4, "length": 100}), ("k = 4, t = 50", {"states": 4, "length": 50}),
            ("k = 5, t = 50", {"states": 5, "length": 50}),
            ("k = 4, t = 100, plain", {"states": 4, "length": 100, "form": "plain"}))  # fmt: skip
CHAINS = "doubly stochastic chains seen, thousands"


def distances(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(strategy || model) of both trainings, over the phases."""
    title = "Unigram chains beside the others hold training at unigrams"
    return distance_chart(_panels(frame), title, _setting, x_title=CHAINS, columns=2)


def loss(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(truth || model) of both trainings, beside the levels of the strategies."""
    title = "Test loss with and without unigram signal"
    return loss_chart(_panels(frame), title, _setting, x_title=CHAINS, columns=2)


def slowing(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """The median ratio of tau*, by setting."""
    points = []
    for name, columns in SETTINGS:
        pairs = paired(frame, **columns) if len(frame) else []
        known = [ratio for pair in pairs if (ratio := log_ratio(*pair)) is not None]
        if known:
            median = median_ratio(known)
            late = sum(math.isnan(chains_to_cross(mixed)) for _, mixed in pairs)
            points.append({"setting": f"{name}: {late} of {len(pairs)} never", **median._asdict()})
    if not points:
        return None
    return dots(
        pl.DataFrame(points), x="setting", y="value", low="low", high="high",
        title="With half the chains unigram, the crossing to bigrams comes later",
        x_title="setting, and how many mixtures never cross",
        y_title="ratio of τ*, mixture over alone",
        subtitle="median over pairs, 95% interval; a run that never crosses counts as crossing at its end",
    )  # fmt: skip


def shares(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """tau* against the share of doubly stochastic chains, k = 4, t = 100."""
    rows = lanes(frame, states=4, length=100, form="normed") if len(frame) else []
    share = lambda row: 1.0 if row["prior_share"] is None else float(row["prior_share"])
    return _crossings([(share(row), row) for row in rows], "k = 4, t = 100", "share of doubly stochastic chains")


def between(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """tau* against q, from unigram to doubly stochastic, k = 2, t = 100."""
    rows = lanes(frame, prior="interpolated") if len(frame) else []
    return _crossings([(float(row["prior_q"]), row) for row in rows], "k = 2, t = 100", "q (1: doubly stochastic)")


def _crossings(runs: list[tuple[float, Row]], size: str, x_title: str) -> alt.TopLevelMixin | None:
    """Median and range of tau* over seeds, with the number of seeds that cross."""
    if not runs:
        return None
    points = []
    for x in sorted({x for x, _ in runs}):
        rows = [row for at, row in runs if at == x]
        times = [chains_to_cross(row) for row in rows]
        ends = [chains_until(row, float(row["steps"])) for row in rows]
        filled = [end if math.isnan(time) else time for time, end in zip(times, ends, strict=True)]
        crossed = sum(not math.isnan(time) for time in times)
        points.append({"x": f"{x:g}: {crossed} of {len(rows)} cross", "middle": float(np.median(filled)) / 1000,
                       "low": min(filled) / 1000, "high": max(filled) / 1000})  # fmt: skip
    of = "doubly stochastic chains" if "share" in x_title else "chains"
    return dots(
        pl.DataFrame(points), x="x", y="middle", low="low", high="high", title=f"Crossing to bigrams, {size}",
        x_title=x_title, y_title=f"τ*, thousands of {of}",
        subtitle="median and range over seeds; a run that never crosses counts as crossing at its end",
    )  # fmt: skip


def _panels(frame: pl.DataFrame) -> Panelled:
    """Both trainings at k = 4, t = 100 (or what there is), with time in thousands of doubly stochastic chains."""
    rows = lanes(frame) if len(frame) else []
    main = [row for row in rows if (row["states"], row["length"], row["form"]) == (4, 100, "normed")] or rows
    names = {None: ALONE, MIXED: WITH}
    chosen = [
        (names[row["prior_share"]], row) for row in main if row["prior_share"] in names and row["prior_q"] is None
    ]
    seeds = Counter(name for name, _ in chosen)
    in_chains = lambda row: {
        **row,
        "curve_step": [chains_until(row, float(step)) / 1000 for step in row["curve_step"]],
    }
    chosen.sort(key=lambda run: run[0] != ALONE)
    return [(f"{name}, {seeds[name]} seeds", in_chains(row)) for name, row in chosen]


def _setting(runs: Panelled) -> str:
    row = runs[0][1]
    return f"one line per seed; k = {row['states']}, t = {row['length']}, AdamW at {row['lr']:g}, batches of 64"
