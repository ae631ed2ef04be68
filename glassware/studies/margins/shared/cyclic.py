"""Modular addition: the runs that the studies of it share, so that each is trained once."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from glassware.studies.claim import Scale
from glassware.studies.margins.shared.runs import CYCLIC, group_run
from glassware.sweeps import grid
from glassware.training import Run

LAMBDA = 1e-4
WIDTHS = {13: 96, 23: 160, 71: 500}  # neurons, by p
NETWORKS = ("square", "relu")


class Pace(NamedTuple):
    """First learning rate, the steps at which it doubles, and how many steps there are."""

    lr: float
    at: tuple[int, ...]
    steps: int


TEXT = Pace(0.05, CYCLIC, 40_000)
HALF = TEXT._replace(steps=20_000)
SHORT = Pace(0.4, tuple(range(200, 1401, 200)), 5000)  # the same last rate, 51.2, in an eighth of the steps
TINY = Pace(0.4, tuple(range(50, 351, 50)), 600)


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Both networks; smaller groups stand in for Z_71 at laptop scale."""
    if scale == "smoke":
        return _repeat([(_run(5, 24, name, TINY), 2) for name in NETWORKS], seeds)
    if scale == "laptop":
        small = [(13, "square", HALF, 8), (23, "square", HALF, 5), (23, "relu", HALF, 3)]
        cells = [*small, *((71, name, SHORT, 3) for name in NETWORKS)]
        return _repeat([(_run(p, WIDTHS[p], name, pace), lanes) for p, name, pace, lanes in cells], seeds)
    return _repeat([(_run(71, WIDTHS[71], name, TEXT), 5) for name in NETWORKS], seeds)


def _run(p: int, width: int, activation: str, pace: Pace) -> Run:
    return group_run(f"Z_{p}", width, lam=LAMBDA, activation=activation, **pace._asdict())


def _repeat(cells: list[tuple[Run, int]], seeds: int | None) -> list[Run]:
    """Every run as often as it says, or as the caller does."""
    return [run for base, lanes in cells for run in grid(base, seeds=seeds or lanes)]
