"""The paper's networks on a device: lanes of one program, from first weights to test errors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
import optax

from glassware.foundation.arrays import Array, Bool, Float32, Params, Shaped
from glassware.foundation.draws import fold, seed_words
from glassware.tabular.jobs import Shape
from glassware.tabular.loop import ADAM, fit
from glassware.tabular.network import apply, layer_keys
from glassware.tabular.recipe import PRESETS

PAPER = PRESETS["paper"]
CLASSES = 2
# Columns are padded to a multiple, rows to a power of two. On an accelerator padded rows are nearly free and a program
# takes seconds to compile, so one size of each serves nearly all tables there.
CPU_COLUMNS, CPU_SLOTS = 8, 32
DEVICE_COLUMNS, DEVICE_SLOTS = 32, 16_384

Arrays: TypeAlias = dict[str, np.ndarray]
Traced: TypeAlias = dict[str, Shaped[Array, "..."]]  # the same inside a compiled program


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


class Program(NamedTuple):
    """What is compiled in: the networks' shape, and the slots for test rows."""

    shape: Shape
    test_slots: int


def train_errors(data: Arrays, seeds: Sequence[int], configs: Sequence[Config]) -> np.ndarray:
    """Test errors, (configurations, tables); NaN where training diverged.

    Args:
        data: scaled tables of one size: ``x`` (tables, rows, columns), ``y`` (classes 0 and 1), ``x_test``, ``y_test``.
        seeds: of weights and row order, one per table.
        configs: all of the same depth and width.
    """
    program = program_of(data, configs[0])
    if any(program_of(data, config) != program for config in configs):
        raise ValueError("configurations of one call share depth and width")
    lanes = [_lane(program, config, table, seed) for config in configs for table, seed in enumerate(seeds)]
    together = {name: np.stack([lane[name] for lane in lanes]) for name in lanes[0]}
    found = compiled(program, len(seeds), len(lanes))(_padded(program, data), _shared(data), together)
    return np.asarray(found).reshape(len(configs), len(seeds))


def program_of(data: Arrays, config: Config) -> Program:
    """What these tables and this network compile to on the current device."""
    _, rows, columns = data["x"].shape
    on_cpu = jax.default_backend() == "cpu"
    block = CPU_COLUMNS if on_cpu else DEVICE_COLUMNS
    slots, test_slots = (_slots(data[name].shape[1], on_cpu) for name in ("x", "x_test"))
    batch = min(PAPER.batch_size_for(rows), slots)
    shape = Shape(
        sizes=(-(-columns // block) * block, *[config.width] * config.depth, CLASSES),
        spread=False,
        slots=0,
        rows=-(-slots // batch) * batch,
        held_out=0,
        batch=batch,
        classify=True,
        schedule=PAPER.schedule,
        decoupled=PAPER.decoupled,
        precision=PAPER.precision,
    )
    return Program(shape, test_slots)


def _slots(count: int, on_cpu: bool) -> int:
    least = CPU_SLOTS if on_cpu else DEVICE_SLOTS
    return max(least, 1 << (count - 1).bit_length())


def _padded(program: Program, data: Arrays) -> Arrays:
    """Tables with the sizes of the program."""
    tables, rows, columns = data["x"].shape
    shape, tests = program.shape, data["x_test"].shape[1]
    more, more_tests, inputs = shape.rows - rows, program.test_slots - tests, shape.sizes[0] - columns
    return {
        "features": np.full(tables, columns, np.int32),
        "x": np.pad(data["x"], ((0, 0), (0, more), (0, inputs))),
        "target": np.pad(np.eye(CLASSES, dtype=np.float32)[data["y"]], ((0, 0), (0, more), (0, 0))),
        "x_test": np.pad(data["x_test"], ((0, 0), (0, more_tests), (0, inputs))),
        "y_test": np.pad(data["y_test"], ((0, 0), (0, more_tests))),
        "tests": np.array(tests, np.int32),
    }


def _shared(data: Arrays) -> Arrays:
    """What all lanes share. Loops have the same number of steps in each, so that none waits for another."""
    epochs = np.array(PAPER.epochs, np.int32)
    rows = np.array(data["x"].shape[1], np.int32)
    return {"rows": rows, "epochs": epochs, "ends": epochs[None], "lr": np.array(PAPER.learning_rate, np.float32)}


def _lane(program: Program, config: Config, table: int, seed: int) -> Arrays:
    # The keys that the estimator draws for random_state=seed.
    key = fold(seed_words(int(np.random.RandomState(seed).randint(2**31))), 0)
    return {
        "table": np.array(table, np.int32),
        "keys": layer_keys(fold(key, 0), len(program.shape.sizes) - 1),
        "order": fold(key, 1),
        "sparsity": np.array(config.sparsity, np.int32),
        "decay": np.array(config.weight_decay, np.float32),
        "adam": np.array(config.optimiser == "adam"),
    }


def _train(program: Program, data: Traced, shared: Traced, lanes: Traced) -> Float32[Array, " lanes"]:
    one = lambda lane: _test_error(program, data, lane | shared)
    return jax.lax.map(one, lanes) if jax.default_backend() == "cpu" else jax.vmap(one)(lanes)


def _test_error(program: Program, data: Traced, lane: Traced) -> Float32[Array, ""]:
    """Train one network and count its errors on the test rows."""
    kept, _ = fit(program.shape, data, lane, _adam_or_sgd(lane["adam"]))
    out = apply(jax.tree.map(lambda a: a[-1], kept), data["x_test"][lane["table"]])
    real = jnp.arange(program.test_slots) < data["tests"]
    wrong = jnp.sum(real & (jnp.argmax(out, axis=-1) != data["y_test"][lane["table"]])) / data["tests"]
    finite = jnp.all(jnp.isfinite(jnp.where(real[:, None], out, 0.0)))
    return jnp.where(finite, wrong, jnp.nan)


def _adam_or_sgd(adam: Bool[Array, ""]) -> optax.GradientTransformation:
    """Chosen lane by lane, so that both are trained by one program."""

    def update(grads: Params, state: optax.OptState, params: Params | None = None) -> tuple[Params, optax.OptState]:
        steps, state = ADAM.update(grads, state, params)
        return jax.tree.map(lambda step, grad: jnp.where(adam, step, grad), steps, grads), state

    return optax.GradientTransformation(ADAM.init, update)


Value = TypeVar("Value")


class Once(Generic[Value]):
    """Values computed once, by the first thread that asks; others asking for the same value wait."""

    def __init__(self) -> None:
        self.lock, self.found = threading.Lock(), dict[Hashable, Future[Value]]()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
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


_compiled = Once[jax.stages.Compiled]()


def compiled(program: Program, tables: int, lanes: int) -> jax.stages.Compiled:
    """The compiled program; another thread may call this early."""
    return _compiled.get((program, tables, lanes), lambda: _compile(program, tables, lanes))


def _compile(program: Program, tables: int, lanes: int) -> jax.stages.Compiled:
    empty = {
        "x": np.zeros((tables, 1, program.shape.sizes[0]), np.float32),
        "y": np.zeros((tables, 1), np.int32),
        "x_test": np.zeros((tables, 1, program.shape.sizes[0]), np.float32),
        "y_test": np.zeros((tables, 1), np.int32),
    }
    lane = _lane(program, Config(1, 1), 0, 0)
    together = {name: np.stack([value] * lanes) for name, value in lane.items()}
    arguments = _padded(program, empty), _shared(empty), together
    return jax.jit(_train, static_argnums=0).lower(program, *arguments).compile()
