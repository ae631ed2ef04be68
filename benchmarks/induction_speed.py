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
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from benchmarks.margins_speed import Peer, has_torch

RATE, CHECKED, AGREE = 1e-4, 10, 1e-3
EXP = 24  # operations of the kernel's exponential
ENGINE, JAX, PRODUCT = "glassware", "JAX `jit(vmap(scan))`", "matrix product"

Problem = dict[str, Any]


class Clocked(Peer):
    """A peer whose processor time is known too: on a busy machine it says more than the clock."""

    def clock(self, seconds: float) -> tuple[float, float]:
        """Model-steps per second, and per second of one core."""
        answer = self._ask(f"{seconds}\n")
        return answer["steps"] / answer["wall"], answer["steps"] / answer["cores"]


def contestants(problem: Problem, torch_python: str) -> list[Clocked]:
    """Everybody who can take part, compiled and warm."""
    here = [sys.executable, "-m", "benchmarks.induction_peers"]
    names = ((ENGINE, "engine"), (JAX, "jax"), (PRODUCT, "product"))
    wanted: list[tuple[str, list[str], Problem]] = [(title, [*here, name], {}) for title, name in names]
    if has_torch(torch_python):
        script, cores = [torch_python, str(Path(__file__).with_name("induction_torch.py"))], os.cpu_count() or 1
        for threads in sorted({1, cores}):
            title = f"PyTorch eager, one model, {threads} thread{'s' * (threads > 1)}"
            wanted.append((title, script, {"peer": "one", "threads": threads}))
        wanted.append((f"PyTorch, {problem['lanes']} stacked models", script, {"peer": "stacked", "threads": cores}))
    else:
        print(f"no PyTorch under {torch_python}: its peers are left out", flush=True)
    found = []
    for title, command, more in wanted:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        peer = Clocked(title, process)
        peer.greet({**problem, **more})
        print(f"ready: {title} ({peer.library}), loss {peer.loss}", flush=True)
        found.append(peer)
    losses = [peer.loss for peer in found if peer.loss is not None]
    if max(losses) - min(losses) > AGREE * max(losses):
        raise SystemExit("the peers do not train the same network")
    return found


Readings = dict[str, list[tuple[float, float]]]


def compare(problem: Problem, torch_python: str, turns: int, seconds: float) -> Readings:
    """The rates of all peers, turn by turn."""
    peers = contestants(problem, torch_python)
    readings: Readings = {peer.title: [] for peer in peers}
    try:
        for _ in range(turns):
            for peer in peers:
                readings[peer.title].append(peer.clock(seconds))
    finally:
        for peer in peers:
            cast(IO[str], peer.process.stdin).close()
            peer.process.wait()
    return readings


def work(problem: Problem) -> tuple[float, float]:
    """Operations of a step: of the formula in d dimensions, as products of matrices; and of ours, attention only."""
    k, t, d, batch = (problem[name] for name in ("states", "length", "width", "batch"))
    formula = 3 * 2 * batch * t * (2 * (3 * d * d + 3 * t * d) + d * k)
    pairs = batch * t * (t + 1) / 2
    features = (k - 1, k, k - 1), (2 * (k - 1), 2 * k - 1, 2 * (k - 1))  # of keys, offsets and values, by layer
    return formula, sum(pairs * (6 * sum(sizes) + EXP) for sizes in features)


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
    given = parser.parse_args()
    k, t, d = given.states, given.length, given.width
    square = [[f"{layer}.{name}", d, d] for layer in ("first", "second") for name in "qkv"]
    positions = [[f"{layer}.positions", t, d] for layer in ("first", "second")]
    problem = {
        "states": k, "length": t, "width": d, "batch": given.batch, "lanes": given.seeds, "lr": RATE,
        "leaves": [["tokens", k, d], *square, *positions, ["w", d, k]], "checked": CHECKED, "fixed": False,
        "tokens": np.random.default_rng(0).integers(0, k, (given.batch, t + 1)).tolist(),
    }  # fmt: skip
    readings = compare(problem, given.torch_python, given.turns, given.seconds)
    _print_table(f"k = {k}, t = {t}, d = {d}, batch {given.batch}, {given.seeds} seeds", work(problem), readings)


def _print_table(title: str, operations: tuple[float, float], readings: Readings) -> None:
    formula, ours = operations
    ceiling = statistics.median(per_core for _, per_core in readings.pop(PRODUCT))
    print(f"\n{title}; a step takes {formula / 1e6:,.0f} MFLOP by the formula, {ours / 1e6:,.0f} in our features; "
          f"a core multiplies large matrices at {ceiling / 1e9:,.0f} GFLOP/s")  # fmt: skip
    print("\n| | model-steps/s | ours over it | per core-second | ± | ours over it | share of matrix products' rate |")
    print("|---|---|---|---|---|---|---|")
    for name, rates in readings.items():
        walls, cores = zip(*rates, strict=True)
        ratios = [[a[i] / b[i] for a, b in zip(readings[ENGINE], rates, strict=True)] for i in (0, 1)]
        by_wall, by_core = map(statistics.median, ratios)
        wall, core = statistics.median(walls), statistics.median(cores)
        spread, share = (max(cores) - min(cores)) / 2 / core, core * (ours if name == ENGINE else formula) / ceiling
        print(
            f"| {name} | {wall:,.0f} | {by_wall:.1f} × | {core:,.0f} | {spread:.0%} | {by_core:.1f} × | {share:.0%} |"
        )


if __name__ == "__main__":
    main()
