"""Training of the Transformer on juntas: this engine beside PyTorch and plain JAX, all in one run, taking turns.

    python -m benchmarks.juntas_speed --torch-python .venv-torch/bin/python      T = 100, m = 100, 16 networks
    python -m benchmarks.juntas_speed --embedding-dropout 0.1

Every peer does full steps: forward with dropout, cross-entropy, gradient, clipping, AdamW. Peers have keys and values
of all tokens and the query of [CLS] alone, as one writes it down. Random numbers differ, and so do losses. Each peer is
a process of its own; PyTorch's run under --torch-python and are left out where that has no PyTorch.
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

from benchmarks.margins_speed import ENGINE, JAX, Peer, Problem, has_torch

CHECKED = 3  # steps of PyTorch before it is clocked
EVERY = 20  # steps of a call


def contestants(problem: Problem, torch_python: str) -> list[Peer]:
    """Everybody who can take part, compiled and warm."""
    here = [sys.executable, "-m", "benchmarks.juntas_speed", "--serve"]
    wanted: list[tuple[str, list[str], Problem]] = [(ENGINE, [*here, "engine"], {}), (JAX, [*here, "jax"], {})]
    if has_torch(torch_python):
        script = [torch_python, str(Path(__file__).with_name("juntas_torch.py"))]
        count = (os.cpu_count() or 1) if problem["device"] == "cpu" else 0
        for kind, words in {"one": "PyTorch eager, one model", "stacked": "PyTorch, stacked models"}.items():
            wanted.append((words, script, {"peer": kind, "threads": count}))
    else:
        print(f"no PyTorch under {torch_python}: its peers are left out", flush=True)
    found = []
    for title, command, more in wanted:
        peer = Peer(title, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        peer.greet({**problem, **more})
        print(f"ready: {title} ({peer.library})", flush=True)
        found.append(peer)
    return found


def compare(problem: Problem, torch_python: str, turns: int, seconds: float) -> list[dict[str, Any]]:
    """All peers, taking turns; a row per peer."""
    peers = contestants(problem, torch_python)
    readings: dict[str, list[float]] = {peer.title: [] for peer in peers}
    for _ in range(turns):
        for peer in peers:
            readings[peer.title].append(peer.measure(seconds))
    for peer in peers:
        cast(IO[str], peer.process.stdin).close()
        peer.process.wait()
    ours = readings[ENGINE]
    ratio = lambda rates: statistics.median(a / b for a, b in zip(ours, rates, strict=True))
    return [
        {"peer": title, "model_steps_per_second": statistics.median(rates), "ours_over_it": ratio(rates)}
        for title, rates in readings.items()
    ]


# -- what the processes do ------------------------------------------------------------------------------------------


def serve(what: str) -> None:
    """Answer until the input ends: the problem first, then seconds."""
    problem = json.loads(sys.stdin.readline())
    advance, loss = {"engine": engine, "jax": plain_jax}[what](problem)
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

    from glassware.engine import choose_lanes, devices
    from glassware.engine.choice import program
    from glassware.models import ClsTransformer
    from glassware.tasks import Junta
    from glassware.training import AdamW, Evaluation, Run

    devices()  # before anything else touches JAX
    rates = {f"{name}_dropout": rate for name, rate in problem["rates"].items()}
    run = Run(
        task=Junta(length=problem["length"]), m=problem["m"], batch="full", steps=EVERY * 2**20,
        model=ClsTransformer(width=problem["width"], heads=problem["heads"], **rates),
        optimiser=AdamW(lr=1e-3, weight_decay=1e-4, clip=1.0),
        evaluation=Evaluation(every=EVERY, test=32, success=0.0, stop=False),
    )  # fmt: skip
    lanes = choose_lanes(run.shape(), problem["lanes"])
    compiled = program(run.shape(), lanes, "xla", ())
    runs = [run.model_copy(update={"seed": seed}).values() for seed in range(lanes)]
    values = jax.tree.map(lambda *leaves: np.stack(leaves), *runs)
    state, _ = compiled.advance(values, compiled.idle(), np.ones(lanes, bool), 0)
    taken, loss = 0, math.nan

    def advance() -> int:
        nonlocal state, taken, loss
        state, records = compiled.advance(values, state, np.zeros(lanes, bool), 1)
        before, taken = taken, int(np.asarray(state.t, np.int64).sum())
        loss = float(np.asarray(records.curves)[:, 0, list(compiled.columns).index("loss")].mean())
        return taken - before

    advance()
    advance()
    return advance, loss


def plain_jax(problem: Problem) -> tuple[Callable[[], int], float]:
    """jit(vmap(scan)) as one writes it down, on one default device with all its cores."""
    import jax
    import jax.numpy as jnp
    import optax

    d, heads, m, t, lanes, rates = (problem[name] for name in ("width", "heads", "m", "length", "lanes", "rates"))
    adam = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3, weight_decay=1e-4))

    def first(key: jax.Array) -> dict[str, jax.Array]:
        sizes = {"tokens": (3, d), "positions": (t + 1, d), "q": (d, d), "k": (d, d), "v": (d, d), "out": (d, d),
                 "up": (d, 4 * d), "down": (4 * d, d), "w": (d, 2)}  # fmt: skip
        keys = jax.random.split(key, len(sizes))
        found = {name: 0.02 * jax.random.normal(k, size) for k, (name, size) in zip(keys, sizes.items(), strict=True)}
        biases = {"q": d, "k": d, "v": d, "out": d, "up": 4 * d, "down": d}
        found |= {f"{name}_bias": jnp.zeros(size) for name, size in biases.items()}
        for name in ("attention", "mlp", "last"):
            found |= {f"{name}_scale": jnp.ones(d), f"{name}_shift": jnp.zeros(d)}
        return found

    def drop(z: jax.Array, key: jax.Array, rate: float) -> jax.Array:
        return z * jax.random.bernoulli(key, 1 - rate, z.shape) / (1 - rate) if rate else z

    def loss(p: dict[str, jax.Array], x: jax.Array, y: jax.Array, key: jax.Array) -> jax.Array:
        norm = lambda z, name: jax.nn.standardize(z, axis=-1) * p[f"{name}_scale"] + p[f"{name}_shift"]
        keys = jax.random.split(key, 4)
        tokens = jnp.concatenate([x.astype(int), jnp.full((m, 1), 2)], axis=1)
        z = drop(p["tokens"][tokens] + p["positions"], keys[0], rates["embedding"])
        inner = norm(z, "attention")
        k, v = ((inner @ p[n] + p[f"{n}_bias"]).reshape(m, t + 1, heads, -1) for n in ("k", "v"))
        q = (inner[:, -1] @ p["q"] + p["q_bias"]).reshape(m, heads, -1)
        share = drop(
            jax.nn.softmax(jnp.einsum("mhj,mthj->mht", q, k) / math.sqrt(d // heads)), keys[1], rates["attention"]
        )
        mixed = jnp.einsum("mht,mthj->mhj", share, v).reshape(m, d)
        z = z[:, -1] + drop(mixed @ p["out"] + p["out_bias"], keys[2], rates["output"])
        hidden = jax.nn.gelu(norm(z, "mlp") @ p["up"] + p["up_bias"], approximate=False)
        z = z + drop(hidden @ p["down"] + p["down_bias"], keys[3], rates["output"])
        return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(norm(z, "last") @ p["w"], y))

    def train(carry: Any, x: jax.Array, key: jax.Array) -> Any:
        y = jnp.prod(x[:, :3], axis=1).astype(int)

        def step(carry: Any, key: jax.Array) -> Any:
            p, state = carry
            value, slope = jax.value_and_grad(loss)(p, x, y, key)
            updates, state = adam.update(slope, state, p)
            return (optax.apply_updates(p, updates), state), value

        return jax.lax.scan(step, carry, jax.random.split(key, EVERY))

    trained = jax.jit(jax.vmap(train))
    x = (np.random.default_rng(0).random((lanes, m, t)) < 0.7937).astype(np.float32)
    keys = jax.random.split(jax.random.key(0), lanes)
    carry = jax.vmap(lambda key: (first(key), adam.init(first(key))))(keys)
    said = math.nan

    def advance() -> int:
        nonlocal carry, keys, said
        keys = jax.vmap(lambda key: jax.random.fold_in(key, 1))(keys)
        carry, losses = jax.block_until_ready(trained(carry, x, keys))
        said = float(losses.mean())
        return EVERY * lanes

    advance()
    advance()
    return advance, said


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=100, help="T")
    parser.add_argument("--examples", type=int, default=100, help="m")
    parser.add_argument("--seeds", type=int, default=16, help="models trained together")
    parser.add_argument("--embedding-dropout", type=float, default=0.0)
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--torch-python", default=sys.executable, help="a Python that has PyTorch")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one reading")
    parser.add_argument("--serve", choices=("engine", "jax"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return
    problem = {
        "length": given.length, "m": given.examples, "lanes": given.seeds, "width": 64, "heads": 16,
        "rates": {"attention": 0.1, "embedding": given.embedding_dropout, "output": 0.1},
        "device": given.device, "checked": CHECKED, "threads": 0, "peer": "",
    }  # fmt: skip
    rows = compare(problem, given.torch_python, given.turns, given.seconds)
    print(f"\nT = {given.length}, m = {given.examples}, {given.seeds} networks, dropout on embeddings "
          f"{given.embedding_dropout:g}; float32")  # fmt: skip
    print(f"{'':42}{'model-steps/s':>14}{'ours over it':>14}")
    for row in rows:
        print(f"{row['peer']:42}{row['model_steps_per_second']:>14,.0f}{row['ours_over_it']:>13.2f}x")


if __name__ == "__main__":
    main()
