"""A study: the runs of a figure at three scales, its claims and its charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from glassware.charts import save
from glassware.engine import Engine
from glassware.errors import GlasswareError
from glassware.studies.claim import SCALES, Claim, Judgement, Scale, judge
from glassware.sweeps import Reporter, Store, make_plan, select, sweep
from glassware.training import Run

# Runs of one stage, from the scale, the number of seeds (None: the scale's own) and the rows of the stages before it.
Stage = Callable[[Scale, int | None, pl.DataFrame], list[Run]]
Figure = Callable[[pl.DataFrame], Any]


@dataclass(frozen=True)
class Study:
    """One study.

    Attributes:
        name: ``paper/figure``.
        title: what it shows, in a line.
        about: the study's own description: grid, decisions where the paper is silent.
        stages: usually one; a later stage may build its runs from the rows of earlier ones.
        claims: judged on the rows of all stages.
        figures: file name to chart.
    """

    name: str
    title: str
    about: str
    stages: tuple[Stage, ...]
    claims: tuple[Claim, ...]
    figures: Mapping[str, Figure] = field(default_factory=dict)

    def runs(self, scale: Scale, seeds: int | None = None) -> list[Run]:
        """Runs of the first stage: those that need no results."""
        return self.stages[0](scale, seeds, pl.DataFrame())


@dataclass(frozen=True)
class Report:
    """What a study found."""

    study: str
    scale: Scale
    frame: pl.DataFrame
    judgements: list[Judgement]
    figures: list[Path]


def train(
    study: Study,
    scale: Scale,
    store: Store | None,
    seeds: int | None = None,
    *,
    reporter: Reporter | None = None,
    lanes: int | None = None,
    engine: Engine = "auto",
) -> pl.DataFrame:
    """Train what the store lacks, stage by stage, and return all rows of the study."""
    table = pl.DataFrame()
    for stage in study.stages:
        found = sweep(stage(scale, seeds, table), store, reporter=reporter, lanes=lanes, engine=engine)
        table = pl.concat([table, found], how="diagonal_relaxed") if len(table) else found
    return table


def results(study: Study, scale: Scale, store: Store, seeds: int | None = None) -> pl.DataFrame:
    """The study's rows that the store already has; trains nothing."""
    return _gather(study, scale, store, seeds)[0]


def missing(study: Study, scale: Scale, store: Store, seeds: int | None = None) -> tuple[int, int]:
    """Runs that the store does not have, and all runs, as far as its rows say which ones later stages want."""
    table, wanted = _gather(study, scale, store, seeds)
    return wanted - len(table), wanted


def _gather(study: Study, scale: Scale, store: Store, seeds: int | None) -> tuple[pl.DataFrame, int]:
    """The study's rows in the store, and how many there would be."""
    everything = store.read()
    table, wanted = pl.DataFrame(), 0
    for stage in study.stages:
        plan = make_plan(stage(scale, seeds, table), None)
        found = select(everything, plan)
        table = pl.concat([table, found], how="diagonal_relaxed") if len(table) else found
        wanted += len(plan.wanted)
    return table, wanted


def claims(study: Study, scale: Scale, frame: pl.DataFrame) -> list[Judgement]:
    """Every claim of the study, judged on these rows."""
    return [judge(study.name, claim, scale, frame) for claim in study.claims]


def figures(study: Study, scale: Scale, frame: pl.DataFrame, folder: str | Path) -> list[Path]:
    """Draw every figure of the study into ``folder``, as PNG and as interactive HTML."""
    if not len(frame):
        raise GlasswareError(
            f"no results of {study.name} at scale {scale} yet: glassware run {study.name} --scale {scale}"
        )
    place = Path(folder) / study.name / scale
    return [path for name, draw in study.figures.items() for path in save(draw(frame), place, name)]


def check_scale(scale: str) -> Scale:
    """The scale, or a sentence about which there are."""
    for known in SCALES:
        if scale == known:
            return known
    raise GlasswareError(f"unknown scale '{scale}'; scales are {', '.join(SCALES)}")
