"""The paper's networks on a device: lanes of one program, from first weights to test errors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from glassware.draws import draw, fold, seed_words
from glassware.tabular.network import apply, init, layer_keys
from glassware.tabular.recipe import PRESETS

PAPER = PRESETS["paper"]
CLASSES = 2
# Columns are padded to a multiple, rows to a power of two. On an accelerator padded rows cost next to nothing and a
# program takes seconds to compile: there one size of each serves nearly all tables.
CPU_COLUMNS, CPU_SLOTS = 8, 32
DEVICE_COLUMNS, DEVICE_SLOTS = 32, 16_384

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Config:
    """One network of the paper's grid.

    Attributes:
        depth: hidden layers.
        width: neurons of each.
        sparsity: incoming weights a first-layer neuron starts with; 0: all, drawn.
        weight_decay: lambda.
        optimiser: ``adam``, or the ``sgd`` that the paper's text names (A9).
    """

    depth: int
    width: int
    sparsity: int = 0
    weight_decay: float = 0.0
    optimiser: Literal["adam", "sgd"] = "adam"

    @property
    def init(self) -> str:
        """The first layer's init as tables and figures name it."""
        return f"s={self.sparsity}" if self.sparsity else "dense"

    @property
    def label(self) -> str:
        """For keys."""
        more = f" decay {self.weight_decay:g}" if self.weight_decay else ""
        return f"{self.depth} x {self.width} {self.init}{more}" + (" sgd" if self.optimiser == "sgd" else "")


class Shape(NamedTuple):
    """What is compiled in."""

    sizes: tuple[int, ...]
    batch: int
    slots: int
    test_slots: int


def train_errors(data: Arrays, seeds: Sequence[int], configs: Sequence[Config]) -> np.ndarray:
    """Test errors, (configurations, tables); NaN where training diverged.

    Args:
        data: scaled tables of one size: ``x`` (tables, rows, columns), ``y`` (classes 0 and 1), ``x_test``, ``y_test``.
        seeds: of weights and row order, one a table.
        configs: all of the same depth and width.
    """
    shape = shape_of(data, configs[0])
    if any(shape_of(data, config) != shape for config in configs):
        raise ValueError("configurations of one call share depth and width")
    lanes = [_lane(shape, config, table, seed) for config in configs for table, seed in enumerate(seeds)]
    together = {name: np.stack([lane[name] for lane in lanes]) for name in lanes[0]}
    found = compiled(shape, len(seeds), len(lanes))(_padded(shape, data), together)
    return np.asarray(found).reshape(len(configs), len(seeds))


def shape_of(data: Arrays, config: Config) -> Shape:
    """What these tables and this network compile to, on the device there is."""
    _, rows, columns = data["x"].shape
    on_cpu = jax.default_backend() == "cpu"
    block = CPU_COLUMNS if on_cpu else DEVICE_COLUMNS
    slots, test_slots = (_slots(data[name].shape[1], on_cpu) for name in ("x", "x_test"))
    batch = min(PAPER.rows_a_step(rows), slots)
    sizes = (-(-columns // block) * block, *[config.width] * config.depth, CLASSES)
    return Shape(sizes, batch, -(-slots // batch) * batch, test_slots)


def _slots(count: int, on_cpu: bool) -> int:
    least = CPU_SLOTS if on_cpu else DEVICE_SLOTS
    return max(least, 1 << (count - 1).bit_length())


def _padded(shape: Shape, data: Arrays) -> Arrays:
    _, rows, columns = data["x"].shape
    tests = data["x_test"].shape[1]
    more, more_tests, inputs = shape.slots - rows, shape.test_slots - tests, shape.sizes[0] - columns
    return {
        "x": np.pad(data["x"], ((0, 0), (0, more), (0, inputs))),
        "y": np.pad(data["y"], ((0, 0), (0, more))),
        "x_test": np.pad(data["x_test"], ((0, 0), (0, more_tests), (0, inputs))),
        "y_test": np.pad(data["y_test"], ((0, 0), (0, more_tests))),
        "rows": np.array(rows, np.int32),
        "tests": np.array(tests, np.int32),
        "columns": np.array(columns, np.int32),
        "epochs": np.array(PAPER.epochs, np.int32),
        "lr": np.array(PAPER.learning_rate, np.float32),
    }


def _lane(shape: Shape, config: Config, table: int, seed: int) -> Arrays:
    # The keys that the estimator draws for random_state=seed.
    key = fold(seed_words(int(np.random.RandomState(seed).randint(2**31))), 0)
    return {
        "table": np.array(table, np.int32),
        "keys": layer_keys(fold(key, 0), len(shape.sizes) - 1),
        "order": fold(key, 1),
        "sparsity": np.array(config.sparsity, np.int32),
        "decay": np.array(config.weight_decay, np.float32),
        "adam": np.array(config.optimiser == "adam"),
    }


def _program(shape: Shape, data: dict[str, Any], lanes: dict[str, Any]) -> Any:
    one = lambda lane: _fit(shape, data, lane)
    return jax.lax.map(one, lanes) if jax.default_backend() == "cpu" else jax.vmap(one)(lanes)


def _fit(shape: Shape, data: dict[str, Any], lane: dict[str, Any]) -> Any:
    """Train one network and count its errors on the test rows.

    Loops end after a number of steps that all lanes share, so that side by side no lane waits masked for another.
    """
    rows, table = data["rows"], lane["table"]
    steps = -(-rows // shape.batch)
    adam = optax.scale_by_adam()

    def loss(params: Any, x: Any, y: Any, weight: Any) -> Any:
        each = optax.softmax_cross_entropy_with_integer_labels(apply(params, x), y)
        return jnp.sum(weight * each) / jnp.sum(weight)

    def step(i: Any, carry: Any) -> Any:
        order, params, state = carry
        slots = jax.lax.dynamic_slice(order, (i * shape.batch,), (shape.batch,))
        real = (jnp.arange(shape.batch) < rows - i * shape.batch).astype(jnp.float32)
        grads = jax.grad(loss)(params, data["x"][table, slots], data["y"][table, slots], real)
        grads = jax.tree.map(lambda g, p: g + lane["decay"] * p, grads, params)
        updates, state = adam.update(grads, state)
        move = lambda p, u, g: p - data["lr"] * jnp.where(lane["adam"], u, g)
        return order, jax.tree.map(move, params, updates, grads), state

    def pass_over(epoch: Any, carry: Any) -> Any:
        slots = jnp.arange(shape.slots, dtype=jnp.uint32)
        words, _ = draw(lane["order"], slots * jnp.uint32(0) + epoch.astype(jnp.uint32), slots)
        order = jnp.argsort(jnp.where(slots < rows.astype(jnp.uint32), words >> 1, jnp.uint32(0xFFFFFFFF)))
        return jax.lax.fori_loop(0, steps, step, (order, *carry))[1:]

    params = init(shape.sizes, lane["keys"], data["columns"], lane["sparsity"])
    params, _ = jax.lax.fori_loop(0, data["epochs"], pass_over, (params, adam.init(params)))
    out = apply(params, data["x_test"][table])
    real = jnp.arange(shape.test_slots) < data["tests"]
    wrong = jnp.sum(real & (jnp.argmax(out, axis=-1) != data["y_test"][table])) / data["tests"]
    finite = jnp.all(jnp.isfinite(jnp.where(real[:, None], out, 0.0)))
    return jnp.where(finite, wrong, jnp.nan)


class Once:
    """Values made once, by whichever thread asks first, while others that ask for the same wait."""

    def __init__(self) -> None:
        self.lock, self.found = threading.Lock(), dict[Hashable, Future[Any]]()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        with self.lock:
            mine = key not in self.found
            future = self.found.setdefault(key, Future())
        if mine:
            try:
                future.set_result(make())
            except BaseException as error:
                future.set_exception(error)
                raise
        return future.result()


_compiled = Once()


def compiled(shape: Shape, tables: int, lanes: int) -> Any:
    """The program of a shape; may be asked for early, in another thread."""
    return _compiled.get((shape, tables, lanes), lambda: _compile(shape, tables, lanes))


def _compile(shape: Shape, tables: int, lanes: int) -> Any:
    empty = {
        "x": np.zeros((tables, 1, shape.sizes[0]), np.float32),
        "y": np.zeros((tables, 1), np.int32),
        "x_test": np.zeros((tables, 1, shape.sizes[0]), np.float32),
        "y_test": np.zeros((tables, 1), np.int32),
    }
    data = _padded(shape, empty)
    lane = _lane(shape, Config(1, 1), 0, 0)
    together = {name: np.stack([value] * lanes) for name, value in lane.items()}
    return jax.jit(_program, static_argnums=0).lower(shape, data, together).compile()
