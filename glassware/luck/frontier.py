"""The edge of success between two fields of a specification: an adaptive search over a grid of runs.

Everything follows from the rows so far, by pure functions: a search that was stopped goes on from a store, and its
rounds can be stages of a study. Its runs are runs of the grid (the same seeds, the same ids), never others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.foundation.part import dotted
from glassware.foundation.specs import seedless
from glassware.luck.lattice import Count, Counts, Lattice, Line, Place, State
from glassware.sweeps.identity import spec_json
from glassware.training import Run

ONLINE = "online"
Tally: TypeAlias = Mapping[str, Count]  # of rows, by specifications without their seeds
CellFields: TypeAlias = tuple[Run, dict[str, Any]]  # the first run of a cell, and its fields by dotted name


@dataclass(frozen=True, eq=False)
class Frontier:
    """The edges of one panel: a grid whose runs differ in the two axes alone, and in what goes with them.

    Attributes:
        axes: the two fields, as ``("m", "model.width")``.
        runs: the first run of every cell; a cell's next runs have the next seeds.
        lattice: values of the axes and how to search. Online stands one step beyond the largest m.
        ends_online: whether the last value of the first axis is online.
        fields: in which this panel differs from others.
    """

    axes: tuple[str, str]
    runs: Mapping[Place, Run]
    lattice: Lattice
    ends_online: bool = False
    fields: Mapping[str, Any] = None  # type: ignore[assignment]

    @cached_property
    def _cells(self) -> dict[str, Place]:
        specs = pl.DataFrame({"spec": [spec_json(run) for run in self.runs.values()]}).select(seedless()).to_series()
        return dict(zip(specs, self.runs, strict=True))

    def counts(self, rows: pl.DataFrame | Tally) -> Counts:
        """Successes, runs and work (floating-point operations) in each cell."""
        table = tally(rows) if isinstance(rows, pl.DataFrame) else rows
        return {place: table[spec] for spec, place in self._cells.items() if spec in table}

    def own(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows of this panel's cells."""
        return rows.filter(seedless().is_in(list(self._cells))) if len(rows) else rows

    def next(self, rows: pl.DataFrame | Tally) -> list[Run]:
        """The runs of the next round; none when the search is over."""
        counts = self.counts(rows)
        return self.more(self.lattice.next(counts), counts)

    def more(self, wanted: Mapping[Place, int], counts: Counts) -> list[Run]:
        """So many more runs in some cells."""
        found = list[Run]()
        for place, number in wanted.items():
            run, done = self.runs[place], counts.get(place, Count()).trials
            found += [run.model_copy(update={"seed": run.seed + done + i}) for i in range(number)]
        return found

    def label(self, along: str, position: float) -> float | str:
        """A value of an axis as it is written: online for the place at its end."""
        return ONLINE if along == "x" and self.ends_online and position == self.lattice.x[-1] else position


def frontiers(runs: Iterable[Run], axes: Sequence[str] = ("m", "model.width"), **how: Any) -> list[Frontier]:
    """One frontier per panel of these runs: whatever varies beside the axes, and does not go with them, makes panels.

    Args:
        runs: as a grid gives them; of runs that differ in their seed alone the smallest seed is the first.
        axes: the fields to search over; of ``m`` the last value may be online. Widths of several layers, as [30, 30],
            count as the one they share; their number, ``depth``, is a field like others.
        how: fields of ``Lattice``.

    >>> import glassware as gw
    >>> from glassware.luck.frontier import frontiers
    >>> base = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=500)
    >>> [found] = frontiers(gw.grid(base, {"m": [20, 40, 80, 160, "online"], "model.width": [4, 16]}))
    >>> found.lattice.x, found.lattice.y
    ((20.0, 40.0, 80.0, 160.0, 320.0), (4.0, 16.0))
    """
    if len(axes) != 2 or axes[0] == axes[1]:
        raise GlasswareError(f"a frontier has two different axes, not {', '.join(axes)}")
    first: dict[str, Run] = {}
    for run in runs:
        key = json.dumps({k: v for k, v in run.canonical().items() if k != "seed"}, sort_keys=True)
        first[key] = min(first.get(key, run), run, key=lambda one: one.seed)
    plain = _with_depth([(run, dict(dotted(run.model_dump(exclude={"seed"})))) for run in first.values()], axes)
    for axis in axes:
        for _, fields in plain:
            if axis not in fields:
                raise GlasswareError(f"the run has no field '{axis}' to search; it has {', '.join(fields)}")
    panels: dict[str, list[CellFields]] = {}
    names = _between_panels(plain, axes)
    for run, fields in plain:
        key = json.dumps({name: fields.get(name) for name in names}, default=str)
        panels.setdefault(key, []).append((run, fields))
    return [_frontier(cells, axes, names, how) for cells in panels.values()]


def _with_depth(plain: list[CellFields], axes: Sequence[str]) -> list[CellFields]:
    """Where layers have one width that is an axis, it counts as a number, and how many they are as a field: depth."""
    layers = {axis: [fields.get(axis) for _, fields in plain] for axis in axes}
    for axis in (axis for axis, values in layers.items() if any(isinstance(value, tuple) for value in values)):
        for (_, fields), value in zip(plain, layers[axis], strict=True):
            layers_of = value if isinstance(value, tuple) else (value,)
            fields |= {axis: layers_of[0] if len(set(layers_of)) == 1 else value, "depth": len(layers_of)}
    return plain


def _between_panels(plain: list[CellFields], axes: Sequence[str]) -> list[str]:
    """The fields that vary within one place of the grid: what does not (``evaluation.every``) goes with an axis."""
    seen: dict[str, dict[str, set[str]]] = {}
    for _, fields in plain:
        place = json.dumps([fields[axis] for axis in axes], default=str)
        for name in fields.keys() - set(axes):
            seen.setdefault(name, {}).setdefault(place, set()).add(json.dumps(fields[name], default=str))
    varied = {name for name, places in seen.items() if any(len(values) > 1 for values in places.values())}
    return [name for name in dict.fromkeys(n for _, fields in plain for n in fields) if name in varied]


def _frontier(cells: list[CellFields], axes: Sequence[str], names: list[str], how: Any) -> Frontier:
    values = [list(dict.fromkeys(fields[axis] for _, fields in cells)) for axis in axes]
    online = axes[0] == "m" and None in values[0]
    numbers = [[value for value in axis if value is not None or not online] for axis in values]
    for axis, known in zip(axes, numbers, strict=True):
        if any(isinstance(value, bool) or not isinstance(value, int | float) or value <= 0 for value in known):
            wrong = next(v for v in known if isinstance(v, bool) or not isinstance(v, int | float) or v <= 0)
            raise GlasswareError(f"the axis '{axis}' must have positive numbers, not {wrong!r}")
    x, y = (sorted(float(value) for value in axis) for axis in numbers)
    if len(x) < 2:
        raise GlasswareError(f"the axis '{axes[0]}' needs two numbers or more, to look for the edge between them")
    if online:
        x.append(x[-1] * x[-1] / x[-2])
    at_x = {(x[-1] if value is None else float(value)): value for value in values[0]}
    runs = {
        (x.index(x[-1] if fields[axes[0]] is None else float(fields[axes[0]])), y.index(float(fields[axes[1]]))): run
        for run, fields in cells
    }
    if len(runs) < len(at_x) * len(y):
        raise GlasswareError(
            "a frontier is searched on a whole grid: every value of one axis with every one of the other"
        )
    described = {name: cells[0][1].get(name) for name in names}
    return Frontier((axes[0], axes[1]), runs, Lattice(tuple(x), tuple(y), **how), online, described)


def tally(rows: pl.DataFrame) -> Tally:
    """Successes, runs and work of every cell: what several panels look up their own in."""
    if not len(rows):
        return {}
    table = rows.group_by(seedless()).agg(pl.col("success").sum(), pl.len(), pl.col("flops").cast(pl.Float64).sum())
    return {spec: Count(*rest) for spec, *rest in table.iter_rows()}


def advance(found: Sequence[Frontier], rows: pl.DataFrame) -> list[Run]:
    """The next runs of several frontiers, side by side; none when all are over. A stage of a study may return them."""
    counts = tally(rows)
    return [run for one in found for run in one.next(counts)]


def edges(found: Sequence[Frontier], rows: pl.DataFrame) -> pl.DataFrame:
    """One row per line of each panel and level: where success crosses the level, with its interval and state.

    ``along`` is the axis on which ``value`` lies, ``at`` the value of the other axis (null: online).
    """
    lines, table = list[dict[str, Any]](), tally(rows)
    for panel in found:
        counts = panel.counts(table)
        states = panel.lattice.states(counts)
        for line in panel.lattice.lines:
            lines.append({**panel.fields, **_line(panel, line, counts, states[line]), "state": states[line]})
    kinds = {"at": pl.Float64, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "fall": pl.String}
    return pl.DataFrame(lines, schema_overrides=kinds, infer_schema_length=None)


def _line(panel: Frontier, line: Line, counts: Counts, state: State) -> dict[str, Any]:
    lattice, (x, y) = panel.lattice, panel.axes
    value, low, high = lattice.edge(line, counts, state)
    along, across = (x, y) if line.along == "x" else (y, x)
    other = (lattice.y if line.along == "x" else lattice.x)[line.at]
    at = panel.label("y" if line.along == "x" else "x", other)
    fall = lattice.falls(line, counts)
    ends = (None if one != one or one in (0, float("inf")) else one for one in (value, low, high))
    said = fall and " to ".join(
        f"{one:g}" if isinstance(one, float) else one for one in (panel.label(line.along, v) for v in fall)
    )
    return {
        "along": along,
        "across": across,
        "at": None if at == ONLINE else at,
        "level": line.level,
        **dict(zip(("value", "low", "high"), ends, strict=True)),
        "runs": sum(cell.trials for cell in lattice.cells(line, counts)),
        "fall": said,
    }


def cells(found: Sequence[Frontier], rows: pl.DataFrame) -> pl.DataFrame:
    """One row per cell: what it is (``measured``, ``inferred`` or ``unknown``), its runs and its success rate."""
    lines, table = list[dict[str, Any]](), tally(rows)
    for panel in found:
        lattice, counts = panel.lattice, panel.counts(table)
        guessed = lattice.inferred(counts, lattice.levels[0])
        for place in sorted(panel.runs):
            won, trials, _ = counts.get(place, Count())
            known = "measured" if trials else "inferred" if place in guessed else "unknown"
            rate = won / trials if trials else float(guessed[place]) if place in guessed else None
            label = panel.label("x", lattice.x[place[0]])
            where = {panel.axes[0]: None if label == ONLINE else label, panel.axes[1]: lattice.y[place[1]]}
            lines.append({**panel.fields, **where, "known": known, "successes": won, "runs": trials, "rate": rate})
    kinds = {found[0].axes[0]: pl.Float64, "rate": pl.Float64}
    return pl.DataFrame(lines, schema_overrides=kinds, infer_schema_length=None)
