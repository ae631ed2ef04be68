"""A study: the runs of a figure at three scales, its claims and its charts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from glassware.charts import save
from glassware.foundation.commands import command
from glassware.foundation.errors import GlasswareError
from glassware.foundation.limits import check_runs
from glassware.foundation.reasons import reason
from glassware.studies.claim import SCALES, Claim, Judgement, Scale, judge
from glassware.sweeps import Item
from glassware.training import Run

log = logging.getLogger("glassware")

FEW_SEEDS = 10  # no grid has so many cells that so few runs of each were too many

# Runs of one stage, from the scale, the number of seeds (None: the scale's own) and the rows of the stages before it.
Stage = Callable[[Scale, int | None, pl.DataFrame], list[Run]]
# A table that follows from theory or simulation alone, from the scale and the number of seeds.
Compute = Callable[[Scale, int | None], pl.DataFrame]
Figure = Callable[[pl.DataFrame], Any]


@dataclass(frozen=True)
class Rounds:
    """A stage that is asked again, with the rows so far, until it wants no more runs: the rounds of a search."""

    stage: Stage

    def __call__(self, scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
        return self.stage(scale, seeds, rows)


@dataclass(frozen=True)
class PiecedTable:
    """A computed table that is made piece by piece, each kept as soon as it is there.

    Attributes:
        table: its name in the store.
        version: of the computation.
        items: what it is made of; asked for only when something is to be computed.
    """

    table: str
    version: int
    items: Callable[[], Sequence[Item]]


# The tables of a scale that are made in pieces.
PiecedTables = Callable[[Scale, int | None], list[PiecedTable]]


@dataclass(frozen=True)
class Study:
    """One study: trained in stages, or computed, or both, in which case its table has the rows of both.

    Attributes:
        name: ``paper/figure``.
        title: what it shows, in a line.
        about: the study's own description: grid, decisions where the paper is silent.
        stages: functions of (scale, seeds, rows) that return runs. Usually one, as ``(runs,)``; a later stage may build
            its runs from the rows of earlier ones, and ``Rounds`` from those of its own earlier rounds. None if all
            is computed.
        claims: judged on all rows.
        figures: file name to a function of the rows that returns an Altair chart (see ``gw.charts``), or None where
            the rows for it are not there.
        compute: makes the rows that no run gives; they are kept in the store and computed once.
        parts: likewise, for tables that take long: each piece is kept, so Ctrl-C loses little. All rows of these tables
            count, whoever computed them.
        version: of the computation. Raise it when ``compute`` would give other rows: older ones are computed again.
        changes: fields that every run has other values of than the study's author gave (``studies.changed``).
        paper_runs: runs of the first stage at paper scale, named where building them only to count takes seconds.

    >>> import glassware as gw
    >>> def runs(scale, seeds, rows):
    ...     base = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000)
    ...     return gw.grid(base, {"m": [10, "online"]}, seeds=seeds or 20)
    >>> def data_helps(frame):
    ...     more = gw.difference(*gw.counts(frame, m=None), *gw.counts(frame, m=10))
    ...     return gw.Finding(more, gw.at_least(0.5), "points")
    >>> claim = gw.Claim("data", "New examples help", "ours", "≥ 50 points", data_helps, ("smoke",), source="ours")
    >>> study = gw.Study("mine/data", "Few or new examples", "", (runs,), (claim,))
    >>> report = gw.reproduce(study, "smoke", store=None, figures=None)
    >>> report.judgements[0].measured, report.judgements[0].verdict
    ('100% [77%, 100%]', 'holds')
    """

    name: str
    title: str
    about: str
    stages: tuple[Stage, ...]
    claims: tuple[Claim, ...]
    figures: Mapping[str, Figure] = field(default_factory=dict)
    compute: Compute | None = None
    parts: PiecedTables | None = None
    version: int = 1
    paper_runs: int | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for several, what in (("stages", "functions, as (runs,)"), ("claims", "claims, as (claim,)")):
            if not isinstance(getattr(self, several), tuple | list):
                raise GlasswareError(f"{several} of the study '{self.name}' must be a tuple of {what}")
        for stage in self.stages:
            if not callable(stage):
                raise GlasswareError(f"a stage of the study '{self.name}' must be a function, not {stage!r}")
        for claim in self.claims:
            if not isinstance(claim, Claim):
                raise GlasswareError(f"claims of the study '{self.name}' must be gw.Claim, not {type(claim).__name__}")
        ids = [claim.id for claim in self.claims]
        for twice in (one for one in ids if ids.count(one) > 1):
            raise GlasswareError(f"the study '{self.name}' has two claims '{twice}'; give each an id of its own")
        if not isinstance(self.figures, Mapping) or not all(map(callable, self.figures.values())):
            raise GlasswareError(f"figures of the study '{self.name}' must be a dictionary of name to function of rows")

    @property
    def built_in(self) -> bool:
        """Whether all of it came with glassware."""
        stages = (stage.stage if isinstance(stage, Rounds) else stage for stage in self.stages)
        made = (*stages, *self.figures.values(), self.compute, self.parts)
        functions = [getattr(one, "func", one) for one in made if one is not None]  # of a partial, what it calls
        return all(str(one.__module__).startswith("glassware.") for one in functions)

    @property
    def sweeps(self) -> int:
        """How many sweeps follow one another, at least: a search has two or more."""
        return len(self.stages) + sum(isinstance(stage, Rounds) for stage in self.stages)

    def after(self, number: int) -> str:
        """What follows on these rows of a stage, in words; nothing if nothing does."""
        if isinstance(self.stages[number], Rounds):
            return "the next round"
        return f"stage {number + 2}" if number + 1 < len(self.stages) else ""

    def follow(
        self, scale: Scale, seeds: int | None, rows_of: Callable[[int, list[Run]], tuple[pl.DataFrame, bool]]
    ) -> pl.DataFrame:
        """The rows of all stages in turn, each run once.

        Args:
            scale, seeds: as for the stages.
            rows_of: trains or finds the rows of some runs of a stage, given its number, and says whether to go on. A
                search that finds nothing new, since rows are missing, is over.
        """
        table = pl.DataFrame()
        for number, stage in enumerate(self.stages):
            while True:
                runs = self.stage_runs(number, scale, seeds, table)
                if isinstance(stage, Rounds) and not runs:
                    break
                found, on = rows_of(number, runs)
                before, table = len(table), together(table, found)
                if not on:
                    return table
                if not isinstance(stage, Rounds) or len(table) == before:
                    break
        return table

    def stage_runs(self, number: int, scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
        """The runs of a stage, from the rows of the stages before it."""
        if seeds is not None and seeds > FEW_SEEDS:
            self._check_size(number, scale, seeds, rows)
        runs = self.stages[number](scale, seeds, rows)
        wrong = next((run for run in runs if not isinstance(run, Run)), None) if isinstance(runs, Iterable) else runs
        if isinstance(runs, Run) or wrong is not None or runs is None:
            given = type(runs if isinstance(runs, Run) or wrong is None else wrong).__name__
            raise GlasswareError(
                f"stage {number + 1} of the study '{self.name}' must return a list of gw.Run, as gw.grid gives one, "
                f"not {given}"
            )
        return list(runs)

    def _check_size(self, number: int, scale: Scale, seeds: int, rows: pl.DataFrame) -> None:
        """Refuse too many runs before they are built, by what the second seed adds to the first."""
        made = [self.stages[number](scale, few, rows) for few in (1, 2)]
        one, two = (len(runs) if isinstance(runs, list | tuple) else 0 for runs in made)
        named = f"{self.name} at scale {scale} with {seeds:,} seeds"
        check_runs([one + (seeds - 1) * max(0, two - one)], named, "give fewer seeds")

    def size(self, scale: Scale) -> int:
        """How many runs the first stage has at a scale."""
        if scale == "paper" and self.paper_runs is not None:
            return self.paper_runs
        return len(self.runs(scale))

    def is_short(self, scale: Scale, seeds: int | None) -> bool:
        """Whether this many seeds make fewer runs than the scale's own number, for which the claims were written."""
        return seeds is not None and len(self.runs(scale, seeds)) < self.size(scale)

    def runs(self, scale: Scale, seeds: int | None = None) -> list[Run]:
        """Runs of the first stage: those that need no results."""
        return self.stage_runs(0, scale, seeds, pl.DataFrame()) if self.stages else []


def together(first: pl.DataFrame, second: pl.DataFrame) -> pl.DataFrame:
    """All rows of both, with the columns of both, each run once."""
    if not len(first):
        return second
    if not len(second):
        return first
    if "id" in first.columns and "id" in second.columns:
        known = first["id"].drop_nulls().implode()
        second = second.filter(pl.col("id").is_null() | ~pl.col("id").is_in(known))
    return pl.concat([first, second], how="diagonal_relaxed")


@dataclass(frozen=True)
class Report:
    """What a study found."""

    study: str
    scale: Scale
    frame: pl.DataFrame
    judgements: list[Judgement]
    figures: list[Path]


class FigureError(GlasswareError):
    """Figures that cannot be drawn. The others are: ``drawn`` has their paths."""

    def __init__(self, text: str, drawn: list[Path]) -> None:
        super().__init__(text)
        self.drawn = drawn


def claims(study: Study, scale: Scale, frame: pl.DataFrame) -> list[Judgement]:
    """Every claim of the study, judged on these rows."""
    return [judge(study.name, claim, scale, frame, own=not study.built_in) for claim in study.claims]


def figures(study: Study, scale: Scale, frame: pl.DataFrame, folder: str | Path) -> list[Path]:
    """Draw every figure of the study into ``folder``, as PNG and as interactive HTML."""
    if not len(frame):
        raise GlasswareError(
            f"no results of {study.name} at scale {scale} yet: {command(f'reproduce {study.name} --scale {scale}')}"
        )
    place = Path(folder) / study.name / scale
    paths: list[Path] = []
    failed: list[str] = []
    for name, chart in drawn(study, frame):
        if isinstance(chart, str):
            failed.append(chart)
            continue
        try:
            paths += save(chart, place, name)
        except OSError:
            raise
        except Exception as error:
            failed.append(_undrawn(study, name, error))
    if failed:
        raise FigureError("; ".join(failed), paths)
    return paths


def drawn(study: Study, frame: pl.DataFrame) -> Iterator[tuple[str, Any]]:
    """Every figure of the study by name: an Altair chart, or a sentence about why there is none."""
    for name, draw in study.figures.items():
        try:
            chart = draw(frame)
        except OSError:
            raise
        except Exception as error:
            yield name, _undrawn(study, name, error)
            continue
        if chart is not None:
            yield name, chart
        elif not study.built_in:
            log.warning(f"figure '{name}' of {study.name} returned None, so nothing is drawn")


def _undrawn(study: Study, name: str, error: Exception) -> str:
    return f"figure '{name}' of {study.name} cannot be drawn: {reason(error, study.figures[name])}"


def check_scale(scale: str) -> Scale:
    """The scale, or a sentence about which there are."""
    for known in SCALES:
        if scale == known:
            return known
    raise GlasswareError(f"unknown scale '{scale}'; scales are {', '.join(SCALES)}")
