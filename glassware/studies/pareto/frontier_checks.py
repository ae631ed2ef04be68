"""What the claims of ``success_frontier`` measure on the rows of its heat map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import polars as pl

from glassware.foundation.statistics import Estimate, difference, fisher_exact, wilson
from glassware.studies.cells import counts, rates, where
from glassware.studies.pareto.intervals import Count, joint_z, largest, mean_gain
from glassware.studies.verdict import (
    NOT_ENOUGH,
    Finding,
    above,
    all_of,
    at_least,
    at_most,
    between,
    counted,
)
from glassware.studies.words import counts_in_words

INITS = ("dense", "sparse")
PLACES, PANELS = 12, 24  # (n, k), and (n, k, init), of the paper's grid
DROP = 0.05  # a step of width that costs less than this, averaged over sample sizes, does no harm
UNDECIDED = (0.2, 0.8)  # success rates at which luck decides


def heat_map_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of the heat map."""
    return where(frame, train_size=0)


# -- at laptop scale --------------------------------------------------------------------------------------------------


def frontier_below_the_kernel_limit(frame: pl.DataFrame) -> Finding:
    """Success of each init at m = 2,000, r = 300: sixty times fewer examples than n^3."""
    found = [(init, counts(heat_map_rows(frame), init=init, m=2000, width=300)) for init in INITS]
    if any(trials == 0 for _, (_, trials) in found):
        return NOT_ENOUGH
    return all_of([Finding(wilson(*c), at_least(0.9), "points") for _, c in found], counts_in_words(found))


def width_buys_luck(frame: pl.DataFrame) -> Finding:
    """Gain of each init from r = 10 to r = 300 at m = 2,000."""
    table = heat_map_rows(frame)
    found = [[counts(table, init=init, m=2000, width=width) for width in (300, 10)] for init in INITS]
    if any(trials == 0 for pair in found for _, trials in pair):
        return NOT_ENOUGH
    said = "; ".join(f"{i} {a[0]}/{a[1]} against {b[0]}/{b[1]}" for i, (a, b) in zip(INITS, found, strict=True))
    return all_of([Finding(difference(*wide, *narrow), at_least(0.5), "points") for wide, narrow in found], said)


def sparse_init_saves_data(frame: pl.DataFrame) -> Finding:
    """2-sparse minus dense success at m = 1,000, r = 300."""
    table = heat_map_rows(frame)
    sparse, dense = (counts(table, init=init, m=1000, width=300) for init in ("sparse", "dense"))
    if not sparse[1] or not dense[1]:
        return NOT_ENOUGH
    said = counts_in_words([("sparse", sparse), ("dense", dense)])
    return Finding(difference(*sparse, *dense), at_least(0.4), "points", said)


# -- at both scales ---------------------------------------------------------------------------------------------------


def width_never_hurts(frame: pl.DataFrame) -> Finding:
    """Fall of success from each width to the next, averaged over n, k and m; that of every single pair; the gain."""
    table = heat_map_rows(frame)
    cells = {row[:-1]: row[-1] for row in _counts(table, "init", "width", "n", "k", "m")}
    steps: dict[tuple[str, int, int], list[tuple[Count, Count, str]]] = {}
    for init, n, k, m in table.select("init", "n", "k", "m").unique(maintain_order=True).iter_rows():
        column = sorted(width for (i, width, *place) in cells if (i, *place) == (init, n, k, m))
        for low, high in pairwise(column):
            at = f"n = {n}, k = {k}, {init}, m = {m or 'online'}, r = {low} to {high}"
            pair = cells[init, low, n, k, m], cells[init, high, n, k, m]
            steps.setdefault((init, low, high), []).append((*pair, at))
    if not steps:
        return NOT_ENOUGH
    falls = {step: mean_gain([pair[:2] for pair in pairs]) for step, pairs in steps.items()}
    falls = dict(sorted(falls.items(), key=lambda item: -item[1].high))  # the worst first: it decides, and is shown
    every = [pair for pairs in steps.values() for pair in pairs]
    # Of all single pairs the one whose fall chance explains worst, with an interval that allows for their number.
    narrow, wide, place = min(every, key=lambda pair: fisher_exact(*pair[0], *pair[1]))
    single = mean_gain([(narrow, wide)], joint_z(len(every)))
    gains = [_ends(cells, init) for init in INITS if any(i == init for i, *_ in cells)]
    # What such a test finds in four of five cases, where both rates are near one half.
    found = (joint_z(len(every)) + 0.84) * math.sqrt(0.5 / min(trials for *pair, _ in every for _, trials in pair))
    worst = "{} r = {} to {}".format(*next(iter(falls)))
    said = f"{len(falls)} steps, worst {worst}; {len(every)} pairs (80% power at {found:.0%}), least likely fall "
    said += f"{narrow[0]}/{narrow[1]} to {wide[0]}/{wide[1]} at {place}; narrowest to widest "
    said += ", ".join(f"{gain.value:+.0%}" for gain in gains)
    conditions = [
        *(Finding(fall, at_most(DROP), "points") for fall in falls.values()),
        Finding(single, "fails" if single.low > 0 else "holds", "points"),
        *(Finding(gain, above(0), "points") for gain in gains),
    ]
    return all_of(conditions, said)


def luck_decides_at_the_edge(frame: pl.DataFrame) -> Finding:
    """Share of cells whose success rate lies between 20% and 80%: surely, by the counts, perhaps."""
    cells = [count for *_, count in _counts(heat_map_rows(frame), "n", "k", "init", "width", "m")]
    if len(cells) < 20:
        return NOT_ENOUGH
    low, high = UNDECIDED
    rates_ = [wilson(*cell) for cell in cells]
    surely = sum(low <= rate.low and rate.high <= high for rate in rates_)
    perhaps = sum(rate.high >= low and rate.low <= high for rate in rates_)
    counted_ = sum(low <= rate.value <= high for rate in rates_)
    share = Estimate(*(count / len(cells) for count in (counted_, surely, perhaps)))
    said = f"of {len(cells)} cells {counted_} by their counts; {surely} surely, {len(cells) - perhaps} surely not"
    return Finding(share, between(0.05, 0.5), "points", said)


# -- at paper scale ---------------------------------------------------------------------------------------------------


def panels_below_the_kernel_limit(frame: pl.DataFrame) -> Finding:
    """For every (n, k) with any success: the best success rate of a cell at m <= n^k / 100."""
    cells = _counts(heat_map_rows(frame), "n", "k", "m", "init", "width")
    places = sorted({(n, k) for n, k, *_, (won, _) in cells if won})
    if not places:
        return NOT_ENOUGH
    found = []
    for place in places:
        few = [count for n, k, m, *_, count in cells if (n, k) == place and m is not None and 100 * m <= n**k]
        best = largest([wilson(won, trials, joint_z(len(few))) for won, trials in few])
        found.append((place, Estimate.exact(0.0) if math.isnan(best.value) else best))
    learned = sum(best.value >= 0.5 for _, best in found)
    said = f"{learned} of {len(found)} (n, k) by their counts"
    return all_of([Finding(best, at_least(0.5), "points") for _, best in found], said)


def columns_from_nothing_to_everything(frame: pl.DataFrame) -> Finding:
    """Panels (n, k, init) that hold a column going from at most 10% to at least 90% as the width grows."""
    panels = rates(heat_map_rows(frame), "n", "k", "init", "m", "width").partition_by("n", "k", "init")
    if len(panels) < PANELS:
        return NOT_ENOUGH
    turning = sum(any(_rises(column["rate"].to_list()) for column in panel.partition_by("m")) for panel in panels)
    return counted(turning, len(panels), 20, "panels")


def sparse_region_is_larger(frame: pl.DataFrame) -> Finding:
    """2-sparse minus dense success over all cells with r >= 1,000: on average, and for each (n, k)."""
    table = heat_map_rows(frame)
    wide = _counts(table.filter(pl.col("width") >= 1000) if len(table) else table, "n", "k", "m", "width", "init")
    cells = {row[:-1]: row[-1] for row in wide}
    pairs: dict[tuple[int, int], list[tuple[Count, Count]]] = {}
    for (n, k, m, width, init), count in cells.items():
        if init == "sparse" and (n, k, m, width, "dense") in cells:
            pairs.setdefault((n, k), []).append((count, cells[n, k, m, width, "dense"]))
    if len(pairs) < PLACES:
        return NOT_ENOUGH
    overall = mean_gain([pair for some in pairs.values() for pair in some])
    each = {place: mean_gain(some) for place, some in pairs.items()}
    said = f"all {len(pairs)} (n, k) {overall.value:+.0%}; " + ", ".join(
        f"({n}, {k}) {gain.value:+.0%}" for (n, k), gain in sorted(each.items())
    )
    least = [Finding(gain, at_least(-DROP), "points") for gain in each.values()]
    return all_of([Finding(overall, above(0), "points"), *least], said)


def more_data_can_hurt(frame: pl.DataFrame) -> Finding:
    """Deepest dip of a row: how far success falls as m grows, and rises again, the lesser of the two."""
    cells = _counts(heat_map_rows(frame), "n", "k", "init", "width", "m")
    rows: dict[tuple[Any, ...], list[Count]] = {}
    for *place, _, count in sorted(cells, key=lambda row: math.inf if row[4] is None else row[4]):
        rows.setdefault(tuple(place), []).append(count)
    rows = {place: row for place, row in rows.items() if len(row) > 2}
    if not rows:
        return NOT_ENOUGH
    z = joint_z(sum(math.comb(len(row), 2) for row in rows.values()))
    dips = {place: _dip(row, z) for place, row in rows.items()}
    n, k, init, width = max(dips, key=lambda place: dips[place].value)
    deepest = largest([*dips.values()])
    said = f"n = {n}, k = {k}, {init}, r = {width}" if deepest.value > 0 else "no row"
    found = Finding(deepest, at_least(0.3), "points", said)
    if found.verdict != "holds" and len({place[:3] for place in rows}) < PANELS:
        return NOT_ENOUGH  # the paper says that such a row exists: some panels cannot refute it
    return found


# -- helpers ----------------------------------------------------------------------------------------------------------


def _counts(table: pl.DataFrame, *by: str) -> list[tuple[Any, ...]]:
    """Cells as tuples: the values of these columns, then successes and trials."""
    if not len(table):
        return []
    return [(*row[:-2], row[-2:]) for row in rates(table, *by).drop("rate").iter_rows()]


def _ends(cells: dict[tuple[Any, ...], Count], init: str) -> Estimate:
    """Gain from the narrowest to the widest network, averaged over n, k and m."""
    widths: dict[tuple[Any, ...], list[int]] = {}
    for i, width, *place in cells:
        if i == init:
            widths.setdefault(tuple(place), []).append(width)
    return mean_gain([(cells[init, max(w), *place], cells[init, min(w), *place]) for place, w in widths.items()])


def _rises(rates_: list[float]) -> bool:
    low = next((i for i, rate in enumerate(rates_) if rate <= 0.1), None)
    return low is not None and any(rate >= 0.9 for rate in rates_[low:])


def _dip(row: Sequence[Count], z: float) -> Estimate:
    """Over all cells but the ends: the lesser of the largest fall to it and the largest rise from it."""

    def from_best(others: Sequence[Count], cell: Count) -> Estimate:
        return largest([mean_gain([(other, cell)], z) for other in others])

    inner = range(1, len(row) - 1)
    sides = [(from_best(row[:i], row[i]), from_best(row[i + 1 :], row[i])) for i in inner]
    return largest([Estimate(*(min(a, b) for a, b in zip(fall, rise, strict=True))) for fall, rise in sides])
