"""A step of the juntas' Transformer with dropout on embeddings: the kernel for GPUs beside tokens written out.

    python -m benchmarks.juntas_attention                          on a GPU, about three minutes
    python -m benchmarks.juntas_attention --sizes 40,8,2           T, m, lanes; without a GPU kernels are interpreted

Per size a line for tokens written out and one for the kernel as the engine has it, then the kernel tuned otherwise:
nanoseconds per example and token of outputs and gradient, and of outputs alone; seconds of compilation; megabytes of
temporaries; and how far outputs and gradients are from those of tokens written out (largest difference over largest
number, of each leaf; the three worst are named). What fails is told and left out; past --limit seconds the rest is.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from glassware.engine.attention import dropped
from glassware.engine.attention.dropped_programs import Tuning
from glassware.engine.device import devices, full_float32, on_cpu
from glassware.foundation.draws import seed_words
from glassware.models import ClsTransformer, Init, dropped_attention
from glassware.models.dropout import Dropout
from glassware.tasks import Junta

SIZES = [(550, 128, 64), (1600, 128, 32), (6400, 128, 8), (100, 100, 256)]
LIKELY, SPREAD, SECONDS = 0.7937, 0.1, 0.3  # of a one; around first weights; clocked per variant

# Tile, examples, then warps and stages of the forward and the backward pass.
Tuned = tuple[int, int, int, int, int, int]
VARIANTS: list[Tuned] = [
    (32, 32, 2, 1, 2, 1),
    (32, 32, 4, 1, 4, 1),
    (64, 32, 4, 2, 4, 2),
    (64, 16, 8, 1, 8, 1),
]


def kernel(tuned: Tuned | None) -> dropped_attention.Attend:
    """As the engine has it, or tuned otherwise."""
    if tuned is None:
        return dropped.kernel(interpret=on_cpu())
    tile, examples, *rest = tuned
    passes = [Tuning(tile, examples, *rest[i : i + 2]) for i in (0, 2)]
    return dropped.kernel(*passes, interpret=on_cpu())


def always(chosen: dropped_attention.Attend | None, width: int, heads: int) -> dropped_attention.Attend | None:
    """This one, whatever the sizes."""
    return chosen


def problem(model: ClsTransformer, length: int, m: int, lanes: int) -> tuple[Any, ...]:
    """Weights, bits, slopes of the outputs and keys of several networks, on the device."""
    rng = np.random.default_rng(0)
    params = model.init(Init().values(seed_words(0), model.width, model.layers), Junta(length=length))
    spread = lambda leaf: np.float32(leaf + SPREAD * rng.standard_normal((lanes, *leaf.shape)))
    x = np.float32(rng.random((lanes, m, length)) < LIKELY)
    seen = np.float32(rng.standard_normal((lanes, m, 2)) / m)
    return jax.device_put((jax.tree.map(spread, params), x, seen, np.array([seed_words(i) for i in range(lanes)])))


def step(model: ClsTransformer, m: int, slopes: bool = True) -> Callable[..., Any]:
    """Outputs of the networks, and the slopes of all their weights if wanted."""

    def one(params: Any, x: jax.Array, seen: jax.Array, key: jax.Array) -> Any:
        dropout = Dropout(key, 3, jnp.arange(m, dtype=jnp.uint32))
        if not slopes:
            return model.apply_training(params, x, dropout)
        found, back = jax.vjp(lambda params: model.apply_training(params, x, dropout), params)
        return found, back(seen)[0]

    return full_float32(jax.vmap(one))


def clock(traced: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, float, float, float]:
    """What it gives; seconds per call, seconds of compilation, megabytes of temporaries."""
    began = time.perf_counter()
    compiled = jax.jit(traced).lower(*given).compile()
    compiling, memory = time.perf_counter() - began, compiled.memory_analysis()
    found = jax.block_until_ready(compiled(*given))
    began, calls = time.perf_counter(), 0
    while (passed := time.perf_counter() - began) < SECONDS:
        jax.block_until_ready(compiled(*given))
        calls += 1
    return jax.tree.map(np.asarray, found), passed / calls, compiling, memory.temp_size_in_bytes / 1e6 if memory else 0


def differences(found: Any, expected: Any) -> str:
    """The worst of all leaves, by name."""
    named, _ = jax.tree_util.tree_flatten_with_path(found)
    leaves = jax.tree.leaves(expected)
    apart = lambda a, b: float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30))
    far = [(apart(a, b), jax.tree_util.keystr(path)) for (path, a), b in zip(named, leaves, strict=True)]
    middle = float(np.median([value for value, _ in far]))
    return f"median {middle:.1e}; " + ", ".join(f"{name} {value:.1e}" for value, name in sorted(far, reverse=True)[:3])


def measure(size: Sequence[int], variants: list[Tuned | None], given: tuple[Any, ...], expected: Any) -> Any:
    """A line per variant; what tokens written out give, for the next call."""
    (length, m, lanes), model = size, ClsTransformer(embedding_dropout=0.1)
    for tuned in [None, *variants] if expected is None else variants:
        written_out = expected is None
        name = "written out" if written_out else str(tuned or "engine")
        try:
            chosen = None if written_out else kernel(tuned)
            dropped_attention.provide(partial(always, chosen))
            found, seconds, compiling, memory = clock(step(model, m), given)
            _, forward, _, _ = clock(step(model, m, slopes=False), given)
        except Exception as error:  # the other variants are still to be seen
            print(f"{size} {name}: {type(error).__name__}: {str(error)[:400]}", flush=True)
            if written_out:
                return None
            continue
        each, ahead = (1e9 * passed / (lanes * m * (length + 1)) for passed in (seconds, forward))
        told = "" if written_out else differences(found, expected)
        spent = f"compiled in {compiling:.1f} s, {memory:.0f} MB"
        line = f"{each:7.3f} ns ({ahead:.3f} of outputs alone) {1e3 * seconds:8.2f} ms, {spent}  {told}"
        print(f"{size!s:<16} {name:<36} {line}", flush=True)
        expected = found if written_out else expected
    return expected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="*", help="T,m,lanes of each")
    parser.add_argument("--limit", type=float, default=180.0, help="seconds after which nothing new begins")
    options = parser.parse_args()
    sizes = [tuple(map(int, size.split(","))) for size in options.sizes] if options.sizes else SIZES
    began = time.perf_counter()
    print(devices()[0].device_kind, "JAX", jax.__version__, dropped.FORWARD, dropped.BACKWARD, flush=True)
    for i, size in enumerate(sizes):
        given = problem(ClsTransformer(), *size)
        expected = measure(size, [None], given, None)
        for variant in VARIANTS:
            if expected is not None and time.perf_counter() - began < options.limit * (i + 2) / (len(sizes) + 1):
                measure(size, [variant], given, expected)
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
