"""A sweep on Ray gives the rows of one process, whatever dies meanwhile."""

import os
import signal
import sys

import pytest

import glassware as gw
from glassware.cluster import lots
from glassware.foundation.errors import GlasswareError
from glassware.sweeps import Store
from glassware.sweeps.sweep import Silent
from tests.helpers import TINY

# Ray forks to start its servers, which JAX warns of, and leaves sockets and log files to the collector.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{kind}")
    for kind in ("RuntimeWarning", "ResourceWarning", "FutureWarning", "pytest.PytestUnraisableExceptionWarning")
]
SLOW = {**TINY, "steps": 4000, "evaluation": {"every": 200, "test": 500, "stop": False}, "keep": ["final"]}
RUNS = gw.grid(SLOW, {"model.width": [8, 16]}, seeds=40)


@pytest.fixture(scope="module")
def alone():
    return gw.sweep([run.model_copy(update={"keep": ()}) for run in RUNS])


@pytest.fixture(scope="module")
def cluster():
    """Two machines of one core each, as far as Ray knows."""
    pytest.importorskip("ray", reason="make cluster installs it")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    before = os.environ.get("RAY_ADDRESS")
    os.environ["RAY_ADDRESS"] = made.address
    yield made
    os.environ.pop("RAY_ADDRESS") if before is None else os.environ.update(RAY_ADDRESS=before)
    made.shutdown()


class Killer(Silent):
    """Kills a worker of a lot when so many rows have come."""

    def __init__(self, at, crews):
        self.at, self.rows, self.said, self.crews = list(at), 0, [], crews

    def on_message(self, line):
        self.said.append(line)

    def on_row(self, row):
        self.rows += 1
        if self.at and self.rows >= self.at[0]:
            self.at.pop(0)
            busy = [hand for hand in self.crews[0].hands if hand.busy and hand.pid]
            if busy:
                os.kill(busy[0].pid, signal.SIGKILL)


def found(frame):
    """What was found, without what tells the two kinds of run apart."""
    skip = {"id", "spec", "keep", "seconds", "glassware", "jax", "device", "engine"}
    return frame.select(sorted(set(frame.columns) - skip))


def test_two_machines_give_the_rows_of_one_process_though_workers_die(cluster, alone, tmp_path, monkeypatch):
    monkeypatch.setattr(lots, "SECONDS", 1.0)
    from glassware.cluster import crew, driver

    crews = []
    monkeypatch.setattr(driver, "Crew", lambda address: crews.append(crew.Crew(address)) or crews[0])
    killer = Killer([8, 30], crews)
    swept = gw.sweep(RUNS, tmp_path / "store", on="ray", progress=killer)
    assert not killer.at
    assert found(swept).equals(found(alone), null_equal=True)
    assert Store(tmp_path / "store").read()["id"].is_unique().all()
    assert any("2 machines, 2 CPU cores" in line for line in killer.said)
    assert gw.weights(swept["id"][0], store=tmp_path / "store")


def test_one_is_started_here_and_a_store_on_s3_gets_the_same_rows(alone, s3, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    pytest.importorskip("ray", reason="make cluster installs it")
    for runs in (RUNS[:20], RUNS):
        swept = gw.sweep(runs, s3, on="ray")
    assert found(swept).equals(found(alone), null_equal=True)
    assert Store(s3).read()["id"].is_unique().all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"on": "slurm"}, "unknown cluster 'slurm'"),
        ({"on": "ray", "share": "1/2"}, "a share or a cluster, not both"),
        ({"on": "ray://127.0.0.1:1"}, "cannot reach a Ray cluster at ray://127.0.0.1:1"),
    ],
)
def test_what_cannot_be_is_a_sentence(given, said, tmp_path):
    pytest.importorskip("ray", reason="make cluster installs it")
    with pytest.raises(GlasswareError, match=said):
        gw.sweep(RUNS[:1], tmp_path / "store", **given)


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(GlasswareError, match=r"pip install 'glassware\[ray\]'"):
        gw.sweep(RUNS[:1], on="ray")
