"""Claims are code: a statement of a paper, what to measure, and what counts as holding."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

import polars as pl

from glassware.studies.verdict import NOT_ENOUGH, Finding, Verdict

Scale: TypeAlias = Literal["smoke", "laptop", "paper"]
SCALES: tuple[Scale, ...] = ("smoke", "laptop", "paper")
Source: TypeAlias = Literal["paper", "ours"]
# What a check meets on rows that lack what it measures: a null in a sum, an empty cell, a division by nothing. Misspelt
# columns and names are mistakes of the check, and raise.
LACKING = (TypeError, ValueError, ArithmeticError, IndexError, KeyError, StopIteration)


@dataclass(frozen=True)
class Claim:
    """One claim of a paper, or of ours about what we built.

    Attributes:
        id: short name, unique in its study.
        statement: the claim, in a sentence.
        where: the place in the paper.
        threshold: what must be measured for it to hold, in words.
        check: from the study's rows to what they say.
        scales: scales at which the grid allows a verdict.
        source: who claims it: ``paper``, or ``ours`` for what the paper does not say. The two are counted apart.
        note: what a reader must know beside the verdict: a threshold chosen after rows were seen, a paired design.

    >>> import glassware as gw
    >>> check = lambda frame: gw.Finding(gw.rate(*gw.counts(frame, width=100)), gw.at_least(0.9), "points")
    >>> claim = gw.Claim("wide-learns", "Width 100 learns", "Figure 1", "≥ 90%", check)
    >>> claim.scales
    ('laptop', 'paper')
    """

    id: str
    statement: str
    where: str
    threshold: str
    check: Callable[[pl.DataFrame], Finding]
    scales: tuple[Scale, ...] = ("laptop", "paper")
    source: Source = "paper"
    note: str = ""

    def measure(self, frame: pl.DataFrame) -> Finding:
        """What its check finds on these rows; where they lack what it measures, not enough runs, and why."""
        try:
            return self.check(frame) if len(frame) else NOT_ENOUGH
        except LACKING as error:
            reason = f"{type(error).__name__}: {error}"
            return replace(NOT_ENOUGH, detail=f"cannot be measured on these rows ({reason})")


@dataclass(frozen=True)
class Judgement:
    """A claim beside its measurement."""

    study: str
    scale: str
    claim: str
    statement: str
    where: str
    threshold: str
    source: Source
    note: str
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
    judged = scale in claim.scales
    finding = claim.measure(frame) if judged else NOT_ENOUGH
    value, low, high = (v if math.isfinite(v) else None for v in finding.measured)
    return Judgement(
        study=study,
        scale=scale,
        claim=claim.id,
        statement=claim.statement,
        where=claim.where,
        threshold=claim.threshold,
        source=claim.source,
        note=claim.note,
        measured=finding.text(),
        value=value,
        low=low,
        high=high,
        detail=finding.detail,
        verdict=finding.verdict if judged else "not judged at this scale",
    )
