"""What the claims of ``success_frontier`` measure on the rows of its heat map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import polars as pl

from glassware.foundation.statistics import Estimate, difference, fisher_exact, wilson
from glassware.luck.lattice import Count as Tally
from glassware.luck.lattice import Lattice
from glassware.studies.cells import counts, pooled, rates, where
from glassware.studies.pareto.intervals import Count, joint_z, largest, mean_gain
from glassware.studies.pareto.panels import WIDTHS
from glassware.studies.verdict import (
    NOT_ENOUGH,
    Finding,
    above,
    all_of,
    at_least,
    at_most,
    below,
    between,
)
from glassware.studies.words import counts_in_words

INITS = ("dense", "sparse")
PANELS, STEPS = 24, 100_000  # (n, k, init) of the paper's grid, and steps of its runs
TURNING = 20  # panels in which width alone should take success from none to all
WIDE, ALIKE = 1000, 1.1
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
    steps: dict[tuple[str, int, int], list[tuple[Count, Count, str]]] = {
        (init, low, high): [] for init in {cell[0] for cell in cells} for low, high in pairwise(_widths(table))
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
    found_ = min(1.0, (joint_z(len(every)) + 0.84) * math.sqrt(0.5 / usual))
    worst = "{} r = {} to {}".format(*next(iter(falls)))
    said = f"{len(falls)} steps, worst {worst}; {len(every)} pairs (80% power at {found_:.0%}), least likely fall "
    said += f"{narrow[0]}/{narrow[1]} to {wide[0]}/{wide[1]} at {place}; narrowest to widest "
    said += ", ".join(f"{gain.value:+.0%}" for gain in gains) + _missing(table)
    conditions = [
        *(Finding(fall, at_most(DROP), "points") for fall in falls.values()),
        Finding(single, "fails" if single.low > 0 else "holds", "points"),
        *(Finding(gain, above(0), "points") for gain in gains),
    ]
    if len(falls) < len(steps) or _missing(table):  # what was not measured may hurt
        conditions.append(Finding(next(iter(falls.values())), "not enough runs", "points"))
    return all_of(conditions, said)


def luck_decides_at_the_edge(frame: pl.DataFrame) -> Finding:
    """Share of cells whose success rate lies between 20% and 80%: surely, by the counts, perhaps.

    A cell without runs may lie there, whatever its neighbours tell.
    """
    table = heat_map_rows(frame)
    measured = [count for *_, count in _counts(table, "n", "k", "init", "width", "m")]
    if len(measured) < 20:
        return NOT_ENOUGH
    cells = len(_panels(table)) * len(_widths(table)) * table["m"].n_unique()
    unknown = cells - len(measured)
    low, high = UNDECIDED
    rates_ = [wilson(*cell) for cell in measured]
    surely = sum(low <= rate.low and rate.high <= high for rate in rates_)
    perhaps = sum(rate.high >= low and rate.low <= high for rate in rates_) + unknown
    counted_ = sum(low <= rate.value <= high for rate in rates_)
    share = Estimate(*(count / cells for count in (counted_, surely, perhaps)))
    said = f"of {cells} cells {counted_} by their counts; {surely} surely, {cells - perhaps} surely not"
    said += f"; {unknown} without runs" if unknown else ""
    found = Finding(share, between(0.05, 0.5), "points", said + _missing(table))
    return replace(found, meets="not enough runs") if _missing(table) and found.verdict == "holds" else found


# -- at paper scale ---------------------------------------------------------------------------------------------------


def panels_below_the_kernel_limit(frame: pl.DataFrame) -> Finding:
    """For every (n, k) with any success: the best success rate of a cell at m <= n^k / 100.

    A cell that was not measured may be better than those that were: an (n, k) that lacks some can pass, not fail. One
    without success counts as not learned where the widest networks had no success online either.
    """
    table = heat_map_rows(frame)
    cells = _counts(table, "n", "k", "init", "width", "m")
    grid, found = {cell[2:-1] for cell in cells}, list[Finding]()
    for place in sorted({cell[:2] for cell in cells}):
        ours = {cell[2:-1]: cell[-1] for cell in cells if cell[:2] == place}
        learned = any(won for won, _ in ours.values())
        few = {cell for cell in grid if cell[-1] is not None and 100 * cell[-1] <= place[0] ** place[1]}
        measured = [ours[cell] for cell in few & ours.keys()]
        best = largest([wilson(won, trials, joint_z(len(measured))) for won, trials in measured])
        best = best if few else Estimate.exact(0.0)
        one = Finding(best, at_least(0.5), "points")
        tops = {(init, _widths(table)[-1], None) for init in INITS}
        if (learned and few - ours.keys() and one.verdict != "holds") or (not learned and tops - ours.keys()):
            found.append(replace(one, meets="not enough runs"))
        elif learned:
            found.append(one)
    if not found:
        return NOT_ENOUGH
    by_counts, lacks = sum(one.measured.value >= 0.5 for one in found), _missing(table, PANELS)
    said = f"{by_counts} of {len(found)} (n, k) by their counts{lacks}"
    if len(_panels(table)) < PANELS:
        found.append(Finding(found[0].measured, "not enough runs", "points"))
    return all_of(found, said)


def columns_from_nothing_to_everything(frame: pl.DataFrame) -> Finding:
    """Panels (n, k, init) that hold a column going from at most 10% to at least 90% as the width grows.

    Surely, where the intervals of some narrow and of some wider networks say so, each group taken together; by the
    counts; perhaps, where they do not exclude it. A panel without runs may.
    """
    table = heat_map_rows(frame)
    columns: dict[tuple[Any, ...], dict[Any, list[Count]]] = {}
    for *panel, m, _, count in _counts(table, "n", "k", "init", "m", "width"):
        columns.setdefault(tuple(panel), {}).setdefault(m, []).append(count)
    if not columns:
        return NOT_ENOUGH
    turning = [[_turns(column) for column in panel.values()] for panel in columns.values()]
    lacks = PANELS - len(turning)
    counts_ = (sum(any(column[i] for column in panel) for panel in turning) for i in range(3))
    value, surely, perhaps = counts_
    found = Finding(
        Estimate(value / PANELS, surely / PANELS, (perhaps + lacks) / PANELS),
        at_least(TURNING / PANELS),
        "points",
        f"of {len(turning)} panels {value} by their counts, {surely} surely, {perhaps} perhaps; {TURNING} of 24 needed",
    )
    return replace(found, meets="not enough runs") if lacks and found.verdict == "too close to call" else found


def sparse_region_is_larger(frame: pl.DataFrame) -> Finding:
    """m50 with 2-sparse weights over that with dense ones, geometric mean over r >= 1,000: of all, and of each (n, k).

    An edge beyond the grid counts as lying at its end, which makes the two more alike than they are; where both lie
    beyond the same end, they tell nothing.
    """
    table = heat_map_rows(frame)
    edges = _edges(table)
    samples = table["m"].drop_nulls().unique().sort().to_list() if edges else []
    apart: dict[tuple[int, int], list[Estimate]] = {}
    for (n, k, init, width), edge in edges.items():
        other = edges.get((n, k, "dense", width))
        if init == "sparse" and width >= WIDE and other and (edge.value != other.value or 0 < edge.value < math.inf):
            apart.setdefault((n, k), []).append(_log_ratio(edge, other, samples[0], samples[-1]))
    if not apart:
        return NOT_ENOUGH
    overall = _mean_ratio([one for some in apart.values() for one in some])
    each = {place: _mean_ratio(some) for place, some in sorted(apart.items())}
    lacks = _missing(table, PANELS, WIDE)
    said = f"all {len(each)} (n, k) {overall.value:.2f}×; "
    said += ", ".join(f"({n}, {k}) {one.value:.2f}×" for (n, k), one in each.items()) + lacks
    least = [Finding(one, at_most(ALIKE), "times") for one in each.values()]
    unknown = [Finding(overall, "not enough runs", "times")] if lacks else []
    return all_of([Finding(overall, below(1), "times"), *least, *unknown], said)


def more_data_can_hurt(frame: pl.DataFrame) -> Finding:
    """Deepest dip of a row: how far success falls as m grows, and rises again, the lesser of the two.

    Cells without runs are passed over: they can hide a dip, so only a grid without gaps can say that there is none.
    """
    table = heat_map_rows(frame)
    cells = _counts(table, "n", "k", "init", "width", "m")
    rows: dict[tuple[Any, ...], list[Count]] = {}
    for *place, _, count in sorted(cells, key=lambda row: math.inf if row[4] is None else row[4]):
        rows.setdefault(tuple(place), []).append(count)
    every = PANELS * len(_widths(table)) * table["m"].n_unique() if cells else 0
    rows = {place: row for place, row in rows.items() if len(row) > 2}
    if not rows:
        return NOT_ENOUGH
    z = joint_z(sum(math.comb(len(row), 2) for row in rows.values()))
    dips = {place: _dip(row, z) for place, row in rows.items()}
    n, k, init, width = max(dips, key=lambda place: dips[place].value)
    deepest = largest([*dips.values()])
    said = f"n = {n}, k = {k}, {init}, r = {width}" if deepest.value > 0 else "no row"
    found = Finding(deepest, at_least(0.3), "points", said)
    # The paper says that such a row exists: cells that were not measured may have it.
    return replace(found, meets="not enough runs") if found.verdict != "holds" and len(cells) < every else found


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


def _panels(table: pl.DataFrame) -> set[tuple[Any, ...]]:
    """(n, k, init) of these rows."""
    return set(table.select("n", "k", "init").unique().iter_rows())


def _at_paper_scale(table: pl.DataFrame) -> bool:
    return bool((table["steps"] == STEPS).any())


def _widths(table: pl.DataFrame) -> list[int]:
    """The widths of the grid: at paper scale all of them, whatever was measured."""
    return WIDTHS if _at_paper_scale(table) else table["width"].unique().sort().to_list()


def _missing(table: pl.DataFrame, panels: int | None = None, narrowest: int = 0) -> str:
    """How many panels, and rows of them (one per width from the narrowest), have runs, in words; nothing if all have.

    At paper scale all panels and widths of the paper are expected; else what is seen, or so many panels.
    """
    seen, wide = len(_panels(table)), table.filter(pl.col("width") >= narrowest)
    measured = wide.select("n", "k", "init", "width").n_unique()
    wanted = PANELS if _at_paper_scale(table) else panels or seen
    rows = wanted * sum(width >= narrowest for width in _widths(table))
    return "" if measured == rows else f"; {seen} of {wanted} panels, {measured} of {rows} rows of them have runs"


def _turns(column: Sequence[Count]) -> tuple[bool, bool, bool]:
    """Whether success goes from at most 10% to at least 90%: by the rate of a cell each, surely, and perhaps."""
    value = surely = perhaps = False
    for i, j in combinations(range(len(column)), 2):
        narrow, wide = wilson(*pooled(column[: i + 1])), wilson(*pooled(column[j:]))
        surely |= narrow.high <= 0.1 and wide.low >= 0.9
        first, last = wilson(*column[i]), wilson(*column[j])
        value |= first.value <= 0.1 and last.value >= 0.9
        perhaps |= first.low <= 0.1 and last.high >= 0.9
    return value, surely, perhaps


def _edges(table: pl.DataFrame) -> dict[tuple[int, int, str, int], Estimate]:
    """m50 by n, k, init and width, as the search reads it; those of which the runs say nothing are left out."""
    found = {}
    panels: dict[tuple[Any, ...], dict[tuple[Any, Any], Count]] = {}
    for n, k, init, width, m, count in _counts(table, "n", "k", "init", "width", "m"):
        panels.setdefault((n, k, init), {})[m, width] = count
    for panel, counts_ in panels.items():
        samples, widths = ({cell[i] for cell in counts_} for i in (0, 1))
        x = sorted(float(m) for m in samples if m is not None)
        if len(x) < 2:
            continue
        x += [x[-1] ** 2 / x[-2]] if None in samples else []  # online: one step beyond the largest sample
        y = sorted(widths)
        lattice = Lattice(tuple(x), tuple(map(float, y)), columns=False)
        at = {(len(x) - 1 if m is None else x.index(m), y.index(r)): Tally(*count) for (m, r), count in counts_.items()}
        for line in lattice.lines:
            value, low, high = lattice.edge(line, at, "found")
            if low > 0 or high < math.inf:
                found[*panel, y[line.at]] = Estimate(value, low, high)
    return found


def _log_ratio(edge: Estimate, other: Estimate, first: float, last: float) -> Estimate:
    """The ratio of two edges, in logarithms; one beyond the grid counts as lying at its end."""
    inside = lambda end: math.log(min(max(end, first), last))
    (value, low, _), (v, lo, _) = (map(inside, one) for one in (edge, other))
    high, hi = (math.log(max(one.high, first)) for one in (edge, other))
    middle = value - v
    return Estimate(middle, middle - math.hypot(value - low, hi - v), middle + math.hypot(high - value, v - lo))


def _mean_ratio(logs: Sequence[Estimate]) -> Estimate:
    """Their geometric mean; distances to the ends are added in squares."""
    value = math.fsum(one.value for one in logs) / len(logs)
    down, up = (math.hypot(*(one.value - one[i] for one in logs)) / len(logs) for i in (1, 2))
    return Estimate(math.exp(value), math.exp(value - down), math.exp(value + up))


def _dip(row: Sequence[Count], z: float) -> Estimate:
    """Over all cells but the ends: the lesser of the largest fall to it and the largest rise from it."""

    def from_best(others: Sequence[Count], cell: Count) -> Estimate:
        return largest([mean_gain([(other, cell)], z) for other in others])

    inner = range(1, len(row) - 1)
    sides = [(from_best(row[:i], row[i]), from_best(row[i + 1 :], row[i])) for i in inner]
    return largest([Estimate(*(min(a, b) for a, b in zip(fall, rise, strict=True))) for fall, rise in sides])
