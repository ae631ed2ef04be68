"""From a measurement and its interval to a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from glassware.foundation.statistics import Estimate, wilson

Verdict: TypeAlias = Literal["holds", "fails", "too close to call", "not enough runs", "not judged at this scale"]
Unit: TypeAlias = Literal["points", "hundredths", "times", ""]


@dataclass(frozen=True)
class Threshold:
    """The numbers that meet a claim: from ``low`` to ``high``, both included unless ``strict``."""

    low: float = -math.inf
    high: float = math.inf
    strict: bool = False

    def met_by(self, value: float) -> bool:
        """Whether this very number meets the claim."""
        if not self.strict:
            return self.low <= value <= self.high
        # A side without a limit has none for an infinite time either.
        return (value > self.low or self.low == -math.inf) and (value < self.high or self.high == math.inf)

    def verdict(self, measured: Estimate) -> Verdict:
        """Holds where the whole interval meets the claim, fails where none of it does.

        A number that is unknown, or whose interval is, had not enough runs. An exact number is its own interval.
        """
        value, low, high = measured
        if math.isnan(value) or math.isnan(low) or math.isnan(high):
            return "not enough runs"
        if self.met_by(low) and self.met_by(high):
            return "holds"
        apart = (high <= self.low or low >= self.high) if self.strict else (high < self.low or low > self.high)
        return "fails" if apart and not (self.met_by(low) or self.met_by(high)) else "too close to call"


def at_least(value: float) -> Threshold:
    """Met by this number and all above."""
    return Threshold(low=value)


def at_most(value: float) -> Threshold:
    """Met by this number and all below."""
    return Threshold(high=value)


def above(value: float) -> Threshold:
    """Met by all larger numbers."""
    return Threshold(low=value, strict=True)


def below(value: float) -> Threshold:
    """Met by all smaller numbers."""
    return Threshold(high=value, strict=True)


def between(low: float, high: float) -> Threshold:
    """Met by both numbers and all in between."""
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
    """

    measured: Estimate
    meets: Threshold | Verdict | bool | None
    unit: Unit = ""
    detail: str = ""

    @property
    def verdict(self) -> Verdict:
        """What the measurement says about the claim."""
        if isinstance(self.meets, Threshold):
            return self.meets.verdict(self.measured)
        if isinstance(self.meets, str):
            return self.meets
        return "not enough runs" if self.meets is None else "holds" if self.meets else "fails"

    def text(self) -> str:
        """The number with its interval."""
        show = {
            "points": lambda v: f"{100 * v:.0f}%",
            "hundredths": lambda v: f"{100 * v:.2f}",
            "times": lambda v: f"{v:.2g}×",
            "": lambda v: f"{v:.3g}",
        }[self.unit]
        value, low, high = self.measured
        if math.isnan(value):
            return "–"
        exact = math.isnan(low) or low == value == high
        return show(value) if exact else f"{show(value)} [{show(low)}, {show(high)}]"


NOT_ENOUGH = Finding(Estimate(math.nan), "not enough runs")


def counted(won: int, trials: int, need: int, detail: str = "") -> Finding:
    """A claim of the form "k of n seeds": judged by its count, with the share's interval and a coin's chance beside it.

    With fewer than ``need`` trials there is nothing to say.
    """
    if trials < need:
        return NOT_ENOUGH
    words = f"{won} of {trials}, {need} needed; a fair coin passes with probability {coin(trials, need):.2g}"
    verdict: Verdict = "holds" if won >= need else "fails"
    return Finding(wilson(won, trials), verdict, "points", f"{words}; {detail}" if detail else words)


def coin(trials: int, need: int) -> float:
    """The probability that at least ``need`` of so many fair coins show heads."""
    return sum(math.comb(trials, k) for k in range(need, trials + 1)) / 2**trials


def all_of(findings: Sequence[Finding], detail: str | None = None) -> Finding:
    """A claim with several conditions: it fails when one does, and holds when all do.

    The number shown is that of the first condition that decides the verdict.
    """
    worst: tuple[Verdict, ...] = ("fails", "not enough runs", "too close to call", "holds")
    deciding = min(findings, key=lambda finding: worst.index(finding.verdict))
    return replace(deciding, meets=deciding.verdict, detail=deciding.detail if detail is None else detail)
