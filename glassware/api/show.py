"""One run, shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from glassware.api.folders import STORE, AnyStore, existing
from glassware.api.networks import AnyRow, Network, Row, find, network
from glassware.api.neurons import describe, neurons_chart
from glassware.charts import training_curves
from glassware.charts.neurons import stacked
from glassware.foundation.errors import GlasswareError
from glassware.printing.console import make_console
from glassware.printing.show import Neurons, print_run
from glassware.sweeps.rows import frame

if TYPE_CHECKING:
    import altair as alt


def show(run: AnyRow, *, store: AnyStore = STORE) -> alt.TopLevelMixin:
    """Print a run: its specification, what came of it, the neurons that carry most; return its training curve.

    Args:
        run: its row, as ``gw.train`` returns it, or its id or the beginning of its id.
        store: the folder of results with it, or with the weights that it kept.

    Returns:
        The training curve as an Altair chart; a notebook draws it. Below it, for homogeneous networks that have kept
        their weights, the strongest neurons.

    >>> import glassware as gw
    >>> row = gw.train(gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000))
    >>> chart = gw.show(row)  # doctest: +ELLIPSIS
    id ...
    success           at step ...
    """
    row = dict(run) if isinstance(run, Mapping) and "spec" in run else find(run, existing(store))
    kept = _kept(row, store)
    print_run(make_console(), row, kept if isinstance(kept, str) else _neurons(kept))
    drawn = None if isinstance(kept, str) else neurons_chart(kept)
    return training_chart(row) if drawn is None else stacked(training_chart(row), drawn)


def training_chart(row: Row) -> alt.TopLevelMixin:
    """The training curve of a run."""
    title, subtitle = f"Run {row['id']}", f"{row['model']} on {row.get('group') or row['task']}"
    return training_curves(frame([row]), by=["task"], title=title, subtitle=subtitle)


def _kept(row: Row, store: AnyStore) -> Network | str:
    """The network that a run has kept; or, in a sentence, why there is none."""
    if not json.loads(row["spec"]).get("keep"):
        return 'the run has kept no weights: give keep=("final",) in its specification'
    try:
        return network(row, store=existing(store))
    except GlasswareError as error:
        return str(error)


def _neurons(kept: Network) -> Neurons | str:
    """What each neuron carries; or, in a sentence, why nothing can be said about it."""
    try:
        return describe(kept)
    except GlasswareError as error:
        return str(error)
