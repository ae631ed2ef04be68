"""The workers of a cluster: one per machine with CPU cores, one per GPU where there are any. They come and go."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from glassware.cluster.lots import Kind
from glassware.cluster.worker import Worker
from glassware.engine.device import cores
from glassware.foundation.commands import parts_given
from glassware.foundation.errors import GlasswareError

EVERY = 2.0  # seconds between two looks at which machines there are
KNOCK = 10.0  # seconds until a cluster answers
START_SECONDS = 300.0  # a worker that is not ready by then is given up
PASSED_ON = ("GLASSWARE_CACHE", "JAX_COMPILATION_CACHE_DIR", "XLA_FLAGS", "JAX_ENABLE_X64")

log = logging.getLogger("glassware")


@dataclass
class Hand:
    """A worker, as the driver knows it."""

    node: str
    host: str
    slot: int  # which worker of its machine
    kind: Kind
    actor: Any
    asked: Any  # the answer to whether it is ready; None once that is known
    since: float
    pid: int = 0
    busy: bool = False
    known: set[Hashable] = field(default_factory=set)  # shapes that it has compiled


class Crew:
    """Connects to a cluster, or starts one here, and keeps a worker on every device of it."""

    def __init__(self, address: str | None) -> None:
        self.hands: list[Hand] = []
        self._started = not ray.is_initialized()
        self._looked, self._shown = -EVERY, ""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if not self._started:
            return
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        try:
            if address is None and not os.environ.get("RAY_ADDRESS"):
                ray.init(address="local", num_cpus=cores(), include_dashboard=False, **quiet)
                return
            _knock(address or os.environ["RAY_ADDRESS"])
            ray.init(address=address, **quiet)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            where = address or os.environ.get("RAY_ADDRESS") or "this machine"
            said = " ".join(str(error).split())[:160]
            raise GlasswareError(f"cannot reach a Ray cluster at {where}: {said}") from None

    def close(self) -> None:
        """End the workers, and the connection if it was made here."""
        for hand in self.hands:
            _end(hand)
        self.hands = []
        if self._started and ray.is_initialized():
            ray.shutdown()

    def idle(self) -> list[Hand]:
        """Workers that are ready and have nothing to do."""
        return [hand for hand in self.hands if hand.asked is None and not hand.busy]

    def forget(self, hand: Hand) -> bool:
        """Let a worker that is gone go; says whether its machine is still there."""
        _end(hand)
        if hand in self.hands:
            self.hands.remove(hand)
        self._looked = -EVERY  # look again at once
        return any(node["NodeID"] == hand.node and node["Alive"] for node in ray.nodes())

    def look(self, tell: Callable[[str], None]) -> None:
        """Start workers on machines that have come, ask which are ready, and say what there is if that has changed."""
        now = time.monotonic()
        if now - self._looked >= EVERY:
            self._looked = now
            self._start(now)
        for hand in [hand for hand in self.hands if hand.asked is not None]:
            self._ask(hand, now)
        there = self.describe()
        if there != self._shown:
            self._shown = there
            tell(there)

    def describe(self) -> str:
        """Machines and devices, in words."""
        ready = [hand for hand in self.hands if hand.asked is None]
        counts = Counter[str]()
        for hand in ready:
            counts["CPU cores" if hand.kind.device == "CPU" else "GPUs"] += hand.kind.devices
        machines = len({hand.node for hand in ready})
        words = [f"{count:,} {name}" for name, count in counts.items()]
        starting = len(self.hands) - len(ready)
        more = f", {starting} workers starting" if starting else ""
        return f"on Ray: {machines:,} machines, {' and '.join(words) or 'no device ready'}{more}"

    def _start(self, now: float) -> None:
        nodes = [node for node in ray.nodes() if node["Alive"]]
        alive = {node["NodeID"] for node in nodes}
        for hand in [hand for hand in self.hands if hand.node not in alive and not hand.busy]:
            self.hands.remove(hand)
        there = {(hand.node, hand.slot) for hand in self.hands}
        first = Counter[str]()  # cores of a machine that workers of its other nodes have
        for node in sorted(nodes, key=lambda node: str(node["NodeID"])):
            gpus, count = int(node["Resources"].get("GPU", 0)), int(node["Resources"].get("CPU", 0))
            host = str(node["NodeManagerHostname"])
            for slot in range(gpus or min(1, count)):
                if (node["NodeID"], slot) not in there:
                    self.hands.append(_hire(str(node["NodeID"]), host, slot, bool(gpus), (first[host], count), now))
            first[host] += count

    def _ask(self, hand: Hand, now: float) -> None:
        """Whether a worker that was started is ready."""
        done, _ = ray.wait([hand.asked], timeout=0)
        if not done:
            if now - hand.since > START_SECONDS:
                log.warning("a worker on %s was not ready after %.0f s", hand.host, START_SECONDS)
                _end(hand)
                self.hands.remove(hand)
            return
        try:
            hand.pid, devices, failed = ray.get(hand.asked)
        except ray.exceptions.RayError:  # died meanwhile; started again at the next look
            self.hands.remove(hand)
            return
        if failed is not None:
            raise GlasswareError(failed)
        hand.kind, hand.asked = Kind(hand.kind.device, devices), None


def _knock(address: str) -> None:
    """Fail at once where nothing listens: Ray would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=KNOCK).close()


def _hire(node: str, host: str, slot: int, gpu: bool, share: tuple[int, int], now: float) -> Hand:
    device = "GPU" if gpu else "CPU"
    options: dict[str, Any] = {"num_gpus": 1, "num_cpus": 0} if gpu else {"num_cpus": share[1]}
    placed = NodeAffinitySchedulingStrategy(node, soft=False)
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    made = ray.remote(Worker).options(**options, scheduling_strategy=placed, max_restarts=0)
    actor = made.remote(device, share, parts_given(), environment)
    return Hand(node, host, slot, Kind(device, share[1]), actor, actor.ready.remote(), now)


def _end(hand: Hand) -> None:
    try:
        ray.kill(hand.actor)
    except Exception as error:  # it is gone already, or Ray is
        log.debug("a worker on %s could not be ended: %s", hand.host, error)
