"""What the claims of ``success_frontier`` measure on the rows of its heat map, at laptop scale and at both."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import polars as pl

from glassware.foundation.statistics import Estimate, difference, fisher_exact, wilson
from glassware.studies.cells import counts
from glassware.studies.pareto.frontier_cells import INITS, cell_counts, heat_map_rows, missing, panels_of, widths_of
from glassware.studies.pareto.intervals import Count, joint_z, mean_gain
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_least, at_most, between
from glassware.studies.words import counts_in_words

DROP = 0.05  # a step of width that costs less than this, averaged over sample sizes, does no harm
UNDECIDED = (0.2, 0.8)  # success rates at which luck decides


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
    cells = {row[:-1]: row[-1] for row in cell_counts(table, "init", "width", "n", "k", "m")}
    steps: dict[tuple[str, int, int], list[tuple[Count, Count, str]]] = {
        (init, low, high): [] for init in {cell[0] for cell in cells} for low, high in pairwise(widths_of(table))
    }
    for (init, low, high), found in steps.items():
        for n, k, m in (place for (i, width, *place) in cells if (i, width) == (init, low)):
            if (init, high, n, k, m) in cells:
                at = f"n = {n}, k = {k}, {init}, m = {m or 'online'}, r = {low} to {high}"
                found.append((cells[init, low, n, k, m], cells[init, high, n, k, m], at))
    every = [pair for pairs in steps.values() for pair in pairs]
    if not every:
        return NOT_ENOUGH
    falls = {step: mean_gain([pair[:2] for pair in pairs]) for step, pairs in steps.items() if pairs}
    falls = dict(sorted(falls.items(), key=lambda item: -item[1].high))  # the worst first: it decides, and is shown
    # Of all single pairs the one whose fall chance explains worst, with an interval that allows for their number.
    narrow, wide, place = min(every, key=lambda pair: fisher_exact(*pair[0], *pair[1]))
    single = mean_gain([(narrow, wide)], joint_z(len(every)))
    gains = [_ends(cells, init) for init in INITS if any(i == init for i, *_ in cells)]
    # What such a test finds in four of five cases, where both rates are near one half.
    usual = sorted(trials for *pair, _ in every for _, trials in pair)[len(every)]
    detectable = min(1.0, (joint_z(len(every)) + 0.84) * math.sqrt(0.5 / usual))
    worst = "{} r = {} to {}".format(*next(iter(falls)))
    said = f"{len(falls)} steps, worst {worst}; {len(every)} pairs (80% power at {detectable:.0%}), least likely fall "
    said += f"{narrow[0]}/{narrow[1]} to {wide[0]}/{wide[1]} at {place}; narrowest to widest "
    said += ", ".join(f"{gain.value:+.0%}" for gain in gains) + missing(table)
    conditions = [
        *(Finding(fall, at_most(DROP), "points") for fall in falls.values()),
        Finding(single, "fails" if single.low > 0 else "holds", "points"),
        *(Finding(gain, above(0), "points") for gain in gains),
    ]
    if len(falls) < len(steps) or missing(table):  # what was not measured may hurt
        conditions.append(Finding(next(iter(falls.values())), "not enough runs", "points"))
    return all_of(conditions, said)


def luck_decides_at_the_edge(frame: pl.DataFrame) -> Finding:
    """Share of cells whose success rate lies between 20% and 80%: surely, by the counts, perhaps.

    A cell without runs may lie there, whatever its neighbours tell.
    """
    table = heat_map_rows(frame)
    measured = [count for *_, count in cell_counts(table, "n", "k", "init", "width", "m")]
    if len(measured) < 20:
        return NOT_ENOUGH
    cells = len(panels_of(table)) * len(widths_of(table)) * table["m"].n_unique()
    unknown = cells - len(measured)
    low, high = UNDECIDED
    rates_ = [wilson(*cell) for cell in measured]
    surely = sum(low <= rate.low and rate.high <= high for rate in rates_)
    perhaps = sum(rate.high >= low and rate.low <= high for rate in rates_) + unknown
    counted_ = sum(low <= rate.value <= high for rate in rates_)
    share = Estimate(*(count / cells for count in (counted_, surely, perhaps)))
    said = f"of {cells} cells {counted_} by their counts; {surely} surely, {cells - perhaps} surely not"
    said += f"; {unknown} without runs" if unknown else ""
    found = Finding(share, between(0.05, 0.5), "points", said + missing(table))
    return replace(found, meets="not enough runs") if missing(table) and found.verdict == "holds" else found


def _ends(cells: dict[tuple[Any, ...], Count], init: str) -> Estimate:
    """Gain from the narrowest to the widest network, averaged over n, k and m."""
    widths: dict[tuple[Any, ...], list[int]] = {}
    for i, width, *place in cells:
        if i == init:
            widths.setdefault(tuple(place), []).append(width)
    return mean_gain([(cells[init, max(w), *place], cells[init, min(w), *place]) for place, w in widths.items()])
