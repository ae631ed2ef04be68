"""From a measurement and its interval to a verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.foundation.statistics import Estimate, wilson

# ``error``: the check itself failed, which says nothing about the claim.
Verdict: TypeAlias = Literal[
    "holds", "fails", "too close to call", "not enough runs", "not judged at this scale", "error"
]
Unit: TypeAlias = Literal["points", "hundredths", "times", ""]


FORMATS: dict[Unit, Callable[[float], str]] = {
    "points": lambda v: f"{100 * v:.0f}%",
    "hundredths": lambda v: f"{100 * v:.2f}",
    "times": lambda v: f"{v:.2g}×",
    "": lambda v: f"{v:.3g}",
}


@dataclass(frozen=True)
class Threshold:
    """The numbers that meet a claim: from ``low`` to ``high``, both included unless ``strict``.

    A number that differs from an end by rounding alone counts as equal to it: 0.1 + 0.2 is at most 0.3.
    """

    low: float = -math.inf
    high: float = math.inf
    strict: bool = False

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            if isinstance(end, str | bool) or not hasattr(end, "__float__"):
                raise GlasswareError(f"a threshold is a number, as gw.at_least(0.3), not {end!r}")
        if not self.low <= self.high:  # NaN as well
            raise ValueError(f"nothing meets a threshold from {self.low} to {self.high}")

    def met_by(self, value: float) -> bool:
        """Whether this very number meets the claim. An infinite end is open, so infinity meets it, strict or not."""
        if _equal(value, self.low) or _equal(value, self.high):
            return not self.strict or math.isinf(value)
        return self.low < value < self.high

    def words(self, unit: Unit = "") -> str:
        """The numbers that meet it: ``≥ 30%``, ``< 2×``, ``1.5 to 2.5``."""
        scale, mark = {"points": (100, "%"), "hundredths": (100, ""), "times": (1, "×"), "": (1, "")}[unit]
        show = lambda end: f"{scale * end:.6g}{mark}"
        if math.isfinite(self.low) and math.isfinite(self.high):
            return f"{show(self.low)} to {show(self.high)}"
        signs = (">", "<") if self.strict else ("≥", "≤")
        ends = zip(signs, (self.low, self.high), strict=True)
        return next((f"{sign} {show(end)}" for sign, end in ends if math.isfinite(end)), "any number")

    def verdict(self, measured: Estimate) -> Verdict:
        """Holds where the whole interval meets the claim, fails where none of it does.

        A number that is unknown, or whose interval is, had not enough runs. An exact number is its own interval.
        """
        value, low, high = measured
        if math.isnan(value) or math.isnan(low) or math.isnan(high):
            return "not enough runs"
        if low > high:
            raise ValueError(f"the interval from {low} to {high} is upside down")
        if self.met_by(low) and self.met_by(high):
            return "holds"
        below, above = high < self.low or _equal(high, self.low), low > self.high or _equal(low, self.high)
        # Touching the threshold from outside is meeting it, unless it is strict.
        touches = self.met_by(high) if below else self.met_by(low)
        return "fails" if (below or above) and not touches else "too close to call"


def _equal(value: float, end: float) -> bool:
    """Equal but for rounding; thresholds of exact statements are as small as 1e-12."""
    return math.isclose(value, end, rel_tol=1e-9, abs_tol=1e-15)


def at_least(value: float) -> Threshold:
    """Met by this number and all above.

    >>> import glassware as gw
    >>> gw.at_least(0.5).verdict(gw.rate(19, 20))
    'holds'
    """
    return Threshold(low=value)


def at_most(value: float) -> Threshold:
    """Met by this number and all below.

    >>> import glassware as gw
    >>> gw.at_most(0.5).verdict(gw.rate(19, 20))
    'fails'
    """
    return Threshold(high=value)


def above(value: float) -> Threshold:
    """Met by all larger numbers.

    >>> import glassware as gw
    >>> gw.above(2.0).verdict(gw.Estimate.exact(2.0))
    'fails'
    """
    return Threshold(low=value, strict=True)


def below(value: float) -> Threshold:
    """Met by all smaller numbers.

    >>> import glassware as gw
    >>> gw.below(2.0).verdict(gw.Estimate(1.0, 0.5, 1.5))
    'holds'
    """
    return Threshold(high=value, strict=True)


def between(low: float, high: float) -> Threshold:
    """Met by both numbers and all in between.

    >>> import glassware as gw
    >>> gw.between(1.5, 2.5).verdict(gw.Estimate(2.0, 1.0, 3.0))
    'too close to call'
    """
    return Threshold(low, high)


@dataclass(frozen=True)
class Finding:
    """What a check measured, and what that means for the claim.

    Attributes:
        measured: the number the verdict rests on, with its interval.
        meets: the threshold that the whole interval must meet; or the verdict itself, where it does not follow from one
            interval (see ``counted`` and ``all_of``).
        unit: how to print the number: ``points`` (a proportion or difference, shown in %), ``hundredths`` (a small
            difference of proportions, in points with two decimals), ``times`` or nothing.
        detail: counts behind the number, or anything else a reader would ask for.

    >>> import glassware as gw
    >>> finding = gw.Finding(gw.rate(19, 20), gw.at_least(0.9), "points", "19 of 20")
    >>> finding.text(), finding.verdict
    ('95% [76%, 100%]', 'too close to call')
    """

    measured: Estimate
    meets: Threshold | Verdict
    unit: Unit = ""
    detail: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.measured, Estimate):
            raise GlasswareError(
                f"a finding measures a gw.Estimate, as gw.rate(3, 10) gives one, not {self.measured!r}"
            )
        if not isinstance(self.meets, Threshold) and self.meets not in get_args(Verdict):
            raise GlasswareError(f"a finding meets a threshold, as gw.at_least(0.3), or a verdict, not {self.meets!r}")
        if self.unit not in get_args(Unit):
            units = ", ".join(map(repr, get_args(Unit)))
            raise GlasswareError(f"the unit of a finding is one of {units}, not {self.unit!r}")

    @property
    def verdict(self) -> Verdict:
        """What the measurement says about the claim."""
        return self.meets.verdict(self.measured) if isinstance(self.meets, Threshold) else self.meets

    def needed(self) -> str:
        """The threshold in words, as ``≥ 30%``; nothing where the finding has a verdict instead."""
        return self.meets.words(self.unit) if isinstance(self.meets, Threshold) else ""

    def text(self) -> str:
        """The number with its interval."""
        value, low, high = self.measured
        if math.isnan(value):
            return "–"
        exact = math.isnan(low) or math.isnan(high) or low == value == high
        form = FORMATS[self.unit]
        if self.unit == "points" and not exact and form(low) == form(high):
            form = lambda v: f"{100 * v:.2f}%"  # an interval must not look like a point
        show = lambda v: form(v) if math.isfinite(v) else "∞" if v > 0 else "-∞"
        return show(value) if exact else f"{show(value)} [{show(low)}, {show(high)}]"


NOT_ENOUGH = Finding(Estimate(math.nan), "not enough runs")


def counted(won: int, trials: int, need: int, detail: str = "") -> Finding:
    """A claim of the form "k of n seeds": judged by its count, with the share's interval and a coin's chance beside it.

    With fewer than ``need`` trials there is nothing to say.

    >>> import glassware as gw
    >>> gw.counted(9, 10, need=9).verdict
    'holds'
    """
    if trials < need:
        return NOT_ENOUGH
    words = f"{won} of {trials}, {need} needed; a fair coin passes with probability {coin(trials, need):.2g}"
    verdict: Verdict = "holds" if won >= need else "fails"
    return Finding(wilson(won, trials), verdict, "points", f"{words}; {detail}" if detail else words)


def coin(trials: int, need: int) -> float:
    """The probability that at least ``need`` of so many fair coins show heads."""
    return sum(math.comb(trials, k) for k in range(need, trials + 1)) / 2**trials


def all_within(distances: Sequence[float | None], limit: float, detail: str = "") -> Finding:
    """An exact statement, judged by the largest distance from it, of either sign; unknown where one of them is.

    >>> from glassware.studies.verdict import all_within
    >>> all_within([0.0, 2e-16], 1e-12).verdict, all_within([0.0, None], 1e-12).verdict
    ('holds', 'not enough runs')
    """
    if not len(distances):
        return NOT_ENOUGH
    # Not the built-in max: it passes over NaN unless that comes first.
    largest = float(np.abs(np.array(distances, float)).max())
    return Finding(Estimate.exact(largest), at_most(limit), "", detail or f"{len(distances)} cases")


def all_of(findings: Sequence[Finding], detail: str | None = None) -> Finding:
    """A claim with several conditions: it fails when one does, and holds when all do.

    The number shown is that of the first condition that decides the verdict. Without any there is nothing to say.

    >>> import glassware as gw
    >>> slopes = [gw.Finding(gw.Estimate(slope, slope - 0.1, slope + 0.1), gw.above(0)) for slope in (0.5, 0.05)]
    >>> gw.all_of(slopes).verdict
    'too close to call'
    """
    if not findings:
        return NOT_ENOUGH
    worst: tuple[Verdict, ...] = ("fails", "not enough runs", "too close to call", "holds")
    deciding = min(findings, key=lambda finding: worst.index(finding.verdict))
    return replace(deciding, meets=deciding.verdict, detail=deciding.detail if detail is None else detail)
