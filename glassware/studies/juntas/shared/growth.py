"""How the examples needed grow with the context: counts of trials, the law fitted to them, claims about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from glassware.foundation.statistics import power_law_exponent
from glassware.luck.curve import Cell, Fit
from glassware.luck.growth import Growth, Trials, fit_growth
from glassware.studies.verdict import NOT_ENOUGH, Finding, Threshold, above, all_of, below, between

LEVEL = 0.8
BAND = 0.25  # an exponent within it, of either sign, counts as log T
LINE = 60  # points of a law that is drawn

Counts = Callable[[pl.DataFrame], list[Trials]]


def trials(frame: pl.DataFrame) -> list[Trials]:
    """Successes and trials of every T and m. A trial is a seed; it succeeds where one of its runs does."""
    if "length" not in frame.columns:
        return []
    each = frame.group_by("length", "m", "seed").agg(pl.col("success").any())
    cells = each.group_by("length", "m").agg(pl.col("success").sum().cast(pl.Int64), pl.len()).sort("length", "m")
    return [Trials(*row) for row in cells.iter_rows()]


def by_length(cells: Sequence[Trials], level: float = LEVEL) -> dict[float, Fit]:
    """The threshold of each T by itself."""
    lengths = sorted({cell.size for cell in cells})
    return {
        length: Fit.of([Cell(cell.m, cell.won, cell.trials) for cell in cells if cell.size == length], level)
        for length in lengths
    }


def first_crossing(cells: Sequence[Trials], length: float, level: float = LEVEL) -> float:
    """The smallest m at which at least so large a share of trials succeeds; not a number where there is none."""
    return min((c.m for c in cells if c.size == length and c.won >= level * c.trials), default=math.nan)


def law_in_words(law: Growth, cells: Sequence[Trials]) -> str:
    """The law, and the threshold of each T by itself."""
    alone = "; ".join(f"T = {length:g}: {_span(fit)}" for length, fit in by_length(cells).items())
    slope, at = law.slope, law.at_reference
    fitted = f"{slope.value:.3g} [{slope.low:.3g}, {slope.high:.3g}] examples per nat at T = {law.reference:g}"
    return f"{fitted}, where m_80 = {at.value:.3g} [{at.low:.3g}, {at.high:.3g}]; each T alone, {alone}"


def _span(fit: Fit) -> str:
    value, low, high = fit.at
    return f"{value:.0f} [{low:.0f}, {high:.0f}]".replace("nan", "unknown").replace("inf", "∞")


def exponent_is(low: float, high: float, counts: Counts = trials) -> Callable[[pl.DataFrame], Finding]:
    """A check: the examples needed grow, by a law whose exponent lies between two numbers."""
    return exponent_meets(between(low, high), counts)


def sublinear(counts: Counts = trials) -> Callable[[pl.DataFrame], Finding]:
    """A check: the examples needed grow, by a law whose exponent is below 1."""
    return exponent_meets(below(1), counts)


def exponent_meets(meets: Threshold, counts: Counts) -> Callable[[pl.DataFrame], Finding]:
    """A check: the examples needed grow, by a law whose exponent meets a threshold."""

    def check(frame: pl.DataFrame) -> Finding:
        """The exponent of the law, from all trials of all T; of trials without growth it would mean nothing."""
        cells = counts(frame)
        law = fit_growth(cells)
        if math.isnan(law.exponent.value):
            return NOT_ENOUGH
        said = law_in_words(law, cells)
        return all_of([Finding(law.exponent, meets, "", said), Finding(law.slope, above(0), "", f"no growth: {said}")])

    return check


def grows(counts: Counts = trials) -> Callable[[pl.DataFrame], Finding]:
    """A check: more examples are needed in longer contexts."""

    def check(frame: pl.DataFrame) -> Finding:
        """Examples per nat of T at T = 300, from all trials of all T."""
        cells = counts(frame)
        law = fit_growth(cells)
        if math.isnan(law.slope.value):
            return NOT_ENOUGH
        return Finding(law.slope, above(0), "", f"examples per nat of T; {first_crossings(cells)}")

    return check


def first_crossings(cells: Sequence[Trials]) -> str:
    """The smallest m with 80% at each T, and what is often read off it."""
    lengths = sorted({cell.size for cell in cells})
    crossed = [first_crossing(cells, length) for length in lengths]
    words = ", ".join(f"{length:g}: {m:g}" for length, m in zip(lengths, crossed, strict=True))
    if not all(math.isfinite(m) for m in crossed):
        return f"first m with 80% at T = {words}"
    over_log = [m / math.log(length) for length, m in zip(lengths, crossed, strict=True)]
    ratio, power = crossed[-1] / crossed[0], power_law_exponent(lengths, crossed)
    spread = max(over_log) / min(over_log)
    read_off = f"last over first {ratio:.2g}, power of T {power:.2g}, m/ln T varies {spread:.2g} times"
    return f"first m with 80% at T = {words}; {read_off}"


def points(cells: Sequence[Trials], kind: str, level: float = LEVEL) -> pl.DataFrame:
    """The threshold of each T as the chart takes it; ends that are not known are null."""
    rows = []
    for length, fit in by_length(cells, level).items():
        known = (None if not 0 < one < math.inf else one for one in fit.at)
        rows.append((kind, float(length), *known))
    schema = {"kind": pl.String, **dict.fromkeys(("x", "y", "low", "high"), pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def curve(cells: Sequence[Trials], kind: str, level: float = LEVEL) -> pl.DataFrame:
    """The fitted law as a line; empty where there is none."""
    law, schema = fit_growth(cells, level), {"kind": pl.String, "x": pl.Float64, "y": pl.Float64}
    if math.isnan(law.exponent.value):
        return pl.DataFrame(schema=schema)
    sizes = np.geomspace(min(cell.size for cell in cells), max(cell.size for cell in cells), LINE)
    return pl.DataFrame({"kind": [kind] * LINE, "x": sizes, "y": law.threshold(sizes)}, schema=schema)


def shares(cells: Sequence[Trials]) -> pl.DataFrame:
    """The share of successes in every cell, as the chart takes it."""
    rows = [(f"T = {cell.size:,}", float(cell.m), cell.won / cell.trials, cell.trials) for cell in cells]
    schema = {"kind": pl.String, "x": pl.Float64, "share": pl.Float64, "trials": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def share_curves(cells: Sequence[Trials]) -> pl.DataFrame:
    """The fitted law's curve of every T over the sample sizes tried; empty where there is no law."""
    law, schema = fit_growth(cells), {"kind": pl.String, "x": pl.Float64, "share": pl.Float64}
    found = [pl.DataFrame(schema=schema)]
    for length in sorted({cell.size for cell in cells} if not math.isnan(law.exponent.value) else ()):
        tried = [cell.m for cell in cells if cell.size == length]
        m = np.geomspace(min(tried), max(tried), LINE)
        kind = [f"T = {length:,}"] * LINE
        found.append(pl.DataFrame({"kind": kind, "x": m, "share": law.chance(length, m)}, schema=schema))
    return pl.concat(found)
