"""What trains on a machine of a cluster: one process with all CPU cores that Ray has there, or with one GPU.

One process per core would hold and compile every shape once per core; rows do not depend on it. Nothing is imported
before the process knows its devices.
"""

from __future__ import annotations

import os
import runpy
import socket
import sys
import time
from collections.abc import Mapping
from typing import Any, NamedTuple


class Trained(NamedTuple):
    """What came of a lot.

    Attributes:
        rows: rows, each with the arrays that are kept with it.
        seconds: how long it took.
        failed: why runs are missing, in a sentence; None if none are.
    """

    rows: list[tuple[dict[str, Any], dict[str, Any]]]
    seconds: float
    failed: str | None


class Worker:
    """Trains lots.

    Args:
        device: ``CPU`` or ``GPU``.
        cores: of how many cores it may use, and the number of the first: workers of one machine do not share any.
        parts: files that register parts of one's own, which every machine must have at the same place.
        environment: variables of the driver that decide how it trains.
    """

    def __init__(self, device: str, cores: tuple[int, int], parts: list[str], environment: Mapping[str, str]) -> None:
        os.environ.update(environment)
        if device == "CPU":
            os.environ["JAX_PLATFORMS"] = "cpu"
            first, count = cores
            if hasattr(os, "sched_setaffinity"):
                allowed = sorted(os.sched_getaffinity(0))
                if count < len(allowed):
                    os.sched_setaffinity(0, {allowed[(first + i) % len(allowed)] for i in range(count)})
        self.failed: str | None = None
        try:
            from glassware.engine import devices

            for file in parts:
                sys.path.insert(0, os.path.dirname(file))
                runpy.run_path(file)
            self.devices = len(devices())
        except Exception as error:  # said when it is asked whether it is ready
            self.failed = f"a worker on {socket.gethostname()} cannot start: {type(error).__name__}: {error}"

    def ready(self) -> tuple[int, int, str | None]:
        """Its process, on how many devices it trains, and why it cannot."""
        return os.getpid(), getattr(self, "devices", 0), self.failed

    def train(
        self,
        cells: list[tuple[dict[str, Any], list[int]]],
        lanes: int | None,
        engine: str,
        weights: Mapping[tuple[str, str], Mapping[str, Any]],
    ) -> Trained:
        """Train runs, given cell by cell as the specification of one and the seeds of all."""
        from glassware.engine import check_engine, choose_lanes, train
        from glassware.engine.choice import choose
        from glassware.engine.device import on_cpu
        from glassware.foundation.errors import GlasswareError
        from glassware.sweeps.rows import arrays, row
        from glassware.sweeps.validation import build

        started, rows, failed = time.monotonic(), [], None
        try:
            runs = [build({**spec, "seed": seed}) for spec, seeds in cells for seed in seeds]
            path = check_engine(engine)
            if lanes is None and on_cpu() and not runs[0].model.solved:
                # As many for a small lot as for a large one, or every size would be compiled: idle lanes cost nothing.
                lanes = choose_lanes(runs[0].shape(), 2**20, choose(runs[0].shape(), path))
            load = lambda start: weights[start.run, str(start.step)]
            rows += [(row(out), arrays(out)) for out in train(runs, lanes=lanes, engine=path, load=load)]
        except GlasswareError as error:
            failed = str(error)
        return Trained(rows, time.monotonic() - started, failed)
