"""Many networks trained as lanes of one compiled program."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from glassware.draws import draw, fold
from glassware.tabular.network import Params, apply, init, layer_keys
from glassware.tabular.recipe import Recipe

FEATURE_BLOCK = 8  # columns are padded to a multiple of this, rows to a power of two: fewer programs to compile
LEAST_ROWS, LEAST_HELD_OUT = 256, 64
RISE = 0.05  # share of the steps in which a cosine schedule rises


class Table(NamedTuple):
    """Rows ready for a network: scaled inputs, targets (one-hot, or a scaled number), weights of mean 1."""

    x: np.ndarray
    target: np.ndarray
    weight: np.ndarray


@dataclass
class Job:
    """Networks to train on one table: an ensemble.

    Attributes:
        recipe: how.
        sparsity: first-layer weights a neuron starts with; 0: dense.
        classify: cross-entropy on one-hot targets, or squares.
        table: the rows.
        held_out: rows each member does not learn, which say when it stops: numbers, (members, how many, possibly 0).
        patience: epochs without a better loss on them before stopping.
        keys: a random key a member, (members, 2).
    """

    recipe: Recipe
    sparsity: int
    classify: bool
    table: Table
    held_out: np.ndarray
    patience: int
    keys: np.ndarray

    def shape(self) -> Shape:
        rows, features = self.table.x.shape
        held = self.held_out.shape[1]
        inputs = -(-features // FEATURE_BLOCK) * FEATURE_BLOCK
        batch = min(self.recipe.rows_a_step(rows - held), _bucket(rows, LEAST_ROWS))
        return Shape(
            sizes=(inputs, *self.recipe.hidden_layer_sizes, self.table.target.shape[1]),
            rows=-(-_bucket(rows, LEAST_ROWS) // batch) * batch,
            held_out=_bucket(held, LEAST_HELD_OUT) if held else 0,
            batch=batch,
            classify=self.classify,
            schedule=self.recipe.schedule,
            decoupled=self.recipe.decoupled,
        )


class Shape(NamedTuple):
    """What is compiled in; jobs that agree in it share a program."""

    sizes: tuple[int, ...]
    rows: int
    held_out: int
    batch: int
    classify: bool
    schedule: str
    decoupled: bool


def train(jobs: list[Job]) -> list[list[Params]]:
    """The trained networks of each job, as NumPy arrays. Jobs of one shape run as one program.

    On a CPU lanes take turns, so a network is the same bit for bit whatever it was trained beside; on an accelerator
    they step together.
    """
    found: list[list[Params]] = [[] for _ in jobs]
    shapes: dict[Shape, list[int]] = {}
    for i, job in enumerate(jobs):
        shapes.setdefault(job.shape(), []).append(i)
    for shape, members in shapes.items():
        for i, params in zip(members, _train_shape(shape, [jobs[i] for i in members]), strict=True):
            found[i] = params
    return found


def _train_shape(shape: Shape, jobs: list[Job]) -> list[list[Params]]:
    tables: dict[str, int] = {}
    stacked: list[dict[str, np.ndarray]] = []
    lanes: list[dict[str, Any]] = []
    for job in jobs:
        data = _padded(shape, job)
        # Seeds and settings share the rows of their fold: kept once.
        digest = hashlib.blake2b(b"".join(a.tobytes() for a in data.values())).hexdigest()
        if digest not in tables:
            tables[digest] = len(stacked)
            stacked.append(data)
        lanes += [_lane(shape, job, tables[digest], member) for member in range(len(job.keys))]
    idle = {**lanes[0], "epochs": np.int32(0)}  # a power of two of lanes, so that programs are shared
    lanes += [idle] * ((1 << (len(lanes) - 1).bit_length()) - len(lanes))
    together = {name: np.stack([lane[name] for lane in lanes]) for name in lanes[0]}
    data = {name: np.stack([part[name] for part in stacked]) for name in stacked[0]}
    params = jax.tree.map(np.asarray, _program(shape, data, together))
    found, lane = [], 0
    for job in jobs:
        members, features = [], job.table.x.shape[1]
        for _ in job.keys:
            first, *rest = jax.tree.map(lambda a, lane=lane: a[lane].copy(), params)
            members.append(({"w": first["w"][:features].copy(), "b": first["b"]}, *rest))
            lane += 1
        found.append(members)
    return found


def _lane(shape: Shape, job: Job, table: int, member: int) -> dict[str, Any]:
    recipe, key, held = job.recipe, job.keys[member], job.held_out[member]
    learnt = np.delete(np.arange(len(job.table.x)), held)
    return {
        "rows": np.int32(len(learnt)),
        "learnt": np.pad(learnt, (0, shape.rows - len(learnt))).astype(np.int32),
        "held": np.pad(held, (0, shape.held_out - len(held))).astype(np.int32),
        "held_rows": np.int32(len(held)),
        "table": np.int32(table),
        "keys": layer_keys(fold(key, 0), len(shape.sizes) - 1),
        "order": fold(key, 1),
        "sparsity": np.int32(job.sparsity),
        "lr": np.float32(recipe.learning_rate),
        "decay": np.float32(recipe.weight_decay),
        "smoothing": np.float32(recipe.label_smoothing),
        "epochs": np.int32(recipe.epochs),
        "patience": np.int32(job.patience),
    }


def _bucket(count: int, least: int) -> int:
    return max(least, 1 << (count - 1).bit_length())


def _padded(shape: Shape, job: Job) -> dict[str, np.ndarray]:
    """The job's arrays with the sizes of its shape; rows that are padding weigh nothing."""
    table, (rows, features) = job.table, job.table.x.shape
    more = shape.rows - rows
    return {
        "features": np.array(features, np.int32),
        "x": np.pad(table.x.astype(np.float32), ((0, more), (0, shape.sizes[0] - features))),
        "target": np.pad(table.target.astype(np.float32), ((0, more), (0, 0))),
        "weight": np.pad(table.weight.astype(np.float32), (0, more)),
    }


@partial(jax.jit, static_argnums=0)
def _program(shape: Shape, data: dict[str, Any], lanes: dict[str, Any]) -> Params:
    def one(lane: Any) -> Params:
        return _fit(shape, jax.tree.map(lambda a: a[lane["table"]], data), lane)

    return jax.lax.map(one, lanes) if jax.default_backend() == "cpu" else jax.vmap(one)(lanes)


def _fit(shape: Shape, data: Any, lane: Any) -> Params:
    """One network from its first weights to its last; with held-out rows, to its best."""
    adam = optax.scale_by_adam()
    steps = -(-lane["rows"] // shape.batch)
    gradient = jax.grad(lambda params, *batch: _loss(shape, apply(params, batch[0]), *batch[1:]))

    def step(i: Any, carry: Any) -> Any:
        epoch, order, params, state = carry
        slots = jax.lax.dynamic_slice(order, (i * shape.batch,), (shape.batch,))
        target = data["target"][slots]
        if shape.classify:
            target = (1.0 - lane["smoothing"]) * target + lane["smoothing"] / shape.sizes[-1]
        # Slots past the last row are padding: they weigh nothing, and the mean is over the real ones.
        real = jnp.minimum(shape.batch, lane["rows"] - i * shape.batch)
        weight = jnp.where(jnp.arange(shape.batch) < real, data["weight"][slots], 0.0)
        grads = gradient(params, data["x"][slots], target, weight, real)
        if not shape.decoupled:
            grads = jax.tree.map(lambda g, p: g + lane["decay"] * p, grads, params)
        updates, state = adam.update(grads, state)
        if shape.decoupled:
            updates = jax.tree.map(lambda u, p: u + lane["decay"] * p if p.ndim == 2 else u, updates, params)
        rate = lane["lr"] * _factor(shape, epoch * steps + i, lane["epochs"] * steps)
        return epoch, order, jax.tree.map(lambda p, u: p - rate * u, params, updates), state

    def goes_on(carry: Any) -> Any:
        epoch, *_, waited = carry
        return (epoch < lane["epochs"]) & (waited < lane["patience"])

    def pass_over(carry: Any) -> Any:
        epoch, params, state, best, best_loss, waited = carry
        order = lane["learnt"][_order(shape, lane["order"], epoch, lane["rows"])]
        *_, params, state = jax.lax.fori_loop(0, steps, step, (epoch, order, params, state))
        if not shape.held_out:
            return epoch + 1, params, state, best, best_loss, waited
        out = apply(params, data["x"][lane["held"]])
        weight = jnp.where(jnp.arange(shape.held_out) < lane["held_rows"], data["weight"][lane["held"]], 0.0)
        loss = _loss(shape, out, data["target"][lane["held"]], weight, lane["held_rows"])
        better = loss < best_loss
        best = jax.tree.map(lambda new, old: jnp.where(better, new, old), params, best)
        return epoch + 1, params, state, best, jnp.minimum(loss, best_loss), jnp.where(better, 0, waited + 1)

    params = init(shape.sizes, lane["keys"], data["features"], lane["sparsity"])
    best = params if shape.held_out else ()
    start = (jnp.int32(0), params, adam.init(params), best, jnp.float32(jnp.inf), jnp.int32(0))
    _, params, _, best, best_loss, _ = jax.lax.while_loop(goes_on, pass_over, start)
    if not shape.held_out:
        return params
    # Without a single finite loss the last weights go back, which show that training diverged.
    return jax.tree.map(lambda b, p: jnp.where(jnp.isfinite(best_loss), b, p), best, params)


def _order(shape: Shape, key: Any, epoch: Any, rows: Any) -> Any:
    """All slots in the order of this epoch: the real rows shuffled, then the padding."""
    slots = jnp.arange(shape.rows, dtype=jnp.uint32)
    words, _ = draw(key, slots * jnp.uint32(0) + epoch.astype(jnp.uint32), slots)
    return jnp.argsort(jnp.where(slots < rows.astype(jnp.uint32), words >> 1, jnp.uint32(0xFFFFFFFF)))


def _factor(shape: Shape, step: Any, steps: Any) -> Any:
    """What the schedule leaves of the learning rate."""
    if shape.schedule == "constant":
        return 1.0
    done = (step + 1.0) / steps
    return jnp.minimum(1.0, done / RISE) * 0.5 * (1.0 + jnp.cos(jnp.pi * done))


def _loss(shape: Shape, out: Any, target: Any, weight: Any, rows: Any) -> Any:
    """Weighted sum of the rows' losses over ``rows``."""
    if shape.classify:
        each = -jnp.sum(target * jax.nn.log_softmax(out), axis=-1)
    else:
        each = 0.5 * jnp.sum(jnp.square(out - target), axis=-1)
    return jnp.sum(weight * each) / rows
