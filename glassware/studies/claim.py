"""Claims are code: a statement of a paper, what to measure, and what counts as holding."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.foundation.reasons import reason
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
        threshold: what must be measured for it to hold, in words; empty: as the check's threshold says.
        check: from the study's rows to what they say, as a ``Finding``.
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

    def __post_init__(self) -> None:
        if not callable(self.check):
            raise GlasswareError(f"the check of claim '{self.id}' must be a function of the rows, not {self.check!r}")
        if isinstance(self.scales, str) or not set(self.scales) <= set(SCALES):
            raise GlasswareError(
                f"the scales of claim '{self.id}' must be a tuple of some of {', '.join(SCALES)}, not {self.scales!r}"
            )
        if self.source not in ("paper", "ours"):
            raise GlasswareError(f"the source of claim '{self.id}' must be 'paper' or 'ours', not {self.source!r}")


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


def judge(study: str, claim: Claim, scale: Scale, frame: pl.DataFrame, *, own: bool = False) -> Judgement:
    """Measure a claim on a study's rows; of a study of your own (``own``) a threshold worded otherwise is shown."""
    judged = scale in claim.scales
    finding = measure(claim, frame, own=own) if judged and len(frame) else NOT_ENOUGH
    value, low, high = (v if math.isfinite(v) else None for v in finding.measured)
    return Judgement(
        study=study,
        scale=scale,
        claim=claim.id,
        statement=claim.statement,
        where=claim.where,
        threshold=_needed(claim, finding) if own or not claim.threshold else claim.threshold,
        source=claim.source,
        note=claim.note,
        measured=finding.text(),
        value=value,
        low=low,
        high=high,
        detail=finding.detail,
        verdict=finding.verdict if judged else "not judged at this scale",
    )


def measure(claim: Claim, frame: pl.DataFrame, *, own: bool = False) -> Finding:
    """What the check says; a check that fails has the verdict ``error``, so that other claims are still judged.

    The checks here are tested on whole rows, so what they meet on rows that lack something says *not enough runs*, and
    why. In a study of your own (``own``) it may as well be a mistake of the check.
    """
    try:
        found = claim.check(frame)
        if not isinstance(found, Finding):
            raise GlasswareError(f"it gives {type(found).__name__ if found is not None else None}, not a gw.Finding")
    except Exception as error:
        if isinstance(error, LACKING) and not own:
            said = f"cannot be measured on these rows ({type(error).__name__}: {error})"
            return replace(NOT_ENOUGH, detail=said)
        return Finding(NOT_ENOUGH.measured, "error", "", f"the check failed: {reason(error, claim.check)}")
    return found


def _needed(claim: Claim, finding: Finding) -> str:
    """The threshold as the claim words it; where the check's own numbers are others, these as well."""
    words = finding.needed()
    if not claim.threshold or not words:
        return claim.threshold or words
    numbers = lambda text: {float(number) for number in re.findall(r"\d+(?:\.\d+)?", text.replace(",", ""))}
    return claim.threshold if numbers(words) <= numbers(claim.threshold) else f"{claim.threshold} (checked: {words})"
