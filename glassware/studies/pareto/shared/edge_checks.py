"""What the claims of these studies measure: how well the edges are known, and how they compare between two arms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import polars as pl

from glassware.foundation.statistics import Estimate
from glassware.studies.claim import Claim
from glassware.studies.pareto.shared.arms import WITHIN, Comparison, Edge
from glassware.studies.ratios import ratio
from glassware.studies.verdict import NOT_ENOUGH, Finding, Threshold, all_of, at_most, below

WHERE = "our question; the paper trains two layers by plain SGD"
Check = Callable[[pl.DataFrame], Finding]


def known(comparison: Comparison, n: int = 30) -> Check:
    """A check: every edge that lies on the grid has an interval whose ends are near."""

    def check(frame: pl.DataFrame) -> Finding:
        """How far the furthest end of an interval lies from its edge, over all edges that lie on the grid."""
        ours = [edge for edge in comparison.edges(frame) if edge.n == n]
        found = [edge for edge in ours if edge.on_the_grid]
        if not found:
            return NOT_ENOUGH
        apart = max(_apart(edge.where) for edge in found)
        said = "; ".join(map(in_words, sorted(found, key=lambda edge: -_apart(edge.where))))
        off = ", ".join(_place(edge) for edge in ours if not edge.on_the_grid)
        falls = ", ".join(f"{_place(edge)} from {edge.fall}" for edge in ours if edge.fall)
        more = (f"; off the grid: {off}" if off else "") + (f"; success falls: {falls}" if falls else "")
        return Finding(Estimate.exact(apart), at_most(WITHIN), "times", f"{len(found)} edges{more}; {said}")

    return check


def known_claim(comparison: Comparison, n: int = 30, note: str = "") -> Claim:
    """The claim that goes with it."""
    return Claim(
        "edges" if n == 30 else f"edges-{n}",
        f"At n = {n} the search knows every edge on its grid",
        "ours, of the search",
        f"either end of every 95% interval within a factor {WITHIN:g} of the edge",
        known(comparison, n),
        ("laptop",),
        source="ours",
        note=note,
    )


def compare(
    comparison: Comparison, first: str, second: str, meets: Threshold, n: int = 30, widths: Sequence[int] = ()
) -> Check:
    """A check: m50 of one arm over that of another, at every width (or at these) where both are known."""

    def check(frame: pl.DataFrame) -> Finding:
        """m50 of one arm over that of the other, at every width: the whole interval of each ratio must fit."""
        above, below = (comparison.m50(frame, arm, n) for arm in (first, second))
        both = [width for width in above if width in below and (not widths or width in widths)]
        ratios = {width: ratio(above[width], below[width]) for width in both}
        if not ratios or all(math.isnan(one.value) for one in ratios.values()):
            return NOT_ENOUGH
        said = "; ".join(f"r = {width:g} {_span(one, '.2f')}" for width, one in ratios.items())
        least_first = sorted((one for one in ratios.values() if not math.isnan(one.value)), key=lambda one: one.value)
        unknown = [Finding(Estimate(math.nan), meets)] * (len(ratios) - len(least_first))
        return all_of([*(Finding(one, meets, "times") for one in least_first), *unknown], said)

    return check


def width_saves(comparison: Comparison, arms: Sequence[str], narrow: int, wide: int, n: int = 30) -> Check:
    """A check: a wide network needs fewer examples than a narrow one, in each of these arms."""

    def check(frame: pl.DataFrame) -> Finding:
        """m50 of the wide network over that of the narrow one, of each arm."""
        found = [comparison.m50(frame, arm, n) for arm in arms]
        if not all({narrow, wide} <= set(edges) for edges in found):
            return NOT_ENOUGH
        ratios = [ratio(edges[wide], edges[narrow]) for edges in found]
        said = "; ".join(f"{arm} {_span(one, '.2f')}" for arm, one in zip(arms, ratios, strict=True))
        return all_of([Finding(one, below(1), "times") for one in ratios], said)

    return check


def in_words(edge: Edge) -> str:
    """An edge with its interval: ``plain m50 at 30: 512 [480, 551]``."""
    return f"{_place(edge)}: {_span(edge.where, '.0f')}"


def _place(edge: Edge) -> str:
    return f"{edge.arm} {edge.kind} at {edge.at:g}"


def _span(one: Estimate, form: str) -> str:
    return f"{one.value:{form}} [{one.low:{form}}, {one.high:{form}}]".replace("inf", "∞").replace("nan", "unknown")


def _apart(edge: Estimate) -> float:
    value, low, high = edge
    return max(high / value, value / low if low else math.inf)
