"""Many networks trained as lanes of one compiled program."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec

from glassware.draws import draw, fold, ranking
from glassware.engine.device import MEMORY_SHARE, devices, memory, mesh, on_cpu
from glassware.tabular.network import Params, apply, init, layer_keys
from glassware.tabular.recipe import Recipe

FEATURE_BLOCK = 8  # columns are padded to a multiple of this, rows to a power of two: fewer programs to compile
LEAST_ROWS, LEAST_HELD_OUT = 256, 64
RISE = 0.05  # share of the steps in which a cosine schedule rises
CPU_LANES = 64  # most lanes a core is given at once
COPIES = 8  # of its parameters that a lane holds: Adam's two averages, gradients, the best so far, their successors
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # Adam's


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

    Lanes are spread over the devices. On a CPU, which has a device a core, those of a core take turns, so a network is
    the same bit for bit whatever it was trained beside; on an accelerator they step together.
    """
    found: list[list[Params]] = [[] for _ in jobs]
    shapes: dict[Shape, list[int]] = {}
    for i, job in enumerate(jobs):
        shapes.setdefault(job.shape(), []).append(i)
    for shape, members in shapes.items():
        lanes = [(i, member) for i in members for member in range(len(jobs[i].keys))]
        for part in _parts(lanes, _lanes_at_once(shape, len(lanes))):
            for (i, _), params in zip(part, _train_lanes(shape, jobs, part), strict=True):
                found[i].append(params)
    return found


def _parts(lanes: list[Any], size: int) -> list[list[Any]]:
    return [lanes[start : start + size] for start in range(0, len(lanes), size)]


def _lanes_at_once(shape: Shape, lanes: int) -> int:
    """How many lanes a program has: a power of two a device, so that programs are shared, as far as memory goes."""
    parameters = sum((inputs + 1) * outputs for inputs, outputs in pairwise(shape.sizes))
    activations = 4 * max(shape.batch, shape.held_out) * sum(shape.sizes)
    fit = max(1, int(MEMORY_SHARE * memory()) // (4 * (COPIES * parameters + activations)))
    most = min(fit, CPU_LANES) if on_cpu() else fit
    wanted = -(-lanes // len(devices()))
    return len(devices()) * min(1 << (wanted - 1).bit_length(), 1 << (most.bit_length() - 1))


def _train_lanes(shape: Shape, jobs: list[Job], lanes: list[tuple[int, int]]) -> list[Params]:
    """The networks of these lanes (job, member), by one call of the program."""
    tables: dict[str, int] = {}
    stacked: list[dict[str, np.ndarray]] = []
    places: dict[int, int] = {}
    for i in dict.fromkeys(i for i, _ in lanes):
        data = _padded(shape, jobs[i])
        # Seeds and settings share the rows of their fold: kept once.
        digest = hashlib.blake2b(b"".join(a.tobytes() for a in data.values())).hexdigest()
        if digest not in tables:
            tables[digest] = len(stacked)
            stacked.append(data)
        places[i] = tables[digest]
    filled = [_lane(shape, jobs[i], places[i], member) for i, member in lanes]
    filled += [{**filled[0], "epochs": np.int32(0)}] * (_lanes_at_once(shape, len(lanes)) - len(filled))  # idle
    stacked += [stacked[0]] * ((1 << (len(stacked) - 1).bit_length()) - len(stacked))
    together = {name: np.stack([lane[name] for lane in filled]) for name in filled[0]}
    data = {name: np.stack([table[name] for table in stacked]) for name in stacked[0]}
    params = jax.tree.map(np.asarray, _program(shape)(data, together))
    found = []
    for lane, (i, _) in enumerate(lanes):
        first, *rest = jax.tree.map(lambda a, lane=lane: a[lane].copy(), params)
        found.append(({"w": first["w"][: jobs[i].table.x.shape[1]].copy(), "b": first["b"]}, *rest))
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


@cache
def _program(shape: Shape) -> Any:
    """Compiled: tables, shared by all, and lanes, spread over the devices, to parameters."""

    def body(data: Any, lanes: Any) -> Params:
        one = lambda lane: _fit(shape, jax.tree.map(lambda a: a[lane["table"]], data), lane)
        return jax.lax.map(one, lanes) if on_cpu() else jax.vmap(one)(lanes)

    spread, shared = PartitionSpec("lanes"), PartitionSpec()
    return jax.jit(jax.shard_map(body, mesh=mesh(), in_specs=(shared, spread), out_specs=spread, check_vma=False))


def _fit(shape: Shape, data: Any, lane: Any) -> Params:
    """One network from its first weights to its last; with held-out rows, to its best."""
    steps = -(-lane["rows"] // shape.batch)
    gradient = jax.grad(lambda params, *batch: _loss(shape, apply(params, batch[0]), *batch[1:]))

    def step(i: Any, carry: Any) -> Any:
        epoch, order, params, first, second = carry
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
        done = epoch * steps + i
        rate = lane["lr"] * _factor(shape, done, lane["epochs"] * steps)
        return epoch, order, *_adam(shape, params, grads, first, second, done + 1.0, rate, lane["decay"])

    def goes_on(carry: Any) -> Any:
        epoch, *_, waited = carry
        return (epoch < lane["epochs"]) & (waited < lane["patience"])

    def pass_over(carry: Any) -> Any:
        epoch, *state, best, best_loss, waited = carry
        order = lane["learnt"][_order(shape, lane["order"], epoch, lane["rows"])]
        _, _, *state = jax.lax.fori_loop(0, steps, step, (epoch, order, *state))
        if not shape.held_out:
            return epoch + 1, *state, best, best_loss, waited
        params = state[0]
        out = apply(params, data["x"][lane["held"]])
        weight = jnp.where(jnp.arange(shape.held_out) < lane["held_rows"], data["weight"][lane["held"]], 0.0)
        loss = _loss(shape, out, data["target"][lane["held"]], weight, lane["held_rows"])
        better = loss < best_loss
        best = jax.tree.map(lambda new, old: jnp.where(better, new, old), params, best)
        return epoch + 1, *state, best, jnp.minimum(loss, best_loss), jnp.where(better, 0, waited + 1)

    params = init(shape.sizes, lane["keys"], data["features"], lane["sparsity"])
    best = params if shape.held_out else ()
    zero = jax.tree.map(jnp.zeros_like, params)
    start = (jnp.int32(0), params, zero, zero, best, jnp.float32(jnp.inf), jnp.int32(0))
    _, params, _, _, best, best_loss, _ = jax.lax.while_loop(goes_on, pass_over, start)
    if not shape.held_out:
        return params
    # Without a single finite loss the last weights go back, which show that training diverged.
    return jax.tree.map(lambda b, p: jnp.where(jnp.isfinite(best_loss), b, p), best, params)


def _order(shape: Shape, key: Any, epoch: Any, rows: Any) -> Any:
    """All slots in the order of this epoch: the real rows shuffled, then the padding."""
    slots = jnp.arange(shape.rows, dtype=jnp.uint32)
    words, _ = draw(key, slots * jnp.uint32(0) + epoch.astype(jnp.uint32), slots)
    words = jnp.where(slots < rows.astype(jnp.uint32), words >> 1, jnp.uint32(0xFFFFFFFF))
    # Sorting words that carry their slot is five times as fast as an argsort.
    return jnp.sort(ranking(words, slots, shape.rows)) & jnp.uint32((1 << (shape.rows - 1).bit_length()) - 1)


def _adam(
    shape: Shape, params: Params, grads: Params, first: Params, second: Params, step: Any, rate: Any, decay: Any
) -> tuple[Params, Params, Params]:
    """One step of Adam: parameters and the averages of the gradient and its square."""
    rise, spread = rate / (1.0 - BETA1**step), 1.0 / (1.0 - BETA2**step)
    first = jax.tree.map(lambda m, g: BETA1 * m + (1.0 - BETA1) * g, first, grads)
    second = jax.tree.map(lambda v, g: BETA2 * v + (1.0 - BETA2) * jnp.square(g), second, grads)

    def moved(p: Any, m: Any, v: Any) -> Any:
        # Epsilon inside the root: a reciprocal root is far cheaper than a root and a division.
        new = p - rise * m * jax.lax.rsqrt(spread * v + EPSILON**2)
        return new - rate * decay * p if shape.decoupled and p.ndim == 2 else new

    return jax.tree.map(moved, params, first, second), first, second


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
