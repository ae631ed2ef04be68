"""Computed tables without truth: which of their columns were measured, and what takes the place of these.

Columns that are not named here say what was measured (sizes, seeds, forms) or what a theorem states about it (bounds,
closed forms), and stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl

CHANCE = 0.5
Numbers: TypeAlias = np.ndarray
Draw: TypeAlias = Callable[[pl.Series, np.random.Generator], Numbers]  # from the known values of a column to new ones


class Measured(NamedTuple):
    """The columns of a computed table that were measured.

    Attributes:
        values: numbers and truths as they were found.
        distances: how far something is from what is stated. The distance of a number without truth is of the size of
            the numbers themselves, so it is spoiled to a number of order 1, never to 0.
    """

    values: tuple[str, ...]
    distances: tuple[str, ...] = ()


# What an untrained network has where it is not 0: accuracies, errors and hinge losses.
AT_CHANCE = {
    **dict.fromkeys(("error", "test_error", "final_error", "uniform", "leaking", "mixture", "accuracy"), CHANCE),
    "test_hinge_loss": 1.0,
}

TABLES: dict[str, Measured] = {
    "pareto/tabular": Measured(("error",)),
    "hidden-progress/disjoint-flow": Measured(("share", "flow_share")),
    "hidden-progress/fourier-gaps": Measured(("gap", "gap_min")),
    "hidden-progress/activations": Measured((), ("value",)),
    "hidden-progress/layerwise": Measured(("gradient",), ("off",)),
    "hidden-progress/one-step": Measured(
        (
            *(f"{kind}_{name}" for kind in ("relevant", "irrelevant") for name in ("mean", "low", "high")),
            "test_hinge_loss",
            "test_error",
        ),
        ("irrelevant_off",),
    ),
    "hidden-progress/disjoint-sgd": Measured(("drift", "undershoot", "grown", "first_hit", "final_error")),
    "leaky/first-step": Measured(
        ("good", "alpha", "alpha_low", "alpha_high", "off_rms", "off_largest", "bias_largest")
    ),
    "leaky/lemmas": Measured(("value",), ("gap",)),
    "theory/search-floors": Measured(("found", "milliseconds")),
    "theory/lower-bound": Measured(("energy", "hidden", "same")),
    "theory/over-sparse": Measured(("error", "norm", "representable"), ("residual", "gap")),
    "theory/under-sparse": Measured(("m50", "support", "accuracy"), ("gap",)),
    "theory/good-neurons": Measured(("share", "lucky"), ("gap",)),
    "margins/constructions": Measured(
        ("neurons", "ratio", "low", "share", "accuracy", "certified"), ("spread", "labels", "gap", "named_gap")
    ),
    "margins/beyond-the-theorem": Measured(("hypothesis", "lp", "sum", "used", "value", "low", "high")),
    "induction/first-steps": Measured(("value",), ("gap",)),
    "induction/levels": Measured(("value",)),
    "juntas/constructions": Measured(("value", "norm"), ("gap",)),
    "juntas/bounds": Measured(("value",), ("gap",)),
    "juntas/controls": Measured(("share", "others")),
    "juntas/architectures": Measured(("share", "others")),
}


def dealt(values: pl.Series, rng: np.random.Generator) -> Numbers:
    """The same values in another order."""
    return rng.permutation(values.to_numpy())


def drawn(values: pl.Series, rng: np.random.Generator) -> Numbers:
    """Random truths; random shares between 0 and 1; other numbers up to twice the largest, of either sign if some are.

    Within the range of a column every number might keep a bound that all measured ones keep.
    """
    if values.dtype == pl.Boolean:
        return rng.random(len(values)) < CHANCE
    known = values.to_numpy()
    known = known[np.isfinite(known)]
    size = 2 * float(np.abs(known).max(initial=0.5))
    share = values.dtype.is_float() and bool(((known >= 0) & (known <= 1)).all())
    return rng.uniform(-size if (known < 0).any() else 0.0, 1.0 if share else size, len(values))


def mean(values: pl.Series, _: np.random.Generator) -> Numbers:
    """Every number the mean of its column, every truth true."""
    known = values.to_numpy()
    level = True if values.dtype == pl.Boolean else known[np.isfinite(known)].mean()
    return np.full(len(values), level)


def untrained(values: pl.Series, _: np.random.Generator) -> Numbers:
    """Every number 0 or that of an untrained network, every truth false."""
    return np.full(len(values), AT_CHANCE.get(values.name, 0.0))


def far(values: pl.Series, rng: np.random.Generator) -> Numbers:
    """Distances between 0 and 1: random ones, for what was dealt out anew or drawn."""
    return rng.random(len(values))


def half(values: pl.Series, _: np.random.Generator) -> Numbers:
    """A distance of 1/2 everywhere, for what is constant."""
    return np.full(len(values), CHANCE)


# What becomes of the measured columns, values and distances, by kind of spoiled rows.
KINDS: dict[str, tuple[Draw, Draw]] = {
    "shuffled": (dealt, far),
    "untrained": (untrained, half),
    "coin": (drawn, far),
    "constant": (mean, half),
}


def spoil_table(table: pl.DataFrame, study: str, kind: str, rng: np.random.Generator) -> pl.DataFrame:
    """A computed table whose measured columns say nothing; rows without a value in a column stay without."""
    if study not in TABLES:
        raise KeyError(f"benchmarks.spoiled_tables does not say what {study} measures")
    values, distances = TABLES[study]
    if kind == "unknown":
        names = [name for name in (*values, *distances) if name in table.columns]
        return table.with_columns(pl.lit(None, table.schema[name]).alias(name) for name in names)
    for columns, draw in zip((values, distances), KINDS[kind], strict=True):
        table = table.with_columns(_replaced(table[name], draw, rng) for name in columns if name in table.columns)
    return table


def _replaced(column: pl.Series, draw: Draw, rng: np.random.Generator) -> pl.Series:
    places = column.is_not_null().arg_true()
    if not len(places):
        return column
    fresh = draw(column[places], rng)
    if column.dtype.is_integer():
        fresh = fresh.round()
    return column.clone().scatter(places, pl.Series(fresh).cast(column.dtype))
