"""Runs and sweeps: what trains without a study."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from glassware.api.folders import AnyStore
from glassware.api.networks import Row
from glassware.engine import Engine
from glassware.foundation.errors import GlasswareError
from glassware.foundation.limits import check_counts
from glassware.progress import Progress
from glassware.sweeps import Reporter, parse_share
from glassware.sweeps import sweep as sweep_runs
from glassware.training import Run

log = logging.getLogger("glassware")


def train(run: Run, store: AnyStore | None = None, *, engine: Engine = "auto") -> Row:
    """Train one run and return its row: what it was given, what came of it, its curves.

    Many runs are trained much faster together: see ``sweep``.

    Args:
        run: what to train.
        store: folder of results, made when it is not there; a run that it already has is not trained again. Without
            one the row is only returned, and no weights can be kept.
        engine: ``auto`` (kernels where they can, XLA otherwise), ``xla``, ``kernels`` or ``kernels-exact``.

    >>> import glassware as gw
    >>> run = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000)
    >>> row = gw.train(run)
    >>> row["success"], row["steps_to_success"] < 1000
    (True, True)
    """
    if not isinstance(run, Run):
        raise GlasswareError(f"gw.train takes one gw.Run, not {type(run).__name__}; many runs: gw.sweep")
    return sweep_runs([run], store, engine=engine).row(0, named=True)


def sweep(
    runs: Iterable[Run] | str | Path,
    store: AnyStore | None = None,
    *,
    lanes: int | None = None,
    engine: Engine = "auto",
    share: str | None = None,
    name: str | None = None,
    title: str = "",
    progress: bool | Reporter = False,
) -> pl.DataFrame:
    """Train the runs that the store does not have yet and return the rows of all of them, in the order given.

    Args:
        runs: runs (see ``grid``), or the path of a TOML sweep file.
        store: folder of results, made when it is not there; without one the rows are only returned.
        lanes: runs held at once; chosen from the device's memory unless given. On a CPU 32 per core train side by side
            and end at about the same time: with fewer the first ends sooner, which Ctrl-C then keeps.
        engine: ``auto`` (kernels where they can, XLA otherwise), ``xla``, ``kernels`` or ``kernels-exact``.
        share: ``2/8`` trains the second of eight equal shares and returns its rows; eight processes, on as many GPUs or
            machines, may do theirs at the same time into one store.
        name, title: under which the store remembers the sweep (``gw.list_sweeps``); a file's own unless given.
        progress: True prints how far it is; or a ``Reporter`` of your own.

    >>> import glassware as gw
    >>> base = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000)
    >>> rows = gw.sweep(gw.grid(base, {"m": [10, "online"]}, seeds=3))
    >>> rows.group_by("m", maintain_order=True).agg("success").rows()
    [(10, [False, False, False]), (None, [True, True, True])]
    """
    if isinstance(runs, Run):
        raise GlasswareError("gw.sweep takes many runs; one is trained by gw.train(run)")
    check_counts(lanes=lanes)
    own, reporter = None if share is None else parse_share(share), make_reporter(progress, 1, lanes, engine)
    with stopped_in_words(store, progress):
        return sweep_runs(runs, store, reporter=reporter, lanes=lanes, engine=engine, share=own, name=name, title=title)


@contextmanager
def stopped_in_words(store: AnyStore | None, progress: bool | Reporter) -> Iterator[None]:
    """On Ctrl-C say in the log what is kept; not for callers with a reporter of their own, who say it themselves."""
    try:
        yield
    except KeyboardInterrupt:
        if isinstance(progress, bool):
            place = getattr(store, "path", store)
            kept = f"finished runs are kept in {place}, and the same call goes on from there"
            log.warning(f"stopped: {kept if store is not None else 'without a store nothing is kept'}")
        raise


def make_reporter(progress: bool | Reporter, stages: int, lanes: int | None, engine: Engine) -> Reporter | None:
    """The reporter to use: none, the usual one, or one of the caller's own."""
    if isinstance(progress, bool):
        return Progress(stages=stages, lanes=lanes, engine=engine) if progress else None
    return progress
