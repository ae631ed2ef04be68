"""Training of causal transformers on Markov chains: this engine beside PyTorch and plain JAX, taking turns in one run.

    python -m benchmarks.induction_speed                                two states, 16 seeds, the CPU cores
    python -m benchmarks.induction_speed --states 3 --torch-python .venv-torch/bin/python

Every peer does full steps in float32: fresh sequences, two layers of attention, cross-entropy at every position,
gradient, AdamW. Each is a process of its own and first takes some steps on given sequences from given weights, after
which all must have the same loss. PyTorch peers run under --torch-python and are left out where that has no PyTorch.
Printed is a Markdown table, with the work of a step and what a large matrix product reaches in the same run.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from benchmarks.margins_speed import Peer, has_torch

RATE, CHECKED, AGREE = 1e-4, 10, 1e-3
EVERY = 50  # steps of one call
EXP = 24  # operations of the kernel's exponential
ENGINE, JAX, PRODUCT = "glassware", "JAX `jit(vmap(scan))`", "matrix product"

Problem = dict[str, Any]


def contestants(problem: Problem, torch_python: str) -> list[Peer]:
    """Everybody who can take part, compiled and warm."""
    here = [sys.executable, "-m", "benchmarks.induction_speed", "--serve"]
    names = ((ENGINE, "engine"), (JAX, "jax"), (PRODUCT, "product"))
    wanted: list[tuple[str, list[str], Problem]] = [(title, [*here, name], {}) for title, name in names]
    if has_torch(torch_python):
        script, cores = [torch_python, str(Path(__file__).with_name("induction_torch.py"))], os.cpu_count() or 1
        wanted.append((f"PyTorch eager, one model, {cores} threads", script, {"peer": "one", "threads": cores}))
        wanted.append((f"PyTorch, {problem['lanes']} stacked models", script, {"peer": "stacked", "threads": cores}))
    else:
        print(f"no PyTorch under {torch_python}: its peers are left out", flush=True)
    found = []
    for title, command, more in wanted:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        peer = Peer(title, process)
        peer.greet({**problem, **more})
        print(f"ready: {title} ({peer.library}), loss {peer.loss}", flush=True)
        found.append(peer)
    losses = [peer.loss for peer in found if peer.loss is not None]
    if max(losses) - min(losses) > AGREE * max(losses):
        raise SystemExit("the peers do not train the same network")
    return found


def compare(problem: Problem, torch_python: str, turns: int, seconds: float) -> tuple[dict[str, list[float]], float]:
    """Model-steps per second of all peers, turn by turn, and the rate of a large matrix product."""
    peers = contestants(problem, torch_python)
    readings: dict[str, list[float]] = {peer.title: [] for peer in peers}
    try:
        for _ in range(turns):
            for peer in peers:
                readings[peer.title].append(peer.measure(seconds))
    finally:
        for peer in peers:
            cast(IO[str], peer.process.stdin).close()
            peer.process.wait()
    return readings, statistics.median(readings.pop(PRODUCT))


def work(problem: Problem) -> tuple[float, float]:
    """Operations of a step: of the formula in d dimensions, as products of matrices; and of ours, attention only."""
    k, t, d, batch = (problem[name] for name in ("states", "length", "width", "batch"))
    formula = 3 * 2 * batch * t * (2 * (3 * d * d + 3 * t * d) + d * k)
    pairs = batch * t * (t + 1) / 2
    features = (k - 1, k, k - 1), (2 * (k - 1), 2 * k - 1, 2 * (k - 1))  # of keys, offsets and values, by layer
    return formula, sum(pairs * (6 * sum(sizes) + EXP) for sizes in features)


# -- what the processes do ------------------------------------------------------------------------------------------


def serve(what: str) -> None:
    """Answer until the input ends: the problem first, then seconds."""
    problem = json.loads(sys.stdin.readline())
    advance, loss = {"engine": engine, "jax": plain_jax, "product": product}[what](problem)
    import jax

    print(json.dumps({"loss": loss, "library": f"jax {jax.__version__}"}), flush=True)
    for line in sys.stdin:
        steps, started = 0, time.perf_counter()
        while (wall := time.perf_counter() - started) < float(line) or not steps:
            steps += advance()
        print(json.dumps({"steps": steps, "wall": wall}), flush=True)


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
    model = run.model
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


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=2)
    parser.add_argument("--length", type=int, default=100)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seeds", type=int, default=16, help="models trained together")
    parser.add_argument("--torch-python", default=sys.executable, help="a Python that has PyTorch")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one reading")
    parser.add_argument("--serve", choices=("engine", "jax", "product"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return
    k, t, d = given.states, given.length, given.width
    square = [[f"{layer}.{name}", d, d] for layer in ("first", "second") for name in "qkv"]
    positions = [[f"{layer}.positions", t, d] for layer in ("first", "second")]
    problem = {
        "states": k, "length": t, "width": d, "batch": given.batch, "lanes": given.seeds, "lr": RATE,
        "leaves": [["tokens", k, d], *square, *positions, ["w", d, k]], "checked": CHECKED, "fixed": False,
        "tokens": np.random.default_rng(0).integers(0, k, (given.batch, t + 1)).tolist(),
    }  # fmt: skip
    readings, ceiling = compare(problem, given.torch_python, given.turns, given.seconds)
    formula, ours = work(problem)
    print(f"\nk = {k}, t = {t}, d = {d}, batch {given.batch}, {given.seeds} seeds; matrix product {ceiling / 1e9:,.0f} "
          f"GFLOP/s; a step: the formula {formula / 1e6:,.0f} MFLOP, ours {ours / 1e6:,.0f} MFLOP")  # fmt: skip
    print("\n| | model-steps/s | ± | ours over it | MFLOP per step | share of the matrix product's rate |")
    print("|---|---|---|---|---|---|")
    for title, rates in readings.items():
        rate, done = statistics.median(rates), ours if title == ENGINE else formula
        ratio = statistics.median(a / b for a, b in zip(readings[ENGINE], rates, strict=True))
        spread = (max(rates) - min(rates)) / 2 / rate
        share = rate * done / ceiling
        print(f"| {title} | {rate:,.0f} | {spread:.0%} | {ratio:.1f} × | {done / 1e6:,.0f} | {share:.0%} |")


if __name__ == "__main__":
    main()
