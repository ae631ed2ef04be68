"""What an engine is given to train: jobs, the shapes they compile to, and each network's values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from glassware.engine.device import on_cpu
from glassware.foundation.arrays import Float, Int, Number, Params, Shaped, UInt32
from glassware.foundation.draws import fold
from glassware.tabular.cuts import Splits
from glassware.tabular.network import layer_keys
from glassware.tabular.recipe import Precision, Recipe, Schedule
from glassware.tabular.start import at_rows, at_splits

FEATURE_BLOCK = 8  # columns are padded to a multiple of this, rows to a power of two: fewer programs to compile
LEAST_ROWS, LEAST_HELD_OUT = 256, 64
# On an accelerator padding is nearly free and a program takes seconds to compile, so sizes are coarser there.
DEVICE_COLUMNS, DEVICE_ROWS, HELD_OUT_PART = 32, (512, 2048), 8
CHECKS = 16  # times at which the weights are kept; the held-out rows choose one
MEANS = 4  # times an epoch at which weights are added to the mean that a check keeps
MOST_KEPT = 2**24  # numbers that a lane keeps for that
LEAST_SLOTS = 2  # room for the columns a neuron starts with; dense networks have it too, to share the program


Lane: TypeAlias = dict[str, Shaped[np.ndarray, "..."]]  # one network's own values, by name


class Table(NamedTuple):
    """Rows ready for a network: scaled inputs, what is learnt (smoothed labels, or a scaled number), the truth that
    held-out rows are judged by, and weights of mean 1."""

    x: Float[np.ndarray, "rows inputs"]
    target: Float[np.ndarray, "rows outputs"]
    truth: Float[np.ndarray, "rows outputs"]
    weight: Float[np.ndarray, " rows"]


@dataclass
class Job:
    """Networks to train on one table: an ensemble.

    Attributes:
        recipe: how to train.
        sparsity: first-layer weights that each neuron starts with; 0: dense.
        classify: cross-entropy on labels, or squared error.
        table: the rows.
        splits: of a forest, on the scale of the inputs, where neurons start; None: they start at rows.
        held_out: indices of the rows that each member is not trained on, which decide when to stop; may be empty.
        keys: one random key per member.
    """

    recipe: Recipe
    sparsity: int
    classify: bool
    table: Table
    splits: Splits | None
    held_out: Int[np.ndarray, "members held"]
    keys: UInt32[np.ndarray, "members 2"]

    def shape(self) -> Shape:
        rows, features = self.table.x.shape
        held = self.held_out.shape[1]
        inputs, room, held_room = _sizes(features, rows, held)
        batch = min(self.recipe.batch_size_for(rows - held), room)
        return Shape(
            sizes=(inputs, *self.recipe.hidden_layer_sizes, self.table.target.shape[1]),
            spread=self.recipe.start == "spread",
            slots=max(LEAST_SLOTS, min(self.sparsity, features)) if self.recipe.start == "spread" else 0,
            rows=-(-room // batch) * batch,
            held_out=held_room,
            batch=batch,
            classify=self.classify,
            schedule=self.recipe.schedule,
            decoupled=self.recipe.decoupled,
            precision=self.recipe.precision,
            averaged=self.recipe.averaged and bool(held),
        )


class Shape(NamedTuple):
    """What is compiled in; jobs that agree in it share a program."""

    sizes: tuple[int, ...]
    spread: bool
    slots: int
    rows: int
    held_out: int
    batch: int
    classify: bool
    schedule: Schedule
    decoupled: bool
    precision: Precision = "exact"
    averaged: bool = False  # what a check keeps is the mean since the check before

    @property
    def parameters(self) -> int:
        """Number of parameters of one network."""
        return sum((inputs + 1) * outputs for inputs, outputs in pairwise(self.sizes))

    def mean_every(self, steps: Number) -> Number:
        """Steps between two times at which weights are added to a mean, in epochs of so many steps."""
        return -(-steps // MEANS)

    @property
    def checks(self) -> int:
        """How often the weights are kept: less often for very wide tables."""
        return min(CHECKS, max(2, MOST_KEPT // self.parameters)) if self.held_out else 1


class Outcome(NamedTuple):
    """A trained ensemble: its networks, and its mean loss on held-out rows at the moment it took (NaN without any)."""

    members: list[Params]
    loss: float


def lane_values(shape: Shape, job: Job, table: int, member: int) -> Lane:
    """What differs between the networks of a program; ``table`` is the number of the job's rows among its tables."""
    recipe, key, held = job.recipe, job.keys[member], job.held_out[member]
    learnt = np.delete(np.arange(len(job.table.x)), held)
    epochs = recipe.passes(len(learnt))
    # Early checks lie closer together: networks soon memorise a noisy table.
    ends = np.ceil(epochs * np.square(np.arange(1, shape.checks + 1) / shape.checks))
    start = {}
    if shape.spread:
        size = (shape.sizes[1], job.sparsity, shape.slots)
        if job.splits is None:
            rows = job.table.x[learnt if job.sparsity else learnt[:1]]  # dense networks do not use them
            start = at_rows(fold(key, 2), rows, *size)._asdict()
        else:
            start = at_splits(fold(key, 2), job.splits, *size)._asdict()
    return {
        "rows": np.array(len(learnt), np.int32),
        "learnt": np.pad(learnt, (0, shape.rows - len(learnt))).astype(np.int32),
        "held": np.pad(held, (0, shape.held_out - len(held))).astype(np.int32),
        "held_rows": np.array(len(held), np.int32),
        "table": np.array(table, np.int32),
        "keys": layer_keys(fold(key, 0), len(shape.sizes) - 1),
        "order": fold(key, 1),
        "sparsity": np.array(job.sparsity, np.int32),
        **start,
        "lr": np.array(recipe.learning_rate, np.float32),
        "decay": np.array(recipe.weight_decay, np.float32),
        "epochs": np.array(epochs, np.int32),
        "ends": ends.astype(np.int32),
    }


def _sizes(features: int, rows: int, held: int) -> tuple[int, int, int]:
    """What columns, rows and held-out rows are padded to, so that tables of about one size share programs."""
    if on_cpu():
        inputs = -(-features // FEATURE_BLOCK) * FEATURE_BLOCK
        return inputs, _bucket(rows, LEAST_ROWS), _bucket(held, LEAST_HELD_OUT) if held else 0
    inputs = _bucket(features, DEVICE_COLUMNS)
    if features <= 3 * inputs // 4:
        inputs = max(DEVICE_COLUMNS, 3 * inputs // 4)
    room = next((size for size in DEVICE_ROWS if rows <= size), _bucket(rows, DEVICE_ROWS[-1]))
    return inputs, room, _bucket(held, room // HELD_OUT_PART) if held else 0


def _bucket(count: int, least: int) -> int:
    return max(least, 1 << (count - 1).bit_length())
