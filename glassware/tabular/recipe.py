"""How a network is trained: everything about an estimator that is not data."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from numbers import Integral
from typing import Any, Literal, get_args

from glassware.tabular.inputs import DataError

Schedule = Literal["constant", "cosine"]
Scale = Literal["standard", "mixed", "signs"]
Start = Literal["plain", "spread"]
Precision = Literal["exact", "fast"]


@dataclass(frozen=True)
class Recipe:
    """One way to train, the same for every table.

    Attributes:
        hidden_layer_sizes: widths of the hidden layers, first to last.
        learning_rate: Adam's peak learning rate.
        weight_decay: lambda; decoupled and on weight matrices only, or coupled and on everything (``decoupled``).
        epochs: passes over the rows; 0: see ``steps_per_root``.
        batch_size: rows per step; None takes a 32nd of the table, as a power of two between 32 and 64.
        early_stopping: each network holds out rows of its own, and those that read the same choose together when to
            stop.
        n_ensemble: networks whose predictions are averaged.
        scale: of the columns, see :class:`glassware.tabular.inputs.Scaling`.
        cuts: every third network reads pieces made by this many cuts (:mod:`glassware.tabular.cuts`); 0: none does.
        start: of a sparse first layer: ``plain``, the paper's; ``spread``, either sign and kinks where the forest
            splits (:mod:`glassware.tabular.start`), or, without one, where the rows are.
        schedule: ``constant``, or ``cosine``: a short rise, then half a cosine down to zero.
        decoupled: AdamW's decay instead of a term in the gradient.
        label_smoothing: share of every label that is spread over all classes.
        guided: a forest on the same rows tells which columns matter (:mod:`glassware.tabular.guide`).
        trust: share of every class label that is replaced by the vote of the forest's trees that did not see the row.
        precision: ``exact``, all in float32; ``fast``, products of bfloat16 numbers, sums and all else in float32.
        steps_per_root: sets the epochs: as many as are this many steps, times the square root of the number of rows, of
            ``batch_size`` rows each, or of a 16th of the table, as a power of two between 32 and 128.
        trees: of the guiding forest.
        averaged: weights kept at a check are the mean of those after every quarter of an epoch since the check
            before; only where rows are held out.
        patience: checks without improvement after which a network is trained no further
            (:mod:`glassware.tabular.stopping`); 0: all are trained to the end.
    """

    hidden_layer_sizes: tuple[int, ...]
    learning_rate: float
    weight_decay: float
    epochs: int
    batch_size: int | None
    early_stopping: bool
    n_ensemble: int
    scale: Scale
    cuts: int
    start: Start
    schedule: Schedule
    decoupled: bool
    label_smoothing: float
    guided: bool
    trust: float
    precision: Precision
    steps_per_root: int = 64
    trees: int = 100
    averaged: bool = False
    patience: int = 0

    def batch_size_for(self, rows: int) -> int:
        """The batch size for a table of this many rows."""
        return self.batch_size or _power_of_two(rows // 32, 32, 64)

    def passes(self, rows: int) -> int:
        """The number of epochs for a table of this many rows."""
        if self.epochs:
            return self.epochs
        steps = -(-rows // (self.batch_size or _power_of_two(rows // 16, 32, 128)))
        return max(1, round(self.steps_per_root * rows**0.5 / steps))


PRESETS = {
    "default": Recipe(
        hidden_layer_sizes=(256, 128, 64),
        learning_rate=2e-3,
        weight_decay=0.05,
        epochs=0,
        batch_size=None,
        early_stopping=True,
        n_ensemble=9,
        scale="mixed",
        cuts=256,
        start="spread",
        schedule="cosine",
        decoupled=True,
        label_smoothing=0.05,
        guided=True,
        trust=0.4,
        precision="fast",
        averaged=True,
        patience=3,
    ),
    # For tables whose columns are uninformative one by one: many small steps, and decay that removes useless weights.
    "patient": Recipe(
        hidden_layer_sizes=(512,),
        learning_rate=3e-3,
        weight_decay=5.0,
        epochs=60,
        batch_size=64,
        early_stopping=True,
        n_ensemble=4,
        scale="signs",
        cuts=0,
        start="plain",
        schedule="cosine",
        decoupled=True,
        label_smoothing=0.05,
        guided=False,
        trust=0.0,
        precision="fast",
    ),
    # Pareto Frontiers, tables: what its grid shares, and a middle width of its two-layer networks.
    "paper": Recipe(
        hidden_layer_sizes=(1000, 1000),
        learning_rate=1e-3,
        weight_decay=0.0,
        epochs=100,
        batch_size=256,
        early_stopping=False,
        n_ensemble=1,
        scale="standard",
        cuts=0,
        start="plain",
        schedule="constant",
        decoupled=False,
        label_smoothing=0.0,
        guided=False,
        trust=0.0,
        precision="exact",
    ),
}
# The default with fewer networks, half the epochs and fewer trees.
PRESETS["quick"] = replace(PRESETS["default"], n_ensemble=6, steps_per_root=32, trees=30)


def recipe(preset: str, **chosen: Any) -> Recipe:
    """The preset with every value that is not None filled in and checked."""
    if preset not in PRESETS:
        raise DataError(f"preset must be one of {', '.join(map(repr, PRESETS))}, not {preset!r}.")
    sizes = chosen.get("hidden_layer_sizes")
    if sizes is not None:
        sizes = (sizes,) if isinstance(sizes, Integral) else tuple(sizes)
        if not sizes or any(not _whole(size, 1) for size in sizes):
            raise DataError(f"hidden_layer_sizes must be whole numbers from 1, one per layer, not {sizes!r}.")
        chosen["hidden_layer_sizes"] = tuple(int(size) for size in sizes)
    for name in ("epochs", "batch_size", "n_ensemble"):
        if chosen.get(name) is not None and not _whole(chosen[name], 1):
            raise DataError(f"{name} must be a whole number from 1, not {chosen[name]!r}.")
    if chosen.get("cuts") is not None and not _whole(chosen["cuts"], 0):
        raise DataError(f"cuts must be a whole number from 0, not {chosen['cuts']!r}.")
    for name in ("learning_rate", "weight_decay"):
        if chosen.get(name) is not None and not 0 <= chosen[name] < float("inf"):
            raise DataError(f"{name} must be a number from 0, not {chosen[name]!r}.")
    precision = chosen.get("precision")
    if precision is not None and precision not in get_args(Precision):
        raise DataError(f"precision must be 'exact' or 'fast', not {precision!r}.")
    known = {field.name for field in fields(Recipe)}
    return replace(PRESETS[preset], **{k: v for k, v in chosen.items() if v is not None and k in known})


def _power_of_two(count: int, least: int, most: int) -> int:
    """The largest power of two up to ``count``, but within these bounds."""
    return min(most, max(least, 1 << (max(count, 1)).bit_length() - 1))


def _whole(value: float, least: int) -> bool:
    return not isinstance(value, bool) and int(value) == value and value >= least
