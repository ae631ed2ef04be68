"""Training of the Transformer on juntas: this engine beside PyTorch and plain JAX, all in one run, taking turns.

    python -m benchmarks.juntas_speed --torch-python .venv-torch/bin/python      T = 100, m = 100, 16 networks
    python -m benchmarks.juntas_speed --embedding-dropout 0.1
    python -m benchmarks.juntas_speed --device gpu --seeds 256 --torch-python .venv-torch/bin/python

Every peer does full steps in float32: forward with dropout, cross-entropy, gradient, clipping, AdamW. Peers have keys
and values of all tokens and the query of [CLS] alone, as one writes it down; the engine needs fewer operations, which
are counted as it does them. Random numbers differ, and so do losses in training: compared is the loss after some steps
without dropout, from the same weights on the same bits. Each peer is a process of its own; PyTorch's run under
--torch-python and are left out where that has no PyTorch. Printed is a Markdown table.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from benchmarks import race, race_peer
from benchmarks.race_peer import Advance, Problem, leaf

WIDTH, HEADS, RATE, DECAY = 64, 16, 1e-3, 1e-4
START = 0.02 * math.sqrt(3)  # bound of first weights whose standard deviation is 0.02
LIKELY = 0.7937  # of a one: the product of three is one half the time
CHECKED = 10
EVERY = {"cpu": 20, "gpu": 200}  # steps of a call


def flops(problem: Problem) -> tuple[float, float]:
    """Of a step: as one writes it down, and as the engine does it."""
    from glassware.models import ClsTransformer
    from glassware.tasks import Junta

    d, m, tokens = problem["width"], problem["m"], problem["length"] + 1
    each = 2 * tokens * d * d + 2 * tokens * d + 2 * d * d + 8 * d * d + 2 * d
    model = ClsTransformer(width=d, heads=problem["heads"], **_rates(problem))
    return 3.0 * 2 * m * each, model.step_flops(Junta(length=problem["length"]), m)


def _rates(problem: Problem) -> dict[str, float]:
    return {f"{name}_dropout": rate for name, rate in problem["rates"].items()}


def engine(problem: Problem) -> tuple[Advance, float]:
    """Rounds of the engine, and the loss of the network that it trains."""
    from glassware.models import ClsTransformer
    from glassware.tasks import Junta
    from glassware.training import AdamW, Evaluation, Run

    every = EVERY[problem["device"]]
    model = ClsTransformer(width=problem["width"], heads=problem["heads"], **_rates(problem))
    run = Run(
        task=Junta(length=problem["length"]),
        model=model,
        m=problem["m"],
        batch="full",
        optimiser=AdamW(lr=problem["lr"], weight_decay=problem["decay"], clip=1.0),
        steps=every * (2**22 // every),
        evaluation=Evaluation(every=every, test=32, success=0.0, stop=False),
    )
    advance = race_peer.rounds(run, problem)
    return advance, _loss(problem, lambda leaves, x: model.apply(_as_params(leaves), x))


def _as_params(leaves: dict[str, Any]) -> Any:
    """Weights by name as the tuple that our model takes."""
    outer = ("tokens", "positions", "w", "last_scale", "last_shift")
    layer = {name: leaf.squeeze(0) if len(leaf) == 1 else leaf for name, leaf in leaves.items() if name not in outer}
    embedding = {name: leaves[name] for name in ("tokens", "positions")}
    return embedding, layer, {"w": leaves["w"], "scale": leaves["last_scale"][0], "shift": leaves["last_shift"][0]}


def plain_jax(problem: Problem) -> tuple[Advance, float]:
    """jit(vmap(scan)) as one writes it down, on one default device with all its cores."""
    import jax
    import jax.numpy as jnp
    import optax

    heads, lanes, rates, steps = problem["heads"], problem["lanes"], problem["rates"], EVERY[problem["device"]]
    optimiser = _adamw(problem)

    def train(carry: Any, x: jax.Array, key: jax.Array) -> Any:
        y = jnp.prod(x[:, :3], axis=1).astype(int)

        def step(carry: Any, key: jax.Array) -> Any:
            p, state = carry
            loss, slope = jax.value_and_grad(lambda p: _cross_entropy(network(p, x, heads, rates, key), y))(p)
            updates, state = optimiser.update(slope, state, p)
            return (optax.apply_updates(p, updates), state), loss

        return jax.lax.scan(step, carry, jax.random.split(key, steps))

    trained = jax.jit(jax.vmap(train))
    x = np.repeat(np.asarray(problem["x"], np.float32)[None], lanes, axis=0)
    keys = jax.random.split(jax.random.key(0), lanes)
    p = {name: jnp.asarray(leaf) for name, leaf in race_peer.first_weights(problem).items()}
    carry = p, jax.vmap(optimiser.init)(p)

    def advance() -> int:
        nonlocal carry, keys
        keys = jax.vmap(lambda key: jax.random.fold_in(key, 1))(keys)
        carry, _ = jax.block_until_ready(trained(carry, x, keys))
        return steps * lanes

    advance()
    none = dict.fromkeys(rates, 0.0)
    return advance, _loss(problem, lambda p, x: network(p, x, heads, none, jax.random.key(0)))


def network(p: dict[str, Any], x: Any, heads: int, rates: dict[str, float], key: Any) -> Any:
    """Logits of one network on its batch (m, T)."""
    import jax
    import jax.numpy as jnp

    (m, t), d, keys = x.shape, p["q"].shape[0], jax.random.split(key, 4)
    norm = lambda z, name: jax.nn.standardize(z, axis=-1) * p[f"{name}_scale"] + p[f"{name}_shift"]
    drop = lambda z, key, rate: z * jax.random.bernoulli(key, 1 - rate, z.shape) / (1 - rate) if rate else z
    tokens = jnp.concatenate([x.astype(int), jnp.full((m, 1), 2)], axis=1)
    z = drop(p["tokens"][tokens] + p["positions"], keys[0], rates["embedding"])
    inner = norm(z, "attention")
    k, v = ((inner @ p[n] + p[f"{n}_bias"]).reshape(m, t + 1, heads, -1) for n in ("k", "v"))
    q = (inner[:, -1] @ p["q"] + p["q_bias"]).reshape(m, heads, -1)
    share = jax.nn.softmax(jnp.einsum("mhj,mthj->mht", q, k) / math.sqrt(d // heads))
    mixed = jnp.einsum("mht,mthj->mhj", drop(share, keys[1], rates["attention"]), v).reshape(m, d)
    z = z[:, -1] + drop(mixed @ p["out"] + p["out_bias"], keys[2], rates["output"])
    hidden = jax.nn.gelu(norm(z, "mlp") @ p["up"] + p["up_bias"], approximate=False)
    z = z + drop(hidden @ p["down"] + p["down_bias"], keys[3], rates["output"])
    return norm(z, "last") @ p["w"]


def _cross_entropy(logits: Any, y: Any) -> Any:
    import jax.numpy as jnp
    import optax

    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(logits, y))


def _adamw(problem: Problem) -> Any:
    import optax

    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(problem["lr"], weight_decay=problem["decay"]))


def _loss(problem: Problem, apply: Any) -> float:
    """What is compared: the first model's loss on the given bits."""
    x = np.asarray(problem["x"], np.float32)
    y = x[:, :3].prod(axis=1).astype(int)
    weights = {name: leaf[0] for name, leaf in race_peer.first_weights(problem).items()}
    return race_peer.loss_after(problem["checked"], lambda p: _cross_entropy(apply(p, x), y), _adamw(problem), weights)


def main() -> None:
    """Measure and print a table."""
    parser = race.parser(__doc__, seeds=16)
    parser.add_argument("--length", type=int, default=100, help="T, bits of an example")
    parser.add_argument("--examples", type=int, default=100, help="m, all of them in every step")
    parser.add_argument("--embedding-dropout", type=float, default=0.0, help="rate; attention and outputs have 0.1")
    given = parser.parse_args()
    if given.serve:
        race_peer.serve_jax(given.serve, engine, plain_jax)
        return
    d, t, m = WIDTH, given.length, given.examples
    shapes = {"tokens": (3, d), "positions": (t + 1, d), **dict.fromkeys(("q", "k", "v", "out"), (d, d))}
    shapes |= {"up": (d, 4 * d), "down": (4 * d, d), "w": (d, 2)}
    shapes |= {f"{name}_bias": (1, shapes[name][1]) for name in ("q", "k", "v", "out", "up", "down")}
    norms = {f"{name}_{part}": (1, d) for name in ("attention", "mlp", "last") for part in ("scale", "shift")}
    problem = {
        "length": t, "m": m, "width": d, "heads": HEADS, "lr": RATE, "decay": DECAY, "lanes": given.seeds,
        "rates": {"attention": 0.1, "embedding": given.embedding_dropout, "output": 0.1}, "checked": CHECKED,
        "x": (np.random.default_rng(0).random((m, t)) < LIKELY).astype(int).tolist(),
        "leaves": [leaf(name, *shape, middle=name.endswith("scale"), bound=START)
                   for name, shape in {**shapes, **norms}.items()],
    }  # fmt: skip
    formula, ours = flops(problem)
    title = f"T = {t}, m = {m}, dropout on embeddings {given.embedding_dropout:g}"
    race.run(race.Race("juntas", title, problem, formula, ours), given)


if __name__ == "__main__":
    main()
