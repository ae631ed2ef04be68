"""Rows of runs without truth: what the runs were stays, and every outcome is replaced, whatever probe measured it.

Outcomes are success and its step, errors and losses, curves of numbers and of arrays, and what final probes return.
``untrained`` measures the network that each run began with; the other kinds need the rows alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple, TypeAlias

import jax
import numpy as np
import polars as pl

from glassware.foundation.specs import seedless
from glassware.probes import PROBES
from glassware.sweeps.rows import CIRCUMSTANCES, SCHEMA
from glassware.training import Loop, Run

CHANCE = 0.5
NOWHERE = object()  # in the place of a value that a row does not tell
LOSS = 1.0  # hinge and square loss of outputs near 0
Spoil: TypeAlias = Callable[[pl.DataFrame, np.random.Generator], pl.DataFrame]
Nested: TypeAlias = Any  # a number or lists of numbers, nested

# What came of a run, whatever its probes.
OUTCOMES = {
    *("success", "steps_to_success", "diverged_step", "steps_taken", "test_error", "train_error", "final_loss"),
    *("curve_step", "curve_test_error", "curve_train_error", "curve_loss"),
}
# Columns of every row that say what the run was or how the row came about.
GIVEN = {*SCHEMA, *Run.model_fields, *CIRCUMSTANCES, "train_size", "test_size"} - OUTCOMES
# Curves that are accuracies: those of leaky parities.
ACCURACIES = ("curve_uniform", "curve_leaking")


def outcomes(frame: pl.DataFrame) -> list[str]:
    """The columns of a table of runs that say what came of them: all that no part of a run names."""
    specs = frame.group_by(seedless()).agg(pl.col("spec").first().alias("one"))["one"].drop_nulls()
    given = GIVEN.union(*(Run.model_validate_json(spec).columns() for spec in specs))
    return [name for name in frame.columns if name not in given]


def shuffled(frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """What came of the runs, dealt out anew; columns of one run stay together.

    Runs swap with those that measured the same columns: a first step that keeps no curve has none to give.
    """
    names, order = outcomes(frame), np.arange(len(frame))
    probed = [name for name in names if name not in OUTCOMES]  # success may lack a step
    known = [pl.repeat("", pl.len()), *(pl.col(name).is_not_null() for name in probed)]
    measured = frame.select(pl.concat_str(known)).to_series()
    for alike in measured.unique(maintain_order=True):
        places = (measured == alike).arg_true().to_numpy()
        order[places] = rng.permutation(places)
    return frame.with_columns(frame.select(names)[order.tolist()].get_columns())


def untrained(frame: pl.DataFrame, _: np.random.Generator) -> pl.DataFrame:
    """Every run stays where it began: the first point of its curves throughout, final probes of its first weights."""
    names, rows = outcomes(frame), frame.to_dicts()
    columns = {name: [_first(name, row, set(names)) for row in rows] for name in names}
    for name, found in columns.items():
        if any(value is NOWHERE for value in found):  # no better stand-in: the mean, which is the same for all runs
            level = partial(_mean, _known(frame[name].to_list(), [], name))
            columns[name] = [
                _like(row[name], level) if value is NOWHERE else value for row, value in zip(rows, found, strict=True)
            ]
    return _with(frame, columns, Ends(np.zeros(len(rows), bool), _budgets(frame)))


def coin(frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Every run succeeds with probability 1/2, at a random time; errors follow, all else is random in its range."""
    won, when = rng.random(len(frame)) < CHANCE, rng.random(len(frame))
    ends = Ends(won, _times(frame, when * _budgets(frame)))

    def draw(known: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
        if (known == known.round()).all():
            return rng.integers(int(low), int(high) + 1, shape).astype(float)
        return rng.uniform(low, high, shape)

    return _drawn(frame, ends, draw)


def constant(frame: pl.DataFrame, _: np.random.Generator) -> pl.DataFrame:
    """Every run succeeds at half the smallest budget; all numbers of a column are its mean."""
    time = _times(frame, np.full(len(frame), 0.5 * _budgets(frame).min()))
    return _drawn(frame, Ends(np.ones(len(frame), bool), time), _mean)


def unknown(frame: pl.DataFrame, _: np.random.Generator) -> pl.DataFrame:
    """Runs of which nothing came: every outcome is null."""
    return frame.with_columns(pl.lit(None, frame.schema[name]).alias(name) for name in outcomes(frame))


def _mean(known: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    level = known.mean() if len(known) else np.float64(0)
    return np.full(shape, level.round() if (known == known.round()).all() else level)


class Ends(NamedTuple):
    """Whether each run succeeds, and the step at which it does or ends."""

    won: np.ndarray
    step: np.ndarray


def _budgets(frame: pl.DataFrame) -> np.ndarray:
    return frame["steps"].fill_null(1000).to_numpy() if "steps" in frame else np.full(len(frame), 1000)


def _times(frame: pl.DataFrame, steps: np.ndarray) -> np.ndarray:
    """Steps at which runs are examined."""
    every = frame["every"].fill_null(1).to_numpy() if "every" in frame else np.ones(len(frame))
    return np.maximum(1, np.ceil(steps / every) * every).astype(int)


# -- untrained --------------------------------------------------------------------------------------------------------


def _first(name: str, row: dict[str, Any], names: set[str]) -> Nested:
    """What an outcome was before the first step."""
    if row[name] is None or name == "curve_step":
        return row[name]
    if name.startswith("curve_"):
        first = _first_point(name, row)
        return [first] * len(row[name])
    curve = "curve_loss" if name == "final_loss" else f"curve_{name}"
    if curve in names and row[curve]:
        return _first_point(curve, row)
    return _first_probes(row.get("spec")).get(name, NOWHERE) if _numbers(row[name]).size else row[name]


def _first_point(name: str, row: dict[str, Any]) -> Nested:
    """The first point of a curve; that of a network trained by no step of this run, where there is one, is at chance.

    Averages over minibatches do not exist before the first: those of held-out examples stand in.
    """
    elsewhere = row["steps"] is None or '"start":' in (row.get("spec") or "")
    if elsewhere and ("error" in name or name in ACCURACIES):
        return CHANCE
    first = row[name][0] if row[name] else None
    if first is not None and not np.isnan(_numbers(first)).any():
        return first
    other = "curve_test_cross_entropy" if name == "curve_loss" else name.replace("curve_train_", "curve_test_")
    if other != name and row.get(other):
        return row[other][0]
    return CHANCE if "error" in name else LOSS if name == "curve_loss" else first


@cache
def _first_probes(spec: str | None) -> dict[str, Nested]:
    """What the final probes say of the network that a run begins with; nothing where it begins elsewhere."""
    run = None if spec is None else Run.model_validate_json(spec)
    if run is None or run.model.solved or run.start is not None:
        return {}
    return {name: np.asarray(found).tolist() for name, found in _probed(run.shape())(run.values()).items()}


@cache
def _probed(shape: Run) -> Callable[..., dict[str, jax.Array]]:
    loop = Loop(shape)
    # Two programs: in one, XLA draws the weights anew for everything that uses them, and takes minutes to say so.
    first, final = jax.jit(lambda values: loop.init(values).params), jax.jit(loop.final)
    if not any(getattr(PROBES[name], "kept", False) for name in shape.probes):
        return lambda values: final(values, first(values))
    # A probe of kept weights: those at every step to keep are the first.
    kept = lambda params: jax.tree.map(lambda leaf: np.stack([leaf] * len(shape.keep)), params)
    return lambda values: final(values, params := first(values), kept(params))


# -- coins and constants ----------------------------------------------------------------------------------------------


def _drawn(frame: pl.DataFrame, ends: Ends, draw: Callable[[np.ndarray, tuple[int, ...]], np.ndarray]) -> pl.DataFrame:
    """Errors that are 1/2 before success and 0 after it; in all other columns ``draw(known numbers, shape)``."""
    columns: dict[str, list[Nested]] = {}
    steps = frame["curve_step"].to_list() if "curve_step" in frame else [None] * len(frame)
    for name in outcomes(frame):
        old = frame[name].to_list()
        if "error" in name or name in ("final_loss", "curve_loss", *ACCURACIES):
            columns[name] = [
                None if value is None else _dropping(name, value, at, won, time)
                for value, at, won, time in zip(old, steps, *ends, strict=True)
            ]
        elif name != "curve_step" and _numeric(frame.schema[name]):
            known = _known(old, frame["spec"] if "spec" in frame.columns else [], name)
            columns[name] = [_like(value, partial(draw, known)) for value in old]
    return _with(frame, columns, ends)


def _dropping(name: str, value: Nested, at: list[int] | None, won: bool, time: int) -> Nested:
    """An error, or a curve of errors at these steps, that drops when the run succeeds."""
    if not isinstance(value, list):
        return 0.0 if won else CHANCE
    places = np.asarray(at if at is not None and len(at) == len(value) else np.arange(len(value)))
    error = np.where(won & (places >= time), 0.0, CHANCE)
    return (1 - error if name in ACCURACIES else error).tolist()


def _known(old: list[Nested], specs: pl.Series | list[str], name: str) -> np.ndarray:
    """All numbers of a column, with those of untrained networks where a final probe has them."""
    first = [] if name.startswith("curve_") else [_first_probes(spec).get(name) for spec in specs]
    found = np.concatenate([np.empty(0), *(_numbers(value) for value in (*old, *first) if value is not None)])
    return found[np.isfinite(found)]


def _numbers(value: Nested) -> np.ndarray:
    """The numbers of nested lists, flat."""
    return np.array(list(_flat(value)), float)


def _flat(value: Nested) -> Iterator[float]:
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    else:
        yield np.nan if value is None else value


def _like(value: Nested, draw: Callable[[tuple[int, ...]], np.ndarray]) -> Nested:
    """Nested lists of the same lengths, filled anew."""
    if value is None:
        return None
    if isinstance(value, list) and value and isinstance(value[0], list):
        return [_like(item, draw) for item in value]
    return draw((len(value),)).tolist() if isinstance(value, list) else float(draw(()))


def _numeric(kind: pl.DataType) -> bool:
    while isinstance(kind, pl.List):
        kind = kind.inner  # type: ignore[assignment]
    return kind.is_numeric()


def _with(frame: pl.DataFrame, columns: dict[str, list[Nested]], ends: Ends) -> pl.DataFrame:
    """The rows with new outcomes, and success as said."""
    won, step = ends.won.tolist(), ends.step.astype(int)
    top = _budgets(frame)
    columns |= {
        "success": won,
        "steps_to_success": [int(t) if w else None for t, w in zip(step, won, strict=True)],
        "diverged_step": [None] * len(frame),
        "steps_taken": np.where(won, step, top).astype(int).tolist(),
    }
    found = [
        pl.Series(name, values, dtype=frame.schema[name], strict=False)
        for name, values in columns.items()
        if name in frame.columns
    ]
    return frame.with_columns(found)
