"""One run, shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from glassware.api.folders import STORE, AnyStore, as_store, existing
from glassware.api.networks import AnyRow, Row, find, network
from glassware.charts import training_curves
from glassware.foundation.errors import GlasswareError
from glassware.printing.console import make_console
from glassware.printing.show import Neurons, print_run
from glassware.sweeps.rows import frame

if TYPE_CHECKING:
    import altair as alt


def show(run: AnyRow, *, store: AnyStore = STORE) -> alt.TopLevelMixin:
    """Print a run: its specification, what came of it, the neurons that carry its output; return its training curve.

    Args:
        run: its row, as ``gw.train`` returns it, or its id or the beginning of its id.
        store: the folder of results with it, or with the weights that it kept.

    Returns:
        The training curve as an Altair chart; a notebook draws it.

    >>> import glassware as gw
    >>> row = gw.train(gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000))
    >>> chart = gw.show(row)  # doctest: +ELLIPSIS
    id ...
    success           at step ...
    """
    row = dict(run) if isinstance(run, Mapping) and "spec" in run else find(run, existing(store))
    print_run(make_console(), row, _neurons(row, store))
    return training_chart(row)


def training_chart(row: Row) -> alt.TopLevelMixin:
    """The training curve of a run."""
    title, subtitle = f"Run {row['id']}", f"{row['model']} on {row['task']}"
    return training_curves(frame([row]), by=["task"], title=title, subtitle=subtitle)


def _neurons(row: Row, store: AnyStore) -> Neurons | str:
    """What each neuron carries; or, in a sentence, why nothing can be said about it."""
    if not json.loads(row["spec"]).get("keep"):
        return 'the run has kept no weights: give keep=("final",) in its specification'
    if isinstance(store, str | Path) and not Path(store).exists():
        return f"there is no store at {store} with its weights"
    try:
        found = network(row, store=as_store(store))
        return Neurons(found.shares(), np.asarray(found.params[0]["w"]))
    except GlasswareError as error:
        return str(error)
