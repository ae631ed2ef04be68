"""What is left to train, and how long it may take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from glassware.engine import Engine
from glassware.sweeps.estimate import OnMeasure, estimate
from glassware.sweeps.experience import Experience
from glassware.sweeps.forecast import Forecast
from glassware.sweeps.identity import SEMANTICS, run_id
from glassware.sweeps.share import Share
from glassware.sweeps.store import Store
from glassware.training import Run


@dataclass(frozen=True)
class Plan:
    """The runs of a sweep by id, without repetition, those that are not finished, and the store with the others."""

    wanted: dict[str, Run]
    todo: dict[str, Run]
    store: Store | None = None

    @property
    def finished(self) -> int:
        return len(self.wanted) - len(self.todo)

    @property
    def steps(self) -> int:
        """Steps still to take if no run stops early."""
        return sum(run.steps for run in self.todo.values() if not run.model.solved)

    def estimate(
        self, lanes: int | None = None, engine: Engine = "auto", on_measure: OnMeasure | None = None
    ) -> Forecast:
        """What the rest takes: early stops as in the store, speed from a short measurement of this machine.

        Args:
            lanes, engine: as the sweep will be given them.
            on_measure: called with a line about each shape before it is timed.
        """
        return estimate(self.todo, self.todo, Experience(self.store), lanes=lanes, engine=engine, on_measure=on_measure)


def make_plan(runs: Iterable[Run], store: Store | None, share: Share | None = None) -> Plan:
    """Ids wanted, of a share of them if one is given, minus ids finished."""
    wanted = named(runs, store, share)
    finished = set(store.read(["id"], wanted)["id"]) if store is not None else set()
    return Plan(wanted, {key: run for key, run in wanted.items() if key not in finished}, store)


def named(runs: Iterable[Run], store: Store | None, share: Share | None = None) -> dict[str, Run]:
    """Runs by the ids that they have in this store, without repetition."""
    semantics = SEMANTICS if store is None else store.semantics
    by_id = {run_id(run, semantics): run for run in runs}
    if share is None:
        return by_id
    ours = share.of(by_id)
    return {key: run for key, run in by_id.items() if key in ours}
