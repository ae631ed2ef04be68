"""Claims are code: a statement of a paper, what to measure, and what counts as holding."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import polars as pl

from glassware.statistics import Estimate

Scale: TypeAlias = Literal["smoke", "laptop", "paper"]
SCALES: tuple[Scale, ...] = ("smoke", "laptop", "paper")
Verdict: TypeAlias = Literal["holds", "fails", "not enough runs", "not judged at this scale"]


@dataclass(frozen=True)
class Finding:
    """What a check measured. ``holds`` is None when there were not enough runs to say.

    Attributes:
        measured: the number the verdict rests on, with its interval.
        holds: whether it meets the claim's threshold.
        unit: how to print the number: ``points`` (a proportion or difference, shown in %), ``hundredths`` (a small
            difference of proportions, in points with two decimals), ``times`` or nothing.
        detail: counts behind the number, or anything else a reader would ask for.
    """

    measured: Estimate
    holds: bool | None
    unit: Literal["points", "hundredths", "times", ""] = ""
    detail: str = ""

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
        return (
            show(value) if math.isnan(low) or (low == value == high) else f"{show(value)} [{show(low)}, {show(high)}]"
        )


NOT_ENOUGH = Finding(Estimate(math.nan), None)


@dataclass(frozen=True)
class Claim:
    """One claim of a paper.

    Attributes:
        id: short name, unique in its study.
        statement: the claim, in a sentence.
        where: the place in the paper.
        threshold: what must be measured for it to hold, in words.
        check: from the study's rows to what they say.
        scales: scales at which the grid allows a verdict.
    """

    id: str
    statement: str
    where: str
    threshold: str
    check: Callable[[pl.DataFrame], Finding]
    scales: tuple[Scale, ...] = ("laptop", "paper")


@dataclass(frozen=True)
class Judgement:
    """A claim beside its measurement."""

    study: str
    scale: str
    claim: str
    statement: str
    where: str
    threshold: str
    measured: str
    value: float | None
    low: float | None
    high: float | None
    detail: str
    verdict: Verdict

    def plain(self) -> dict[str, Any]:
        """As a dictionary that JSON can hold."""
        return asdict(self)


def judge(study: str, claim: Claim, scale: Scale, frame: pl.DataFrame) -> Judgement:
    """Measure a claim on a study's rows."""
    finding, verdict = NOT_ENOUGH, "not judged at this scale"
    if scale in claim.scales:
        finding = claim.check(frame) if len(frame) else NOT_ENOUGH
        verdict = "not enough runs" if finding.holds is None else "holds" if finding.holds else "fails"
    value, low, high = (v if math.isfinite(v) else None for v in finding.measured)
    return Judgement(
        study, scale, claim.id, claim.statement, claim.where, claim.threshold,
        finding.text(), value, low, high, finding.detail, verdict,  # type: ignore[arg-type]
    )  # fmt: skip
