"""Kill workers, machines and drivers of a cluster at random, and count what is lost: ``make faults``.

    python -m tests.cluster.faults --kills 30 --runs 1000 --store s3

A driver process sweeps on two Ray nodes of this machine. Every second or so something is killed: a worker (SIGKILL), a
node with all its processes, or the driver, which is then started again. At the end the store must have every run once,
with the rows of an undisturbed sweep. On S3 the server is reached through a proxy that fails now and then.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from tests.cluster.servers import Proxy, environment, s3_server
from tests.helpers import TINY, same_findings

warnings.filterwarnings("ignore")


def wanted(count: int) -> list:
    import glassware as gw

    base = {**TINY, "steps": 20_000, "evaluation": {"every": 500, "test": 500, "stop": False}}
    return gw.grid(base, {"model.width": [8, 16]}, seeds=count // 2)


def drive(store: str, count: int) -> None:
    """What the driver process does."""
    import glassware as gw
    from glassware.cluster import lots

    lots.SECONDS = 2.0
    gw.sweep(wanted(count), store, on="ray")


def workers() -> list[int]:
    """Processes of Ray workers that descend from this one."""
    parent: dict[int, int] = {}
    named = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if (entry / "cmdline").read_bytes().startswith(b"ray::Worker"):
                    named.append(int(entry.name))
            except OSError:
                continue

    def ours(pid: int) -> bool:
        while pid > 1:
            if pid == os.getpid():
                return True
            pid = parent.get(pid, 0)
        return False

    return [pid for pid in named if ours(pid)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--runs", type=int, default=2500)
    parser.add_argument("--store", choices=["disk", "s3"], default="disk")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--drive")
    given = parser.parse_args()
    if given.drive:
        return drive(given.drive, given.runs)
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1)]
    os.environ["RAY_ADDRESS"] = cluster.address
    if given.store == "disk":
        test(given, cluster, nodes, tempfile.mkdtemp())
    else:
        with s3_server() as server:
            proxy = Proxy(server, share=0.1, seed=given.seed)
            os.environ.update(environment(proxy.address))
            test(given, cluster, nodes, "s3://bucket/faults")
            print(f"{proxy.asked:,} requests, {proxy.failed:,} of them failed on purpose")
            proxy.stop()
    cluster.shutdown()
    return None


def test(given: argparse.Namespace, cluster, nodes: list, store: str) -> None:
    chance, killed = random.Random(given.seed), {"worker": 0, "node": 0, "driver": 0}
    words = [sys.executable, "-W", "ignore", "-m", "tests.cluster.faults", "--runs", str(given.runs), "--drive", store]
    started, driver = time.monotonic(), subprocess.Popen(words)
    while driver.poll() is None or sum(killed.values()) == 0:
        time.sleep(chance.uniform(0.5, 3.0))
        if sum(killed.values()) >= given.kills:
            continue
        what = chance.choices(["worker", "node", "driver"], [8, 1, 2])[0]
        alive = workers()
        if what == "worker" and alive:
            try:
                os.kill(chance.choice(alive), signal.SIGKILL)
            except ProcessLookupError:
                continue
        elif what == "node":
            cluster.remove_node(nodes.pop(), allow_graceful=False)
            nodes.append(cluster.add_node(num_cpus=1))
        elif what == "driver" and alive and driver.poll() is None:
            driver.kill()
            driver.wait()
            driver = subprocess.Popen(words)
        else:
            continue
        killed[what] += 1
    print(f"exit code {driver.wait()} after {time.monotonic() - started:.0f} s; killed {killed}", flush=True)
    report(given, store)


def report(given: argparse.Namespace, store: str) -> None:
    import glassware as gw
    from glassware.sweeps import Store

    runs = wanted(given.runs)
    kept = Store(store)
    rows, parts = kept.read(), sum(len(kept._collect([part], None)) for part in kept.parts())
    undisturbed = gw.sweep(runs)
    lost, doubled = len(runs) - len(rows), parts - len(rows)
    equal = same_findings(rows, undisturbed)
    print(f"{len(runs):,} runs: {lost} lost, {doubled} doubled, equal to an undisturbed sweep: {equal}", flush=True)
    if lost or doubled or not equal:
        sys.exit(1)


if __name__ == "__main__":
    main()
