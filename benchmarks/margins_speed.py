"""Training of group networks: this engine beside PyTorch and plain JAX, all in one run, taking turns, in float32.

    python -m benchmarks.margins_speed                                  S_4, 8 seeds, the CPU cores
    python -m benchmarks.margins_speed --group Z_71 --width 500 --seeds 4
    python -m benchmarks.margins_speed --group S_5 --width 2000 --batch 1000 --seeds 4
    python -m benchmarks.margins_speed --device gpu --seeds 64 --torch-python .venv-torch/bin/python

Every peer does full steps: forward, cross-entropy, penalty on the cube of the norm, gradient, update. Counted are
model-steps per second, floating-point operations (three products of 2 batch |G| m each, 6 |G|^3 m for all pairs) and
their share of what a large matrix product reaches on the same device in the same run. Each peer is a process of its
own. PyTorch peers run under --torch-python and are left out where that has no PyTorch.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from glassware.theory.margins.groups import named

LAMBDA, RATE = 1e-7, 0.4  # a rate at which no run diverges, however long it is clocked
SIDE = {"cpu": 2048, "gpu": 8192}  # of the square matrices whose product is the ceiling
CALL_FLOPS = {"cpu": 2e9, "gpu": 1e12}  # work of one call: long enough to hide the dispatch, short enough to clock
CHECKED = 100  # steps after which all peers that start from the same weights must have the same loss
AGREE = 1e-3  # relative
ENGINE, JAX, PRODUCT = "glassware", "JAX jit(vmap(scan))", "matrix product"

Problem = dict[str, Any]


@dataclass
class Peer:
    """A process that trains when it is asked to."""

    title: str
    process: subprocess.Popen[str]
    loss: float | None = None
    library: str = ""

    def measure(self, seconds: float) -> float:
        """Model-steps per second over so many seconds."""
        answer = self._ask(f"{seconds}\n")
        return float(answer["steps"] / answer["wall"])

    def greet(self, problem: Problem) -> None:
        """Hand the problem over and wait until it is compiled."""
        answer = self._ask(json.dumps(problem) + "\n")
        self.loss, self.library = answer.get("loss"), answer["library"]

    def _ask(self, line: str) -> Problem:
        to, of = cast(IO[str], self.process.stdin), cast(IO[str], self.process.stdout)
        to.write(line)
        to.flush()
        answer = of.readline()
        if not answer:
            raise RuntimeError(f"{self.title} ended with status {self.process.wait()}")
        return cast(Problem, json.loads(answer))


def contestants(problem: Problem, torch_python: str) -> list[Peer]:
    """Everybody who can take part, compiled and warm."""
    here = [sys.executable, "-m", "benchmarks.margins_speed", "--serve"]
    wanted: list[tuple[str, list[str], Problem]] = [
        (ENGINE, [*here, "engine"], {}),
        (JAX, [*here, "jax"], {}),
        (PRODUCT, [*here, "product"], {}),
    ]
    if has_torch(torch_python):
        script = [torch_python, str(Path(__file__).with_name("margins_torch.py"))]
        threads = sorted({1, os.cpu_count() or 1}) if problem["device"] == "cpu" else [0]
        kinds = {"one": "PyTorch eager, one model", "stacked": "PyTorch, stacked models"}
        if problem["device"] == "gpu":
            kinds["graphed"] = "PyTorch, stacked models, CUDA graph"
        for kind, words in kinds.items():
            for count in threads:
                title = f"{words}, {count} thread{'s' * (count > 1)}" if count else words
                wanted.append((title, script, {"peer": kind, "threads": count}))
    else:
        print(f"no PyTorch under {torch_python}: its peers are left out", flush=True)
    found = []
    for title, command, more in wanted:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        peer = Peer(title, process)
        try:
            peer.greet({**problem, **more})
        except RuntimeError as error:
            print(f"left out: {error}", flush=True)
            continue
        print(f"ready: {title} ({peer.library})", flush=True)
        found.append(peer)
    return found


def has_torch(python: str) -> bool:
    """Whether there is such a Python, and PyTorch in it."""
    if shutil.which(python) is None:
        return False
    return subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0


def check_agreement(peers: list[Peer]) -> None:
    """Peers that start from the same weights must have the same loss after some steps on all pairs."""
    losses = {peer.title: peer.loss for peer in peers if peer.loss is not None}
    known = [loss for loss in losses.values() if loss is not None]
    if known and max(known) - min(known) > AGREE * max(known):
        raise SystemExit(f"the peers do not train the same network: {losses}")
    if len(known) > 1:
        print(
            f"{len(known)} peers have the loss {known[0]:.6f} after {CHECKED} steps from the same weights", flush=True
        )


def compare(problem: Problem, torch_python: str, turns: int, seconds: float) -> list[dict[str, Any]]:
    """All peers, taking turns; a row per peer."""
    peers = contestants(problem, torch_python)
    try:
        if problem["batch"] is None:
            check_agreement(peers)
        readings: dict[str, list[float]] = {peer.title: [] for peer in peers}
        for _ in range(turns):
            for peer in peers:
                readings[peer.title].append(peer.measure(seconds))
    finally:
        for peer in peers:
            cast(IO[str], peer.process.stdin).close()
            peer.process.wait()
    ceiling = statistics.median(readings.pop(PRODUCT))  # its steps are floating-point operations
    ours = readings[ENGINE]
    rows = []
    for title, rates in readings.items():
        rate = statistics.median(rates)
        rows.append(
            {
                "peer": title,
                "model_steps_per_second": rate,
                "spread": (max(rates) - min(rates)) / 2 / rate,
                "ours_over_it": statistics.median(a / b for a, b in zip(ours, rates, strict=True)),
                "gflops": rate * flops(problem) / 1e9,
                "ceiling_gflops": ceiling / 1e9,
                "ceiling_share": rate * flops(problem) / ceiling,
                "readings": rates,
            }
        )
    return rows


def flops(problem: Problem) -> float:
    """Of one model-step: hidden units times output weights, and two products of the same size back."""
    batch = problem["batch"] or problem["order"] ** 2
    return float(6 * batch * problem["order"] * problem["width"])


# -- what the processes do ------------------------------------------------------------------------------------------


def serve(what: str) -> None:
    """Answer until the input ends: the problem first, then seconds."""
    problem = json.loads(sys.stdin.readline())
    advance, loss = {"engine": engine, "jax": plain_jax, "product": product}[what](problem)
    import jax

    library = f"jax {jax.__version__} on {jax.devices()[0].device_kind}"
    print(json.dumps({"loss": loss, "library": library}), flush=True)
    for line in sys.stdin:
        steps, started = 0, time.perf_counter()
        while (wall := time.perf_counter() - started) < float(line) or not steps:
            steps += advance()
        print(json.dumps({"steps": steps, "wall": wall}), flush=True)


def engine(problem: Problem) -> tuple[Callable[[], int], None]:
    """This engine through its public path: the compiled program of a shape, advanced by rounds."""
    import jax

    from glassware.engine import choose_lanes, devices
    from glassware.engine.choice import choose, program
    from glassware.models import GroupNet
    from glassware.tasks import GroupMultiplication
    from glassware.training import SGD, Evaluation, MixedNorm, Run

    devices()  # before anything else touches JAX
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
    used = choose(run.shape(), "auto")
    lanes = choose_lanes(run.shape(), problem["lanes"], used)
    if lanes < problem["lanes"]:
        print(f"the engine has room for {lanes} lanes", file=sys.stderr)
    compiled = program(run.shape(), lanes, used, ())
    runs = [run.model_copy(update={"seed": seed}).values() for seed in range(lanes)]
    values = jax.tree.map(lambda *leaves: np.stack(leaves), *runs)
    state, _ = compiled.advance(values, compiled.idle(), np.ones(lanes, bool), 0)
    taken = 0

    def advance() -> int:
        nonlocal state, taken
        state, _ = compiled.advance(values, state, np.zeros(lanes, bool), 1)
        before, taken = taken, int(np.asarray(state.t, np.int64).sum())  # what was done, not what was asked for
        if taken - before != lanes * every:
            raise SystemExit("a run of the engine diverged: its steps cannot be counted")
        return taken - before

    advance()
    return advance, None


def plain_jax(problem: Problem) -> tuple[Callable[[], int], float | None]:
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
    first = tuple(jnp.asarray(leaf) for leaf in first_weights(problem))
    loss = None if batch is not None else float(trained(first, keys, CHECKED)[1][0, -1])
    params = first

    def advance() -> int:
        nonlocal params
        params, _ = jax.block_until_ready(trained(params, keys, steps))
        return steps * lanes

    advance()
    return advance, loss


def first_weights(problem: Problem) -> list[np.ndarray]:
    """The weights that every peer starts from, by the formula of ``margins_torch``."""
    lanes, order, width = (problem[name] for name in ("lanes", "order", "width"))
    shapes = ((order, width), (2 * order) ** -0.5), ((order, width), (2 * order) ** -0.5), ((width, order), width**-0.5)
    made = []
    for which, (shape, bound) in enumerate(shapes):
        places = np.arange(lanes * shape[0] * shape[1], dtype=np.float64) + 1 + 7919 * which
        made.append((bound * (2 * ((places * 0.6180339887498949) % 1) - 1)).astype(np.float32).reshape(lanes, *shape))
    return made


def product(problem: Problem) -> tuple[Callable[[], int], None]:
    """A large float32 matrix product on the whole device; its "steps" are floating-point operations."""
    from glassware.bench import jax_peer

    return jax_peer.product(problem["device"]), None


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", default="S_4")
    parser.add_argument("--width", type=int, default=200, help="neurons m")
    parser.add_argument("--seeds", type=int, default=8, help="models trained together")
    parser.add_argument("--batch", type=int, default=None, help="pairs per step; all unless given")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--torch-python", default=sys.executable, help="a Python that has PyTorch")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one reading")
    parser.add_argument("--out", type=Path, default=None, help="a JSON file for the rows")
    parser.add_argument("--serve", choices=("engine", "jax", "product"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return
    group = named(given.group)
    problem = {
        "group": given.group, "order": group.order, "table": group.table.tolist(), "width": given.width,
        "lanes": given.seeds, "batch": given.batch, "device": given.device, "lr": RATE, "lam": LAMBDA,
        "checked": CHECKED if given.batch is None else 1, "threads": 0, "peer": "",
    }  # fmt: skip
    rows = compare(problem, given.torch_python, given.turns, given.seconds)
    pairs = "all pairs" if given.batch is None else f"{given.batch:,} pairs"
    print(f"\n{given.group}, m = {given.width:,}, {pairs}, {given.seeds} seeds; float32; "
          f"ceiling {rows[0]['ceiling_gflops']:,.0f} GFLOP/s")  # fmt: skip
    print(f"{'':42}{'model-steps/s':>14}{'±':>6}{'GFLOP/s':>10}{'of ceiling':>12}{'ours over it':>14}")
    for row in rows:
        print(
            f"{row['peer']:42}{row['model_steps_per_second']:>14,.0f}{row['spread']:>6.0%}{row['gflops']:>10,.1f}"
            f"{row['ceiling_share']:>12.0%}{row['ours_over_it']:>13.2f}x"
        )
    if given.out:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps({**{k: v for k, v in problem.items() if k != "table"}, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
