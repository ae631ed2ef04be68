"""Plain JAX: jit(vmap(scan)) over a stored sample, one default device with all cores. And the machine's ceiling."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.cell import BATCH, DECAY, RATE, SAMPLE, Cell, Setting

Params: TypeAlias = tuple[Any, ...]

SIDE = 2048  # of the square matrices whose product is the ceiling
CALL_FLOPS = 1e9  # work of one call: long enough to hide the dispatch, short enough to clock


@cache
def vmapped(cell: Cell, setting: Setting) -> Callable[[], int]:
    """``lanes`` models, each with its own minibatches of a sample they share."""
    lanes, draw = setting.lanes, np.random.default_rng(0)
    steps = max(8, min(2000, int(CALL_FLOPS / (lanes * cell.flops))))
    train = jax.jit(jax.vmap(_train, in_axes=(0, 0, None, None)), donate_argnums=0)
    inputs = draw.choice(np.array([-1.0, 1.0], np.float32), (SAMPLE, cell.n))
    sample = jnp.asarray(inputs), jnp.asarray(inputs[:, :3].prod(axis=1))
    params = _init(cell, lanes, draw)

    def advance() -> int:
        nonlocal params
        # One array of indices a call: cheaper than a key a step, and Threefry is slow to compile on a CPU.
        index = draw.integers(SAMPLE, size=(lanes, steps, BATCH), dtype=np.int32)
        params, _ = jax.block_until_ready(train(params, index, *sample))
        return steps * lanes

    advance()
    return advance


@cache
def product(side: int = SIDE) -> Callable[[], int]:
    """A large float32 matrix product on all cores; its "steps" are floating-point operations."""
    a = jnp.asarray(np.random.default_rng(0).normal(size=(side, side)).astype(np.float32))
    multiply = jax.jit(jnp.matmul)

    def advance() -> int:
        multiply(a, a).block_until_ready()
        return 2 * side**3

    advance()
    return advance


def _init(cell: Cell, lanes: int, draw: np.random.Generator) -> Params:
    """Every lane its own weights, uniform on +-1/sqrt(fan_in)."""
    shapes = ((cell.n, cell.r), cell.n), ((cell.r,), cell.n), ((cell.r,), cell.r), ((), cell.r)
    return tuple(
        jnp.asarray(draw.uniform(-1, 1, (lanes, *shape)) * fan_in**-0.5, jnp.float32) for shape, fan_in in shapes
    )


def _loss(params: Params, x: Any, y: Any) -> Any:
    w, b, v, beta = params
    output = jax.nn.relu(x @ w + b) @ v + beta
    return jnp.mean(jax.nn.relu(1.0 - y * output))


def _train(params: Params, indices: Any, inputs: Any, labels: Any) -> tuple[Params, Any]:
    def step(params: Params, index: Any) -> tuple[Params, Any]:
        loss, gradient = jax.value_and_grad(_loss)(params, inputs[index], labels[index])
        return jax.tree.map(lambda p, g: p - RATE * (g + DECAY * p), params, gradient), loss

    return jax.lax.scan(step, params, indices)
