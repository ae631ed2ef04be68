"""Deals the runs of a sweep to the machines of a Ray cluster, and hands over their rows as they come.

The driver alone writes the store: so there is one writer, as always, workers need neither the store nor its
credentials, and a row is either written or its lot is dealt again. What a worker had not sent yet is lost with it, and
nothing else. When the driver dies Ray ends its workers, and the same command goes on from the store.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import ray

from glassware.cluster.crew import Crew, Hand
from glassware.cluster.lots import Lot, Lots
from glassware.engine import Chunk, Engine
from glassware.foundation.errors import GlasswareError
from glassware.foundation.quantities import runs_text
from glassware.sweeps.rows import Row
from glassware.training import Load, Run

LOOK = 1.0  # seconds between two looks at the cluster
PATIENCE = 300.0  # seconds without any worker after which it is given up

log = logging.getLogger("glassware")


@dataclass
class _Sweep:
    """What is being trained."""

    lots: Lots
    flying: dict[Any, tuple[Hand, Lot]] = field(default_factory=dict)  # by the reference of what will come of it
    failed: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # runs given up, by why


class Driver:
    """A ``Trainer``. Its workers stay, with what they have compiled, until it is closed.

    Args:
        address: of a cluster; None: the one Ray finds, or one that is started here.
    """

    def __init__(self, address: str | None = None) -> None:
        self.address = address
        self._crew: Crew | None = None

    def __call__(
        self,
        todo: Mapping[str, Run],
        *,
        lanes: int | None,
        engine: Engine,
        on_chunk: Callable[[Chunk], None],
        tell: Callable[[str], None],
        load: Load | None,
    ) -> Iterator[tuple[Row, dict[str, np.ndarray]]]:
        """Train runs and yield each row with its arrays, in no particular order."""
        if self._crew is None:
            self._crew = Crew(self.address)
        crew, sweep, alone = self._crew, _Sweep(Lots(todo)), time.monotonic()
        while sweep.lots or sweep.flying:
            crew.look(tell)
            for hand in crew.idle():
                self._give(sweep, hand, lanes, engine, load)
            done: list[Any] = []
            if sweep.flying:
                alone = time.monotonic()
                done, _ = ray.wait(list(sweep.flying), num_returns=len(sweep.flying), timeout=0)
                done = done or ray.wait(list(sweep.flying), num_returns=1, timeout=LOOK)[0]
            elif time.monotonic() - alone > PATIENCE:
                raise GlasswareError(f"no machine of the cluster has trained anything for {PATIENCE:.0f} s")
            else:
                time.sleep(LOOK / 10)
            on_chunk(Chunk(steps=0, active=len(sweep.flying), seconds=0.0))
            for reference in done:
                yield from self._receive(sweep, reference, on_chunk)
        if sweep.failed:
            raise GlasswareError("; ".join(f"{runs_text(len(ids))}: {why}" for why, ids in sweep.failed.items()))

    def close(self) -> None:
        """End the workers, and the cluster if it was started here."""
        if self._crew is not None:
            self._crew.close()
        self._crew = None

    def _give(self, sweep: _Sweep, hand: Hand, lanes: int | None, engine: Engine, load: Load | None) -> None:
        assert self._crew is not None
        lot = sweep.lots.take(hand.kind, max(1, len(self._crew.hands)), hand.known)
        if lot is None:
            return
        cells: dict[Run, list[int]] = defaultdict(list)
        for run in lot.runs.values():
            cells[run.model_copy(update={"seed": 0})].append(run.seed)
        starts = {run.start for run in cells if run.start is not None}
        weights = {(start.run, str(start.step)): load(start) for start in starts} if load is not None else {}
        plain = [(cell.canonical(), seeds) for cell, seeds in cells.items()]
        sweep.flying[hand.actor.train.remote(plain, lanes, engine, weights)] = hand, lot
        hand.busy = True

    def _receive(
        self, sweep: _Sweep, reference: Any, on_chunk: Callable[[Chunk], None]
    ) -> Iterator[tuple[Row, dict[str, np.ndarray]]]:
        assert self._crew is not None
        hand, lot = sweep.flying.pop(reference)
        hand.busy = False
        try:
            trained = ray.get(reference)
        except ray.exceptions.RayTaskError as error:  # nothing that a worker expects
            raise GlasswareError(f"a worker failed at a lot of {runs_text(len(lot.runs))}: {error.cause!r}") from None
        except ray.exceptions.RayError as error:  # it is gone, or what it sent
            here = self._crew.forget(hand)
            log.info("a worker on %s is gone (%s); its runs are dealt again", hand.host, type(error).__name__)
            for key in sweep.lots.lost(lot, died=here):
                sweep.failed["each ended every process that trained it"].append(key)
            return
        sweep.lots.done(lot, hand.kind, trained.seconds, lot.shape in hand.known)
        hand.known.add(lot.shape)
        steps = sum(int(found["steps_taken"]) for found, _ in trained.rows)
        on_chunk(Chunk(steps=steps, active=len(sweep.flying), seconds=trained.seconds))
        missing = dict.fromkeys(lot.runs)
        for found, arrays in trained.rows:
            if missing.pop(found["id"], 0) == 0:
                raise GlasswareError(
                    f"a worker on {hand.host} names a run otherwise than the driver: they have different versions of "
                    "glassware, or of parts of your own"
                )
            yield found, arrays
        if missing:
            sweep.failed[trained.failed or f"a worker on {hand.host} sent no row"] += list(missing)
