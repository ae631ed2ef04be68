"""Width or restarts? When are many narrow lucky networks cheaper than one wide one? (beyond the paper)

In the paper's theory a wide network is many neurons, each with a chance to be lucky. The same chances can be bought one
after the other: train a narrow network, give up after a while, start again with other first weights. A step of ten
neurons costs a thirtieth of one of three hundred. What counts is the price of a success: the floating-point operations
of all tries together, with the best moment to give up (``luck/restart.py``), against those of the wide network.

Grids
    paper   n = 50, k = 3, widths 10 to 10,000, m in {1,000, 1,600, 3,000, 10,000, online}, dense and 2-sparse
            initialisation, 100 runs per cell, T = 100,000; failures of narrow networks at m = 3,000 again.
    laptop  n = 30, k = 3, widths {5, 10, 30, 100, 300}, m in {400, 500, 630, 1,000, online}, 40 runs per cell,
            T = 6,000, examined every 100 steps on 1,000 held-out examples; failures of r = 5, 10 and 30 at m = 630
            again.
    smoke   n = 12, k = 2, two widths: seconds.

Decisions where the paper is silent
    All of it: the paper compares widths at equal steps. Work counts every step and every examination. Each run of a
    cell has a sample of its own, whereas someone who restarts has one: whether luck lies in the sample or in the first
    weights is measured by a second try on the samples of runs that failed. The grid was chosen, and the claims were
    fixed, from what ``slices`` says of n = 30: half of the runs of r = 300 succeed at about m = 420, of r = 30 at 600.
"""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from glassware.foundation.statistics import Estimate, wilson
from glassware.luck import Cell, cells
from glassware.luck.threshold import TRY
from glassware.models import Init
from glassware.studies.claim import Claim, Scale
from glassware.studies.pareto.shared.arms import run
from glassware.studies.pareto.shared.edge_checks import WHERE
from glassware.studies.study import Figure, Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_least
from glassware.sweeps import Axes, grid
from glassware.training import Run

INITS = {"dense": Init(), "sparse": Init(scheme="sparse", s=2)}
NARROW, WIDE = 10, 300
WIDTHS: dict[Scale, list[int]] = {
    "smoke": [5, 30],
    "laptop": [5, 10, 30, 100, 300],
    "paper": [10, 30, 100, 300, 1000, 3000, 10_000],
}
SAMPLES: dict[Scale, list[int | str]] = {
    "smoke": [60, "online"],
    "laptop": [400, 500, 630, 1000, "online"],
    "paper": [1000, 1600, 3000, 10_000, "online"],
}
REPEATS = {"smoke": 10, "laptop": 40, "paper": 100}
AGAIN: dict[Scale, tuple[int, int]] = {"smoke": (60, 5), "laptop": (630, 30), "paper": (3000, 100)}  # m, widest network


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Every width and sample size, dense and 2-sparse."""
    axes: Axes = {"model.width": WIDTHS[scale], "m": SAMPLES[scale], "init": list(INITS.values())}
    return grid(run(scale, 50 if scale == "paper" else 30), axes, seeds=seeds or REPEATS[scale])


def second_tries(scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
    """Other first weights on the samples on which a narrow network has failed."""
    m, widest = AGAIN[scale]
    failed = rows.filter(~pl.col("success"), pl.col("m") == m, pl.col("width") <= widest) if len(rows) else rows
    seen = {(row["width"], row["init"], row["seed"]) for row in failed.iter_rows(named=True)}
    again = []
    for first in runs(scale, seeds, rows):
        if first.m == m and (first.network.widths[0], first.init.scheme, first.seed) in seen:
            other = first.init.model_copy(update={"seed": TRY + first.seed})
            again.append(first.model_copy(update={"init": other}))
    return again


# -- claims -----------------------------------------------------------------------------------------------------------


def first_tries(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of the grid alone."""
    return frame.filter(pl.col("init_seed").is_null()) if len(frame) else frame


def priced(frame: pl.DataFrame, m: int | None) -> dict[tuple[str, int], Cell]:
    """By initialisation and width, the price of a success with m examples (None: fresh ones)."""
    here = first_tries(frame)
    here = here.filter(pl.col("m").eq_missing(m)) if len(here) else here
    return {(cell.run.init.scheme, cell.run.network.widths[0]): cell for cell in cells(here)} if len(here) else {}


def dearer(first: Cell, second: Cell) -> Estimate:
    """How many times the price of the second the first costs; where one never succeeds, more or less than that."""
    (value, low, high), (other, other_low, other_high) = first.flops, second.flops
    if math.isinf(value) and math.isinf(other):
        return Estimate(math.nan)
    if math.isinf(value):
        return Estimate(math.inf, low / other_high, math.inf)
    if math.isinf(other):
        return Estimate(0.0, 0.0, high / other_low)
    down = math.hypot(math.log(value / low), math.log(other_high / other))
    up = math.hypot(math.log(high / value), math.log(other / other_low))
    return Estimate(value / other, value / other * math.exp(-down), value / other * math.exp(up))


def narrow_is_cheaper_with_fresh_examples(frame: pl.DataFrame) -> Finding:
    """Price of a success at r = 300 over that at r = 10, online, of each init."""
    return _compare(priced(frame, None), WIDE, NARROW, 2.0)


def wide_is_cheaper_at_the_edge(frame: pl.DataFrame) -> Finding:
    """Price of a success at r = 10 over that at r = 300, m = 400, of each init."""
    return _compare(priced(frame, 400), NARROW, WIDE, 1.0, strict=True)


def _compare(found: dict[tuple[str, int], Cell], first: int, second: int, need: float, strict: bool = False) -> Finding:
    pairs = [(init, found.get((init, first)), found.get((init, second))) for init in INITS]
    ratios = [(init, dearer(a, b)) for init, a, b in pairs if a is not None and b is not None]
    if len(ratios) < len(INITS) or any(math.isnan(one.low) for _, one in ratios):
        return NOT_ENOUGH
    meets = above(need) if strict else at_least(need)
    return all_of([Finding(one, meets, "times") for _, one in ratios], _cheapest(found))


def _cheapest(found: dict[tuple[str, int], Cell]) -> str:
    """Of each init the width with the lowest price, and how often it is tried on average."""
    said = []
    for init in INITS:
        known = [(cell, r) for (name, r), cell in found.items() if name == init and cell.restart.tells == "price"]
        if known:
            cell, width = min(known, key=lambda one: one[0].flops.value)
            cost = f"{cell.flops.value:.1e} FLOPs in {cell.restart.tries:.1f} tries of {cell.restart.cutoff:,.0f} steps"
            said.append(f"{init}: r = {width} is cheapest, {cost}")
    return "; ".join(said)


def another_start_helps(frame: pl.DataFrame) -> Finding:
    """Success of second tries on samples that have failed, less half of that of first tries, narrow networks."""
    if "init_seed" not in frame.columns:
        return NOT_ENOUGH
    again = frame.filter(pl.col("init_seed").is_not_null())
    if not len(again):
        return NOT_ENOUGH
    first = first_tries(frame).join(again.select("m", "width", "init").unique(), on=["m", "width", "init"], how="semi")
    (won, trials), (other, others) = ((int(part["success"].sum()), len(part)) for part in (again, first))
    said = f"{won}/{trials} second tries, {other}/{others} first tries"
    second, half = wilson(won, trials), Estimate(*(end / 2 for end in wilson(other, others)))
    below = math.hypot(second.value - second.low, half.high - half.value)  # as for a difference of proportions
    beyond = math.hypot(second.high - second.value, half.value - half.low)
    more = second.value - half.value
    return Finding(Estimate(more, more - below, more + beyond), at_least(0), "points", said)


CLAIMS = (
    Claim(
        "narrow",
        "With fresh examples tries of 10 neurons are cheaper than one network of 300",
        WHERE,
        "a success at r = 300 costs ≥ 2 times the operations of one at r = 10, both inits",
        narrow_is_cheaper_with_fresh_examples,
        source="ours",
    ),
    Claim(
        "wide",
        "Where examples are scarce no number of tries replaces width",
        WHERE,
        "at m = 400 a success at r = 10 costs more than one at r = 300, both inits",
        wide_is_cheaper_at_the_edge,
        ("laptop",),
        source="ours",
        note="the cheapest width, and how often it is tried, stand in the detail",
    ),
    Claim(
        "another-start",
        "Luck lies in the first weights: other ones on a sample that has failed succeed",
        WHERE,
        "second tries succeed at least half as often as first tries",
        another_start_helps,
        source="ours",
        note="the number is the rate of second tries less half of that of first tries",
    ),
)


def prices(init: str) -> Figure:
    """A figure of the price of a success against width, one line per sample size."""

    def draw(frame: pl.DataFrame) -> Any:
        from glassware.charts.thresholds import thresholds

        points: list[dict[str, Any]] = []
        for m in sorted(frame["m"].unique(), key=lambda m: m or math.inf):
            for (name, width), cell in priced(frame, m).items():
                if name == init and cell.restart.tells == "price":
                    value, low, high = cell.flops
                    kind = "fresh examples" if m is None else f"m = {m:,}"
                    points.append({"kind": kind, "x": width, "y": value, "low": low, "high": high})
        if not points:
            return None
        n, k = frame["n"][0], frame["k"][0]
        return thresholds(
            pl.DataFrame(points),
            pl.DataFrame(points).select("kind", "x", "y"),
            title="What a success costs with the best restarts",
            subtitle=f"n = {n}, k = {k}, {init} first weights; work of all tries, 95% intervals, if 3 or more succeed",
            x_title="width, r",
            y_title="floating-point operations to one success",
        )

    return draw


def second_chances(frame: pl.DataFrame) -> Any:
    """Success of first and second tries, by width and initialisation."""
    from glassware import charts

    again = frame.filter(pl.col("init_seed").is_not_null())
    if not len(again):
        return None
    first = first_tries(frame).join(again.select("m", "width", "init").unique(), on=["m", "width", "init"], how="semi")
    lines = []
    for tries, part in (("first try", first), ("second, same sample", again)):
        for (init, width), rows in sorted(part.group_by("init", "width"), key=lambda one: one[0]):
            share = wilson(int(rows["success"].sum()), len(rows))
            lines.append({"network": f"{init}, r = {width}", "tries": tries, **share._asdict()})
    return charts.dots(
        pl.DataFrame(lines),
        x="network",
        y="value",
        low="low",
        high="high",
        colour="tries",
        title="A second try on a sample that has failed",
        subtitle=f"n = {frame['n'][0]}, m = {again['m'][0]:,}; share of tries that succeed, 95% intervals",
        x_title="network",
        y_title="tries that succeed",
    )


STUDY = Study(
    name="pareto/beyond/restarts",
    title="Width or restarts: what a success costs",
    about=__doc__ or "",
    stages=(runs, second_tries),
    claims=CLAIMS,
    figures={
        "prices-dense": prices("dense"),
        "prices-sparse": prices("sparse"),
        "second-chances": second_chances,
    },
)
