"""A figure for any sweep, by the fields that vary in it."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.curves import success_curves
from glassware.charts.heat_map import success_heat_map
from glassware.charts.training import training_curves

MOST = 40  # values along an axis, or panels; a field with more is pooled
PANELS = 6  # in a row
LUCK = {"id", "spec", "seed", "support", "neurons", "own_code", "pairing"}


def sweep_figure(frame: pl.DataFrame, fields: Sequence[str], title: str) -> alt.TopLevelMixin:
    """Success by the columns that vary.

    None: training curves. One: success with its interval. Two: a heat map, a click on whose cells shows their training
    curves. Three and four: panels of it. More are pooled, and the figure says so.

    Args:
        frame: rows of the sweep.
        fields: columns that vary, as ``axes`` finds them.
        title: what the figure shows.
    """
    if not fields:
        return training_curves(frame, by=["task"], title=title)
    if len(fields) == 1:
        return success_curves(frame, x=fields[0], colour="task", title=title)
    x, y, *panels = fields
    column, row = [*panels, None, None][:2]
    return success_heat_map(frame, title=title, x=x, y=y, column=column, row=row)


def axes(frame: pl.DataFrame, varied: Sequence[str]) -> list[str]:
    """The columns of the fields that vary, those for the axes first: numbers with the most values.

    Args:
        frame: rows of a sweep.
        varied: dotted names of the fields that vary in it.
    """
    named = {_column(field, frame): None for field in varied}
    counts = {name: frame[name].n_unique() for name in named if name and name not in LUCK}
    able = {name: count for name, count in counts.items() if 1 < count <= MOST and not frame[name].dtype.is_nested()}
    rank = lambda name: (not frame[name].dtype.is_numeric(), name != "m", -able[name])
    x, *others = sorted(able, key=rank) or [""]
    across = [name for name in others if able[name] <= PANELS]
    return [name for name in [x, *others[:1], *[name for name in across if name not in others[:1]]] if name][:4]


def _column(field: str, frame: pl.DataFrame) -> str:
    """The column of a field: of a part's name the part's role, of any other the last word."""
    role, _, last = field.rpartition(".")
    name = role.rpartition(".")[2] if last in ("name", "scheme") and role else last
    return name if name in frame.columns else ""
