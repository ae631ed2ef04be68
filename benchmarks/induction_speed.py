"""Training of causal transformers on Markov chains: this engine beside PyTorch and plain JAX, taking turns in one run.

    python -m benchmarks.induction_speed                                two states, 16 seeds, the CPU cores
    python -m benchmarks.induction_speed --states 3 --torch-python .venv-torch/bin/python
    python -m benchmarks.induction_speed --device gpu --seeds 256 --torch-python .venv-torch/bin/python

Every peer does full steps in float32: fresh sequences, two layers of attention, cross-entropy at every position,
gradient, AdamW. Each is a process of its own and first takes some steps on given sequences from given weights, after
which all must have the same loss. PyTorch peers run under --torch-python and are left out where that has no PyTorch.
Printed is a Markdown table, with the work of a step and what a large matrix product reaches in the same run. The
engine works with few features instead of d dimensions: its operations are counted as it does them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from benchmarks import race, race_peer
from benchmarks.race_peer import Advance, Problem, leaf

RATE, CHECKED = 1e-4, 10
EXP = {"cpu": 24, "gpu": 1}  # operations of an exponential: of our kernel's, and one instruction
EVERY = {"cpu": 50, "gpu": 200}  # steps of one call of the engine
CALLED = {"cpu": 4, "gpu": 200}  # and of plain JAX


def flops(problem: Problem, device: str) -> tuple[float, float]:
    """Of a step: of the formula in d dimensions, as products of matrices; and of ours, attention only.

    On a GPU ours is products of whole matrices too, keys that lie ahead included.
    """
    k, t, d, batch = (problem[name] for name in ("states", "length", "width", "batch"))
    formula = 3 * 2 * batch * t * (2 * (3 * d * d + 3 * t * d) + d * k)
    pairs = batch * t * (t if device == "gpu" else (t + 1) / 2)
    features = (k - 1, k, k - 1), (2 * (k - 1), 2 * k - 1, 2 * (k - 1))  # of keys, offsets and values, by layer
    return formula, sum(pairs * (6 * sum(sizes) + EXP[device]) for sizes in features)


def engine(problem: Problem) -> tuple[Advance, float]:
    """Rounds of the engine, and the loss of the network that it trains."""
    from glassware.models import CausalTransformer
    from glassware.tasks import MarkovChain
    from glassware.training import AdamW, Evaluation, Run

    every, model = EVERY[problem["device"]], CausalTransformer(width=problem["width"])
    run = Run(
        task=MarkovChain(states=problem["states"], length=problem["length"]),
        model=model,
        optimiser=AdamW(lr=problem["lr"], b2=0.95, weight_decay=0.1),
        batch=problem["batch"],
        steps=every * (2**22 // every),
        evaluation=Evaluation(every=every, test=32, success=0.0, stop=False),
    )
    advance = race_peer.rounds(run, problem)
    return advance, _loss(problem, lambda leaves, x: model.apply(_as_params(leaves), x))


def _as_params(leaves: dict[str, Any]) -> Any:
    """Weights by name as the tuple that our model takes."""
    part = lambda layer: {name: leaves[f"{layer}.{name}"] for name in ("q", "k", "v", "positions")}
    return {"tokens": leaves["tokens"]}, part("first"), part("second"), {"w": leaves["w"]}


def plain_jax(problem: Problem) -> tuple[Advance, float]:
    """jit(vmap(scan)) as one writes it down, on one default device with all its cores."""
    import jax
    import jax.numpy as jnp
    import optax

    k, t, batch, lanes = (problem[name] for name in ("states", "length", "batch", "lanes"))
    optimiser, steps = _adamw(problem), CALLED[problem["device"]]

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

    train = jax.jit(jax.vmap(lambda carry, key: jax.lax.scan(step, carry, jax.random.split(key, steps))))
    weights = {name: jnp.asarray(leaf) for name, leaf in race_peer.first_weights(problem).items()}
    carry, keys = (weights, jax.vmap(optimiser.init)(weights)), jax.random.split(jax.random.key(0), lanes)

    def advance() -> int:
        nonlocal carry
        carry, _ = jax.block_until_ready(train(carry, keys))
        return steps * lanes

    advance()
    return advance, _loss(problem, network)


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


def _adamw(problem: Problem) -> Any:
    import optax

    return optax.adamw(problem["lr"], b2=0.95, weight_decay=0.1)


def _loss(problem: Problem, apply: Any) -> float:
    """What is compared: the first model's loss on the given sequences."""
    tokens = np.asarray(problem["tokens"])
    weights = {name: leaf[0] for name, leaf in race_peer.first_weights(problem).items()}
    objective = lambda w: _cross_entropy(apply(w, tokens[:, :-1]), tokens[:, 1:])
    return race_peer.loss_after(problem["checked"], objective, _adamw(problem), weights)


def main() -> None:
    """Measure and print a table."""
    parser = race.parser(__doc__, seeds=16)
    parser.add_argument("--states", type=int, default=2, help="k of a chain")
    parser.add_argument("--length", type=int, default=100, help="t, positions of a sequence")
    parser.add_argument("--width", type=int, default=16, help="d of an embedding")
    parser.add_argument("--batch", type=int, default=64, help="sequences per step")
    given = parser.parse_args()
    if given.serve:
        race_peer.serve_jax(given.serve, engine, plain_jax)
        return
    k, t, d = given.states, given.length, given.width
    layers = ("first", "second")
    shapes = {"tokens": (k, d), **{f"{layer}.{name}": (d, d) for layer in layers for name in "qkv"}}
    shapes |= {**{f"{layer}.positions": (t, d) for layer in layers}, "w": (d, k)}
    problem = {
        "states": k, "length": t, "width": d, "batch": given.batch, "lr": RATE, "lanes": given.seeds,
        "leaves": [leaf(name, *shape, bound=0.2) for name, shape in shapes.items()], "checked": CHECKED,
        "tokens": np.random.default_rng(0).integers(0, k, (given.batch, t + 1)).tolist(),
    }  # fmt: skip
    formula, ours = flops(problem, given.device)
    race.run(race.Race("induction", f"k = {k}, t = {t}, d = {d}, batch {given.batch}", problem, formula, ours), given)


if __name__ == "__main__":
    main()
