"""Our part and plain JAX's of ``benchmarks.induction_speed``: a process that trains when it is asked to."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

EVERY = 50  # steps of one call of the engine

Problem = dict[str, Any]


def serve(what: str) -> None:
    """Answer until the input ends: the problem first, as JSON, then seconds."""
    problem = json.loads(sys.stdin.readline())
    advance, loss = {"engine": engine, "jax": plain_jax, "product": product}[what](problem)
    import jax

    print(json.dumps({"loss": loss, "library": f"jax {jax.__version__}"}), flush=True)
    for line in sys.stdin:
        steps, started, busy = 0, time.perf_counter(), time.process_time()
        while (wall := time.perf_counter() - started) < float(line) or not steps:
            steps += advance()
        print(json.dumps({"steps": steps, "wall": wall, "cores": time.process_time() - busy}), flush=True)


def engine(problem: Problem) -> tuple[Callable[[], int], float]:
    """This engine through its public path: the compiled program of a shape, advanced by rounds."""
    import jax

    from glassware.engine import devices
    from glassware.engine.choice import program
    from glassware.models import CausalTransformer
    from glassware.tasks import MarkovChain
    from glassware.training import AdamW, Evaluation, Run

    devices()  # before anything else touches JAX
    lanes = problem["lanes"]
    run = Run(
        task=MarkovChain(states=problem["states"], length=problem["length"]),
        model=CausalTransformer(width=problem["width"]),
        optimiser=AdamW(lr=problem["lr"], b2=0.95, weight_decay=0.1),
        batch=problem["batch"],
        steps=EVERY * 2**16,
        evaluation=Evaluation(every=EVERY, test=32, success=0.0, stop=False),
    )
    compiled = program(run.shape(), lanes, "xla", ())
    runs = [run.model_copy(update={"seed": seed}).values() for seed in range(lanes)]
    values = jax.tree.map(lambda *leaves: np.stack(leaves), *runs)
    state, _ = compiled.advance(values, compiled.idle(), np.ones(lanes, bool), 0)

    def advance() -> int:
        nonlocal state
        state, _ = compiled.advance(values, state, np.zeros(lanes, bool), 1)
        jax.block_until_ready(state.t)
        return lanes * EVERY

    advance()
    weights = {name: leaf[0] for name, leaf in first_weights(problem).items()}
    model = CausalTransformer(width=problem["width"])
    return advance, _loss(problem, weights, lambda leaves, x: model.apply(_as_params(leaves), x))


def plain_jax(problem: Problem) -> tuple[Callable[[], int], float]:
    """jit(vmap(scan)) as one writes it down, on one default device with all its cores."""
    import jax
    import jax.numpy as jnp
    import optax

    k, t, batch, lanes = (problem[name] for name in ("states", "length", "batch", "lanes"))
    optimiser = optax.adamw(problem["lr"], b2=0.95, weight_decay=0.1)

    def sequences(key: jax.Array) -> jax.Array:
        first, second = jax.random.split(key)
        ends = jnp.cumsum(jax.random.dirichlet(first, jnp.ones(k), (batch, k)), axis=-1)[..., :-1]

        def move(state: jax.Array, u: jax.Array) -> tuple[jax.Array, jax.Array]:
            law = jnp.take_along_axis(ends, state[:, None, None], axis=1)[:, 0]
            return (state := jnp.sum(u[:, None] >= law, axis=-1)), state

        return jax.lax.scan(move, jnp.zeros(batch, int), jax.random.uniform(second, (t + 1, batch)))[1].T

    def step(carry: Any, key: jax.Array) -> Any:
        weights, state = carry
        tokens = sequences(key)
        objective = lambda w: _cross_entropy(network(w, tokens[:, :-1]), tokens[:, 1:])
        loss, slope = jax.value_and_grad(objective)(weights)
        updates, state = optimiser.update(slope, state, weights)
        return (optax.apply_updates(weights, updates), state), loss

    steps = 4
    train = jax.jit(jax.vmap(lambda carry, key: jax.lax.scan(step, carry, jax.random.split(key, steps))))
    weights = {name: jnp.asarray(leaf) for name, leaf in first_weights(problem).items()}
    carry, keys = (weights, jax.vmap(optimiser.init)(weights)), jax.random.split(jax.random.key(0), lanes)

    def advance() -> int:
        nonlocal carry
        carry, _ = jax.block_until_ready(train(carry, keys))
        return steps * lanes

    advance()
    return advance, _loss(problem, {name: leaf[0] for name, leaf in weights.items()}, network)


def network(weights: dict[str, Any], x: Any) -> Any:
    """Two layers of attention with relative positions: softmax over a square of scores per sequence."""
    import jax
    import jax.numpy as jnp

    z, t, d = weights["tokens"][x], x.shape[-1], weights["tokens"].shape[-1]
    offset = jnp.arange(t)[:, None] - jnp.arange(t)
    for layer in ("first", "second"):
        q, k, v = (z @ weights[f"{layer}.{name}"] for name in "qkv")
        by_offset = q @ weights[f"{layer}.positions"].T
        by_key = jnp.take_along_axis(by_offset, jnp.maximum(offset, 0)[None], axis=2)
        scores = (q @ k.transpose(0, 2, 1) + by_key) / math.sqrt(d)
        z = z + jax.nn.softmax(jnp.where(offset < 0, -jnp.inf, scores), axis=-1) @ v
    return z @ weights["w"]


def _cross_entropy(logits: Any, y: Any) -> Any:
    import jax
    import jax.numpy as jnp

    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[..., None], axis=-1))


def _loss(problem: Problem, weights: dict[str, Any], apply: Callable[[dict[str, Any], Any], Any]) -> float:
    """The loss at the last of some steps on the given sequences."""
    import jax
    import jax.numpy as jnp
    import optax

    tokens = jnp.asarray(problem["tokens"])
    optimiser = optax.adamw(problem["lr"], b2=0.95, weight_decay=0.1)
    objective = jax.jit(jax.value_and_grad(lambda w: _cross_entropy(apply(w, tokens[:, :-1]), tokens[:, 1:])))
    state = optimiser.init(weights)
    for _ in range(problem["checked"]):
        loss, slope = objective(weights)
        updates, state = optimiser.update(slope, state, weights)
        weights = optax.apply_updates(weights, updates)
    return float(loss)


def _as_params(leaves: dict[str, Any]) -> Any:
    """Weights by name as the tuple that our model takes."""
    part = lambda layer: {name: leaves[f"{layer}.{name}"] for name in ("q", "k", "v", "positions")}
    return {"tokens": leaves["tokens"]}, part("first"), part("second"), {"w": leaves["w"]}


def first_weights(problem: Problem) -> dict[str, np.ndarray]:
    """The weights that every peer starts from, by the formula of ``induction_torch``."""
    made = {}
    for which, (name, rows, columns) in enumerate(problem["leaves"]):
        places = np.arange(problem["lanes"] * rows * columns, dtype=np.float64) + 1 + 7919 * which
        spread = 0.2 * (2 * ((places * 0.6180339887498949) % 1) - 1)
        made[name] = spread.astype(np.float32).reshape(problem["lanes"], rows, columns)
    return made


def product(problem: Problem) -> tuple[Callable[[], int], None]:
    """A large float32 matrix product on the whole device; its "steps" are floating-point operations."""
    from glassware.bench import jax_peer

    return jax_peer.product("cpu"), None


if __name__ == "__main__":
    serve(sys.argv[1])
