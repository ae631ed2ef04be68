"""Two Ray nodes of one core each against one process on the same two cores: rows and throughput.

    python -m benchmarks.cluster_speed --pairs 4 --runs 2000 --store disk     # or s3, on a server of this machine

A pair is the same sweep on Ray and in this process, one after the other and in turn first; what compiles is trained
before. By the clock other jobs of the machine count, too; by processor time, of everything that Ray runs here, they do
not, but neither does waiting.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

import glassware as gw
from glassware.cluster import trainer
from glassware.sweeps import CIRCUMSTANCES, sweep
from glassware.sweeps.sweep import Trainer
from glassware.training import Run

BASE = gw.Run(
    task=gw.Parity(n=20, k=3),
    model=gw.MLP(width=8),
    batch=8,
    steps=10_000,
    evaluation=gw.Evaluation(every=500, test=500, stop=False),
)


def runs(count: int, first: int) -> list[Run]:
    """Runs of two shapes, with seeds that no other sweep here has."""
    grid = gw.grid(BASE, {"model.width": [8, 16]}, seeds=1)
    return [run.model_copy(update={"seed": first + i}) for run in grid for i in range(count // 2)]


def processor_seconds() -> float:
    """Of this process and all that descend from it, Ray's daemons and workers among them."""
    parent, spent = dict[int, int](), dict[int, float]()
    tick = os.sysconf("SC_CLK_TCK")
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parent[int(entry.name)], spent[int(entry.name)] = int(fields[1]), (int(fields[11]) + int(fields[12])) / tick

    def ours(pid: int) -> bool:
        while pid > 1 and pid != os.getpid():
            pid = parent.get(pid, 0)
        return pid == os.getpid()

    return sum(seconds for pid, seconds in spent.items() if ours(pid))


def timed(wanted: list[Run], store: str | None, on: Trainer | None) -> tuple[pl.DataFrame, float, float]:
    """A sweep's rows, its seconds by the clock and of processor time."""
    began, before = time.monotonic(), processor_seconds()
    rows = sweep(wanted, store, trainer=on)
    return rows, time.monotonic() - began, processor_seconds() - before


@contextmanager
def stores(kind: str) -> Iterator[str]:
    """A place for stores, by whose end names are put."""
    if kind == "disk":
        with tempfile.TemporaryDirectory() as folder:
            yield f"{folder}/store-"
        return
    from tests.cluster.servers import environment, s3_server

    with s3_server() as server:
        os.environ.update(environment(server))
        yield "s3://bucket/store-"


def found(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.drop(CIRCUMSTANCES).sort("id")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--store", choices=["disk", "s3"], default="disk")
    given = parser.parse_args()
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    os.environ["RAY_ADDRESS"] = cluster.address
    clock, busy = list[float](), list[float]()
    with stores(given.store) as place, trainer("ray") as ray:
        for warm in range(2):
            sweep(runs(400, 10**6 * (warm + 1)), None, trainer=ray)
            sweep(runs(400, 10**6 * (warm + 1)), None)
        for pair in range(given.pairs):
            wanted, both = runs(given.runs, pair * given.runs), dict[str, tuple[pl.DataFrame, float, float]]()
            for name in ("ray", "alone")[:: 1 if pair % 2 else -1]:
                both[name] = timed(wanted, f"{place}{name}-{pair}", ray if name == "ray" else None)
            (theirs, seconds, used), (ours, alone, used_alone) = both["ray"], both["alone"]
            equal = found(theirs).equals(found(ours), null_equal=True)
            clock.append(alone / seconds)
            busy.append(used_alone / used)
            here, there = f"{alone:.1f} s ({used_alone:.1f} s busy)", f"{seconds:.1f} s ({used:.1f} s busy)"
            print(f"{len(wanted):,} runs: alone {here}, on Ray {there}, rows equal: {equal}", flush=True)
    cluster.shutdown()
    for name, ratios in {"the clock": clock, "processor time": busy}.items():
        ends = f"{min(ratios):.2f} to {max(ratios):.2f}"
        print(f"throughput on Ray over alone, by {name}: median {statistics.median(ratios):.2f}, {ends}")


if __name__ == "__main__":
    main()
