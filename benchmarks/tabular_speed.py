"""How fast are many networks on one table? 30 seeds x 5 folds of 10,000 rows, beside scikit-learn and a PyTorch loop.

``python -m benchmarks.tabular_speed`` trains the same networks (two hidden layers of 256, Adam, no early stopping, the
same epochs and batch size) three ways: all at once by ``fit_many``, in either precision, one by one by scikit-learn's
MLPClassifier, one by one by a plain PyTorch loop. Peers are timed on one fit, whose cost does not depend on the seed,
by the wall clock with as many threads as they come with, and by processor time on one thread; the faster of the two
counts. Ours trains all networks, by the wall clock. Peers and ours take turns. Compiling is timed apart. Then a single
fit of 1,000 rows, and the time that the matrix products alone would take in float32. ``--quick`` trains few, for few
epochs.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from glassware.engine.device import cores
from glassware.tabular import SparseMLPClassifier, fit_many
from glassware.tabular.recipe import Precision

HIDDEN = (256, 256)
COLUMNS = 20
RATE = 1e-3
PRECISIONS: tuple[Precision, ...] = ("exact", "fast")


def table(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Standardised columns; the label is a noisy function of three of them."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, COLUMNS))
    return x, (x[:, 0] * x[:, 1] + x[:, 2] + rng.normal(size=rows) > 0).astype(int)


def ours(fits: list[tuple[np.ndarray, np.ndarray]], epochs: int, batch: int, precision: Precision) -> None:
    one = partial(SparseMLPClassifier, HIDDEN, preset="paper", epochs=epochs, batch_size=batch, precision=precision)
    fit_many([one(random_state=seed) for seed in range(len(fits))], fits)


def scikit(fits: list[tuple[np.ndarray, np.ndarray]], epochs: int, batch: int) -> None:
    for seed, (x, y) in enumerate(fits):
        # No tolerance and no patience: all epochs, as the others.
        model = MLPClassifier(
            HIDDEN,
            batch_size=batch,
            max_iter=epochs,
            tol=0.0,
            n_iter_no_change=epochs + 1,
            random_state=seed,
            alpha=0.0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(x, y)


def plain_torch(fits: list[tuple[np.ndarray, np.ndarray]], epochs: int, batch: int) -> None:
    import torch
    from torch import nn

    for seed, (rows, labels) in enumerate(fits):
        torch.manual_seed(seed)
        x, y = torch.tensor(rows, dtype=torch.float32), torch.tensor(labels)
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise((COLUMNS, *HIDDEN)):
            layers += [nn.Linear(inputs, outputs), nn.ReLU()]
        net = nn.Sequential(*layers, nn.Linear(HIDDEN[-1], 2))
        adam = torch.optim.Adam(net.parameters(), lr=RATE)
        for _ in range(epochs):
            order = torch.randperm(len(x))
            for start in range(0, len(x), batch):
                part = order[start : start + batch]
                adam.zero_grad()
                nn.functional.cross_entropy(net(x[part]), y[part]).backward()
                adam.step()


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    call()
    return clock() - start


def alone(call: Callable[[], object]) -> float:
    """Processor seconds on one thread."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with threadpool_limits(1):
        found = seconds(call, time.process_time)
    torch.set_num_threads(threads)
    return found


def ceiling() -> float:
    """Operations a second of a large float32 matrix product on all cores, by NumPy or by XLA."""
    a = np.random.default_rng(0).normal(size=(2048, 2048)).astype(np.float32)
    b, product = jnp.asarray(a), jax.jit(lambda a: a @ a)
    product(b).block_until_ready()
    calls: list[Callable[[], object]] = [lambda: a @ a, lambda: product(b).block_until_ready()]
    return 2 * 2048**3 / min(seconds(call) for call in calls for _ in range(5))


def operations(rows: int, epochs: int) -> float:
    """Of the matrix products of one fit: forward, and backward but for the gradient of the inputs."""
    sizes = (COLUMNS, *HIDDEN, 2)
    weights = [inputs * outputs for inputs, outputs in pairwise(sizes)]
    return 2.0 * rows * epochs * (3 * sum(weights) - weights[0])


def many(seeds: int, epochs: int, batch: int, peer_epochs: int, turns: int) -> None:
    """All fits of ours against as many times a peer's fit."""
    x, y = table(10_000)
    folds = [(x[kept], y[kept]) for kept, _ in KFold(5).split(x)]
    fits = folds * seeds
    print(f"batch {batch}, {len(fits)} networks", flush=True)
    for precision in PRECISIONS:
        first, again = (seconds(partial(ours, fits, 1, batch, precision)) for _ in range(2))
        print(f"  {precision:>12}: first call {first:.1f} s, again {again:.1f} s for one epoch of all")
    peers = {"scikit-learn": scikit, "PyTorch": plain_torch}
    wall: dict[str, list[float]] = {name: [] for name in (*PRECISIONS, *peers)}
    work: dict[str, list[float]] = {name: [] for name in (*PRECISIONS, *peers)}
    for _ in range(turns):
        for name, peer in peers.items():
            call = lambda peer=peer: peer(folds[:1], peer_epochs, batch)
            wall[name].append(seconds(call) / peer_epochs)
            work[name].append(alone(call) / peer_epochs)
        for precision in PRECISIONS:
            started, train = time.process_time(), partial(ours, fits, epochs, batch, precision)
            wall[precision].append(seconds(train) / len(fits) / epochs)
            work[precision].append((time.process_time() - started) / len(fits) / epochs)
    an_epoch = {name: float(np.median(values)) for name, values in wall.items()}
    busy = {name: float(np.median(values)) for name, values in work.items()}
    floor, networks = operations(8000, 1) / ceiling(), 100 * len(fits)
    for name in PRECISIONS:
        print(
            f"  {name:>12}: {1e3 * an_epoch[name]:6.1f} ms per epoch and network, {1e3 * busy[name]:6.1f} ms of"
            f" processor time; 100 epochs of all {an_epoch[name] * networks:,.0f} s"
        )
    for name in peers:
        best = min(an_epoch[name], busy[name])
        times = ", ".join(f"{best / an_epoch[precision]:.1f} x {precision}" for precision in PRECISIONS)
        print(
            f"  {name:>12}: {1e3 * an_epoch[name]:6.1f} ms, on one thread {1e3 * busy[name]:6.1f} ms: {times};"
            f" 100 epochs of all {best * networks:,.0f} s"
        )
    times = ", ".join(f"{precision} takes {an_epoch[precision] / floor:.2f} x that" for precision in PRECISIONS)
    print(f"  dense matrix products in float32 alone: {1e3 * floor:.1f} ms; {times}", flush=True)


def single(epochs: int, turns: int) -> None:
    """One fit of 1,000 rows, all with the same layers, epochs and batch size."""
    fit = [table(1000)]
    calls: dict[str, Callable[[], None]] = {name: partial(ours, fit, epochs, 200, name) for name in PRECISIONS}
    calls["scikit-learn"] = partial(scikit, fit, epochs, 200)
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(turns):
        for name, call in calls.items():
            found[name].append(seconds(call))
    times = ", ".join(f"{name} {np.median(values):.2f} s" for name, values in found.items())
    print(f"one fit, 1,000 rows, {epochs} epochs, batch 200: {times}", flush=True)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--batch", type=int, nargs="*", default=[32, 64, 128, 200], help="rows per step, a table each")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--epochs", type=int, default=10, help="of ours; the cost is the same every epoch")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="2 seeds, 2 epochs, one turn, batch 32 only")
    given = parser.parse_args(words)
    if given.quick:
        given.batch, given.seeds, given.epochs, given.turns = [32], 2, 2, 1
    print(f"{cores()} cores; {given.seeds} seeds x 5 folds, 8,000 rows per fit, hidden layers {HIDDEN}", flush=True)
    for batch in given.batch:
        many(given.seeds, given.epochs, batch, 2 if given.quick else 4, given.turns)
    single(20 if given.quick else 100, given.turns)


if __name__ == "__main__":
    main()
