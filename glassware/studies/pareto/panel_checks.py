"""What the claims about all panels of ``success_frontier`` measure: cells without runs are no failures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import polars as pl

from glassware.foundation.statistics import Estimate, wilson
from glassware.luck.lattice import Count as Tally
from glassware.luck.lattice import Lattice
from glassware.studies.cells import pooled
from glassware.studies.pareto.frontier_cells import (
    INITS,
    PANELS,
    cell_counts,
    heat_map_rows,
    missing,
    panels_of,
    widths_of,
)
from glassware.studies.pareto.intervals import Count, joint_z, largest, mean_gain
from glassware.studies.verdict import NOT_ENOUGH, Finding, all_of, at_least, at_most, below

TURNING = 20  # panels in which width alone should take success from none to all
WIDE, ALIKE = 1000, 1.1


def panels_below_the_kernel_limit(frame: pl.DataFrame) -> Finding:
    """For every (n, k) with any success: the best success rate of a cell at m <= n^k / 100.

    A cell that was not measured may be better than those that were: an (n, k) that lacks some can pass, not fail. One
    without success counts as not learned where the widest networks had no success online either.
    """
    table = heat_map_rows(frame)
    cells = cell_counts(table, "n", "k", "init", "width", "m")
    grid, found = {cell[2:-1] for cell in cells}, list[Finding]()
    for place in sorted({cell[:2] for cell in cells}):
        ours = {cell[2:-1]: cell[-1] for cell in cells if cell[:2] == place}
        learned = any(won for won, _ in ours.values())
        few = {cell for cell in grid if cell[-1] is not None and 100 * cell[-1] <= place[0] ** place[1]}
        measured = [ours[cell] for cell in few & ours.keys()]
        best = largest([wilson(won, trials, joint_z(len(measured))) for won, trials in measured])
        best = best if few else Estimate.exact(0.0)
        one = Finding(best, at_least(0.5), "points")
        tops = {(init, widths_of(table)[-1], None) for init in INITS}
        if (learned and few - ours.keys() and one.verdict != "holds") or (not learned and tops - ours.keys()):
            found.append(replace(one, meets="not enough runs"))
        elif learned:
            found.append(one)
    if not found:
        return NOT_ENOUGH
    by_counts, lacks = sum(one.measured.value >= 0.5 for one in found), missing(table, PANELS)
    said = f"{by_counts} of {len(found)} (n, k) by their counts{lacks}"
    if len(panels_of(table)) < PANELS:
        found.append(Finding(found[0].measured, "not enough runs", "points"))
    return all_of(found, said)


def columns_from_nothing_to_everything(frame: pl.DataFrame) -> Finding:
    """Panels (n, k, init) that hold a column going from at most 10% to at least 90% as the width grows.

    Surely, where the intervals of some narrow and of some wider networks say so, each group taken together; by the
    counts; perhaps, where they do not exclude it. A panel without runs may.
    """
    table = heat_map_rows(frame)
    columns: dict[tuple[Any, ...], dict[Any, list[Count]]] = {}
    for *panel, m, _, count in cell_counts(table, "n", "k", "init", "m", "width"):
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

    An edge beyond the grid counts as lying at its end, which makes the two more alike than they are unless a search
    has missed a band; where both lie beyond the same end, they tell nothing.
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
    lacks = missing(table, PANELS, WIDE)
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
    cells = cell_counts(table, "n", "k", "init", "width", "m")
    rows: dict[tuple[Any, ...], list[Count]] = {}
    for *place, _, count in sorted(cells, key=lambda row: math.inf if row[4] is None else row[4]):
        rows.setdefault(tuple(place), []).append(count)
    every = PANELS * len(widths_of(table)) * table["m"].n_unique() if cells else 0
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
    for n, k, init, width, m, count in cell_counts(table, "n", "k", "init", "width", "m"):
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
