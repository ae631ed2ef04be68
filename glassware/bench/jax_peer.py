"""Plain JAX: jit(vmap(scan)) over a stored sample, one default device with all cores. And what the machine can do."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from glassware.bench.cell import BATCH, DECAY, RATE, SAMPLE, Cell, Device, Setting
from glassware.engine.device import cores
from glassware.foundation.arrays import Array, Float32, Integer

Params: TypeAlias = tuple[Float32[Array, "..."], ...]

SIDE = {"cpu": 2048, "gpu": 8192}  # of the square matrices whose product is the ceiling
COPIED = {"cpu": 2**26, "gpu": 2**28}  # numbers that are copied for the bandwidth: far more than a cache holds
CALL_FLOPS = {"cpu": 1e9, "gpu": 1e12}  # work of one call: long enough to hide the dispatch, short enough to clock
CALL_INDICES = 2**26  # of minibatches in one call, at most


@cache
def vmapped(cell: Cell, setting: Setting) -> Callable[[], int]:
    """``lanes`` models, each with its own minibatches of a sample they share."""
    lanes, draw = setting.lanes, np.random.default_rng(0)
    work, indices = CALL_FLOPS[setting.device] / cell.flops, CALL_INDICES / BATCH
    steps = max(8, min(2000, int(min(work, indices) / lanes)))
    train = jax.jit(jax.vmap(_train, in_axes=(0, 0, None, None)), donate_argnums=0)
    inputs = draw.choice(np.array([-1.0, 1.0], np.float32), (SAMPLE, cell.n))
    sample = jnp.asarray(inputs), jnp.asarray(inputs[:, :3].prod(axis=1))
    params = _init(cell, lanes, draw)

    # One array of indices, used again by every call: its drawing costs the peer nothing.
    index = jnp.asarray(draw.integers(SAMPLE, size=(lanes, steps, BATCH), dtype=np.int32))

    def advance() -> int:
        nonlocal params
        params, _ = jax.block_until_ready(train(params, index, *sample))
        return steps * lanes

    advance()
    return advance


@cache
def product(device: Device) -> Callable[[], int]:
    """A large float32 matrix product on the whole device; its "steps" are floating-point operations."""
    side = SIDE[device]
    a = jnp.asarray(np.random.default_rng(0).standard_normal((side, side), np.float32))
    multiply = jax.jit(jnp.matmul)

    def advance() -> int:
        multiply(a, a).block_until_ready()
        return 2 * side**3

    advance()
    return advance


@cache
def copy(device: Device) -> Callable[[], int]:
    """A large copy on the whole device; its "steps" are bytes, read and written."""
    size = COPIED[device]
    if device == "gpu":
        a = jnp.zeros(size, jnp.float32)
        more = jax.jit(lambda a: a + 1.0, donate_argnums=0)

        def advance() -> int:
            nonlocal a
            a = more(a).block_until_ready()
            return 8 * size

    else:
        source, target = np.zeros(size, np.float32), np.empty(size, np.float32)
        parts = list(zip(np.array_split(target, cores()), np.array_split(source, cores()), strict=True))
        pool = ThreadPoolExecutor(cores())

        def advance() -> int:
            list(pool.map(lambda part: np.copyto(*part), parts))
            return 8 * size

    advance()
    return advance


def _init(cell: Cell, lanes: int, draw: np.random.Generator) -> Params:
    """Every lane its own weights, uniform on +-1/sqrt(fan_in)."""
    shapes = ((cell.n, cell.r), cell.n), ((cell.r,), cell.n), ((cell.r,), cell.r), ((), cell.r)
    return tuple(
        jnp.asarray(draw.uniform(-1, 1, (lanes, *shape)) * fan_in**-0.5, jnp.float32) for shape, fan_in in shapes
    )


def _loss(params: Params, x: Float32[Array, "batch n"], y: Float32[Array, " batch"]) -> Float32[Array, ""]:
    w, b, v, beta = params
    output = jax.nn.relu(x @ w + b) @ v + beta
    return jnp.mean(jax.nn.relu(1.0 - y * output))


def _train(
    params: Params,
    indices: Integer[Array, "steps batch"],
    inputs: Float32[Array, "sample n"],
    labels: Float32[Array, " sample"],
) -> tuple[Params, Float32[Array, " steps"]]:
    def step(params: Params, index: Integer[Array, " batch"]) -> tuple[Params, Float32[Array, ""]]:
        loss, gradient = jax.value_and_grad(_loss)(params, inputs[index], labels[index])
        return jax.tree.map(lambda p, g: p - RATE * (g + DECAY * p), params, gradient), loss

    return jax.lax.scan(step, params, indices)
