"""Training of group networks: this engine beside PyTorch and plain JAX, all in one run, taking turns, in float32.

    python -m benchmarks.margins_speed                                  S_4, 8 seeds, the CPU cores
    python -m benchmarks.margins_speed --group Z_71 --width 500 --seeds 4
    python -m benchmarks.margins_speed --group S_5 --width 2000 --batch 1000 --seeds 4
    python -m benchmarks.margins_speed --device gpu --seeds 64 --torch-python .venv-torch/bin/python

Every peer does full steps: forward, cross-entropy, penalty on the cube of the norm, gradient, update. Counted are
model-steps per second, floating-point operations (three products of 2 batch |G| m each, 6 |G|^3 m for all pairs) and
their share of what a large matrix product reaches on the same device in the same run. Each peer is a process of its
own; on all pairs peers must first have the same loss after some steps from the same weights (ours starts from its
own). PyTorch's run under --torch-python and are left out where that has no PyTorch. Printed is a Markdown table.
"""

from __future__ import annotations

from typing import Any

from benchmarks import race, race_peer
from benchmarks.race_peer import Advance, Problem, leaf
from glassware.theory.margins.groups import named

LAMBDA, RATE = 1e-7, 0.4  # a rate at which no run diverges, however long it is clocked
CALL_FLOPS = {"cpu": 2e9, "gpu": 1e12}  # work of one call: long enough to hide the dispatch, short enough to clock
CHECKED = 100  # steps before losses are compared


def flops(problem: Problem) -> float:
    """Of one model-step: hidden units times output weights, and two products of the same size back."""
    batch = problem["batch"] or problem["order"] ** 2
    return float(6 * batch * problem["order"] * problem["width"])


def engine(problem: Problem) -> tuple[Advance, None]:
    """Rounds of the engine."""
    from glassware.models import GroupNet
    from glassware.tasks import GroupMultiplication
    from glassware.training import SGD, Evaluation, MixedNorm, Run

    every = max(10, min(1000, int(10 * CALL_FLOPS[problem["device"]] / flops(problem))))
    run = Run(
        task=GroupMultiplication(group=problem["group"]),
        model=GroupNet(width=problem["width"]),
        penalty=(MixedNorm(weight=problem["lam"], outer=3),),
        optimiser=SGD(lr=problem["lr"], weight_decay=0.0),
        batch=problem["batch"] or "full",
        steps=every * (2**22 // every),
        evaluation=Evaluation(every=every, test=32, success=0.0, stop=False),
    )
    return race_peer.rounds(run, problem), None


def plain_jax(problem: Problem) -> tuple[Advance, float | None]:
    """jit(vmap(scan)) as one writes it down, on one default device with all its cores."""
    import jax
    import jax.numpy as jnp

    order, width, batch, lanes = (problem[name] for name in ("order", "width", "batch", "lanes"))
    table, domain = jnp.asarray(problem["table"]).ravel(), order * order
    steps = max(1, int(CALL_FLOPS[problem["device"]] / flops(problem) / lanes))

    def objective(params: tuple[jax.Array, ...], key: jax.Array) -> jax.Array:
        u, v, w = params
        if batch is None:
            hidden, y = ((u[:, None, :] + v[None, :, :]) ** 2).reshape(domain, width), table
        else:
            index = jax.random.randint(key, (batch,), 0, domain)
            hidden, y = (u[index // order] + v[index % order]) ** 2, table[index]
        chosen = jnp.take_along_axis(jax.nn.log_softmax(hidden @ w), y[:, None], axis=1)
        squares = jnp.sum(u**2, axis=0) + jnp.sum(v**2, axis=0) + jnp.sum(w**2, axis=1)
        return -jnp.mean(chosen) + problem["lam"] * jnp.sum(squares**1.5)

    def train(params: tuple[jax.Array, ...], key: jax.Array, count: int) -> Any:
        def step(params: tuple[jax.Array, ...], key: jax.Array) -> Any:
            loss, slope = jax.value_and_grad(objective)(params, key)
            return jax.tree.map(lambda p, g: p - problem["lr"] * g, params, slope), loss

        return jax.lax.scan(step, params, jax.random.split(key, count))

    trained = jax.jit(jax.vmap(train, in_axes=(0, 0, None)), static_argnums=2)
    keys = jax.random.split(jax.random.key(0), lanes)
    params = tuple(jnp.asarray(leaf) for leaf in race_peer.first_weights(problem).values())
    loss = None
    if problem["checked"]:
        with jax.default_matmul_precision("highest"):  # losses are compared in full float32, whatever is clocked
            loss = float(trained(params, keys, problem["checked"])[1][0, -1])

    def advance() -> int:
        nonlocal params
        params, _ = jax.block_until_ready(trained(params, keys, steps))
        return steps * lanes

    advance()
    return advance, loss


def main() -> None:
    """Measure and print a table."""
    parser = race.parser(__doc__, seeds=8)
    parser.add_argument("--group", default="S_4", help="as Z_71, S_5 or A_5")
    parser.add_argument("--width", type=int, default=200, help="neurons m")
    parser.add_argument("--batch", type=int, help="pairs per step; all unless given")
    given = parser.parse_args()
    if given.serve:
        race_peer.serve_jax(given.serve, engine, plain_jax)
        return
    group = named(given.group)
    into, back = (group.order, given.width), (given.width, group.order)
    shapes = {"u": (into, 2 * group.order), "v": (into, 2 * group.order), "w": (back, given.width)}
    problem = {
        "group": given.group, "order": group.order, "table": group.table.tolist(), "width": given.width,
        "batch": given.batch, "lr": RATE, "lam": LAMBDA, "lanes": given.seeds,
        "leaves": [leaf(name, *shape, bound=fan_in**-0.5) for name, (shape, fan_in) in shapes.items()],
        "checked": CHECKED if given.batch is None else 0,
    }  # fmt: skip
    pairs = "all pairs" if given.batch is None else f"{given.batch:,} pairs"
    title = f"{given.group}, m = {given.width:,}, {pairs}"
    race.run(race.Race("margins", title, problem, flops(problem)), given)


if __name__ == "__main__":
    main()
