"""Other functions of 3 bits: how many examples a Transformer needs for OR, majority and a truth table (exploratory).

The theory is about any function of a few selected bits, the experiments about AND alone. OR is AND with bits and labels
complemented, so by symmetry it must need as many examples. Majority and "the first bit chooses between the other two"
have no reference.

Grids
    paper   T = 100, m from 30 to 1,000, chosen adaptively, 200 trials per function of up to 2 runs. Trained as at the
            paper scale of ``sample_complexity``.
    laptop  T = 50, 48 trials per function of one run; trained as at its laptop scale.
    smoke   AND of 1 of 12 bits, a tiny network.

Decisions where the text is silent
    All of it: the text has no such experiment. Bits are biased so that both labels are equally likely; samples that
    agree with a second AND or OR are drawn again, for the other functions none are. The table is the multiplexer.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from glassware.luck.curve import Cell, Fit
from glassware.luck.design import Design
from glassware.luck.threshold import Search, advance
from glassware.studies.claim import Claim, Scale
from glassware.studies.juntas.shared import growth
from glassware.studies.juntas.shared.protocol import SMOKE, base
from glassware.studies.ratios import ratio
from glassware.studies.study import Rounds, Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, between
from glassware.training import Run

MULTIPLEXER = (0, 0, 1, 0, 0, 1, 1, 1)  # entry b0 + 2 b1 + 4 b2 is b1 where b0 = 0, and b2 where b0 = 1
TASKS: dict[str, dict[str, Any]] = {
    "and": {"function": "and"},
    "or": {"function": "or"},
    "majority": {"function": "majority"},
    "multiplexer": {"function": "table", "table": MULTIPLEXER},
}


def searches(scale: Scale, seeds: int | None = None) -> dict[str, Search]:
    """One search for m_80 per function."""
    if scale == "smoke":
        return {"and": Search(base(12, scale), "m", Design(*SMOKE, trials=1, budget=5))}
    length, high, trials, tries = (50, 512, seeds or 4, 1) if scale == "laptop" else (100, 1024, seeds or 15, 2)
    design = Design(20, high, trials=trials, budget=12 * trials, precision=1.05)
    return {name: Search(base(length, scale, **task), "m", design, tries) for name, task in TASKS.items()}


def runs(scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
    """The next round of the searches."""
    return advance(list(searches(scale, seeds).values()), rows)


def fits(frame: pl.DataFrame) -> dict[str, Fit]:
    """m_80 of each function that the rows have."""
    if "function" not in frame.columns or not len(frame):
        return {}
    found = {}
    for name, task in TASKS.items():
        own = growth.trials(frame.filter(pl.col("function") == task["function"]))
        if own:
            found[name] = Fit.of([Cell(cell.m, cell.won, cell.trials) for cell in own])
    return found


def or_needs_as_many(frame: pl.DataFrame) -> Finding:
    """m_80 of OR over m_80 of AND."""
    found = fits(frame)
    if not {"and", "or"} <= set(found):
        return NOT_ENOUGH
    ours, other = found["or"].at, found["and"].at
    said = "; ".join(f"{name} {fit.at.value:.0f} [{fit.at.low:.0f}, {fit.at.high:.0f}]" for name, fit in found.items())
    return Finding(ratio(ours, other), between(2 / 3, 3 / 2), "times", said)


CLAIMS = (
    Claim(
        "or-as-and",
        "OR needs as many examples as AND",
        "our question; the symmetry is the text's",
        "m_80 of OR is 2/3 to 3/2 times that of AND",
        or_needs_as_many,
        source="ours",
        note="the other functions have no reference: their m_80 stands in the detail and in the figure",
    ),
)


def needed(frame: pl.DataFrame) -> Any:
    """m_80 of each function."""
    from glassware.charts import dots

    ends = lambda fit: {"low": fit.at.low or None, "m": fit.at.value, "high": fit.at.high}
    rows = [{"function": name, **ends(fit)} for name, fit in fits(frame).items()]
    (length,) = frame["length"].unique().to_list()
    return dots(
        pl.DataFrame(rows),
        x="function",
        y="m",
        low="low",
        high="high",
        title="Examples needed for other functions of 3 bits",
        subtitle=f"Transformer, T = {length} bits; sample size at which 80% of trials succeed, 95% intervals",
        x_title="function",
        y_title="examples, m",
    )


STUDY = Study(
    name="juntas/other-functions",
    title="Examples needed for OR, majority and a multiplexer",
    about=__doc__ or "",
    stages=(Rounds(runs),),
    claims=CLAIMS,
    figures={"needed": needed},
)
