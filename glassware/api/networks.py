"""Runs looked at one by one: their kept weights, the networks that these make, and which neurons carry the output."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from glassware.api.folders import STORE, AnyStore, as_store
from glassware.foundation.backend import jax, jnp
from glassware.foundation.draws import held_out_key
from glassware.foundation.errors import GlasswareError
from glassware.models import Homogeneous
from glassware.models.model import Params, from_leaves
from glassware.sweeps.own_code import COLUMN, tell_of_other_code
from glassware.sweeps.validation import build
from glassware.training.run import Run

Row: TypeAlias = dict[str, Any]  # one run of the results table: column to value
AnyRow: TypeAlias = str | Mapping[str, Any]  # a row, or the id of one

EXAMINED = 2000  # held-out examples on which neurons are compared


@dataclass(frozen=True)
class Network:
    """A network as a run kept it: a function from inputs to outputs.

    Attributes:
        run: the run that trained it.
        step: when it was kept.
        params: its weights, one dictionary of arrays per layer.
    """

    run: Run
    step: int | str
    params: Params

    def __call__(self, x: Any) -> np.ndarray:
        """Outputs for inputs (batch, *input_shape)."""
        given, wanted = jnp.asarray(x), self.run.task.input_shape
        if given.shape[1:] != tuple(wanted):
            axes = ", ".join(map(str, ("batch", *wanted)))
            raise GlasswareError(f"this network takes inputs of shape ({axes}), not {given.shape}")
        return np.asarray(self.run.network.apply(self.params, given))

    def examples(self, count: int = EXAMINED) -> tuple[np.ndarray, np.ndarray]:
        """Inputs and targets of held-out examples of its task."""
        task, key = self.run.task, self.run.key()
        index = np.arange(count if task.domain is None else min(count, task.domain), dtype=np.uint32)
        raw, values = task.raw(held_out_key(), index), task.values(key)
        return np.asarray(task.inputs(values, raw)), np.asarray(task.targets(values, raw))

    def shares(self) -> np.ndarray:
        """How much each hidden unit counts, (units,), summing to 1.

        For a homogeneous network its share of the sum of ||omega||^nu, by which margins are normalised. For another one
        with one hidden layer that multiplies the input, the mean size of what the unit sends to the output.
        """
        model = self.run.network
        if isinstance(model, Homogeneous):
            lengths = np.linalg.norm(np.asarray(model.neurons(self.params), np.float64), axis=1)
            sizes = lengths**model.homogeneity
            return sizes / sizes.sum() if sizes.sum() else sizes
        if not (model.layered and len(model.widths) == 1 and hasattr(model, "sigma")):
            raise GlasswareError(f"the neurons of a '{model.name}' do not each send one number to the output")
        first, last = self.params
        hidden = np.abs(np.asarray(model.sigma(self.examples()[0] @ first["w"] + first["b"]))).mean(axis=0)
        sent = hidden * np.linalg.norm(np.asarray(last["w"]), axis=1)
        return sent / sent.sum() if sent.sum() else sent


def find(run: AnyRow, store: AnyStore) -> Row:
    """The row of a run: by its row, its id, or the beginning of its id."""
    kept = as_store(store)
    wanted = run if isinstance(run, str) else str(run["id"])
    ids = kept.read(["id"])["id"]
    found = ids.filter(ids.str.starts_with(wanted)) if wanted else ids.clear()
    if len(found) != 1:
        how, hint = "no run", "; if it is in another store, give store= (--store)"
        if len(found):
            how, hint = f"{len(found)} runs", ""
        raise GlasswareError(f"{how} in {kept.path} with an id that begins with '{wanted}'{hint}")
    return kept.read(ids=found).row(0, named=True)


def weights(run: AnyRow, step: int | str = "final", *, store: AnyStore = STORE) -> dict[str, np.ndarray]:
    """The weights that a run has kept, by name: ``0.w`` is the matrix of the first layer.

    Args:
        run: its row, as ``frame.row(0, named=True)``, or its id.
        step: ``first``, ``final`` or a step that its specification keeps.
        store: the folder of results it is in.

    >>> import glassware as gw, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> run = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000, keep=("first", "final"))
    >>> row = gw.train(run, folder)
    >>> gw.weights(row, "first", store=folder)["0.w"].shape
    (10, 16)
    """
    kept = as_store(store)
    return kept.weights(find(run, kept)["id"], step)


def network(run: AnyRow, step: int | str = "final", *, store: AnyStore = STORE) -> Network:
    """The network that a run has kept, as a function from inputs to outputs.

    Args:
        run: its row, as ``frame.row(0, named=True)``, or its id.
        step: ``first``, ``final`` or a step that its specification keeps.
        store: the folder of results it is in.

    >>> import glassware as gw, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> run = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000, keep=("final",))
    >>> net = gw.network(gw.train(run, folder), store=folder)
    >>> inputs, labels = net.examples(500)
    >>> float((net(inputs) * labels > 0).mean()) > 0.9
    True
    """
    kept = as_store(store)
    row = find(run, kept)
    params = from_leaves(kept.weights(row["id"], step))
    spec = build(json.loads(row["spec"]))
    tell_of_other_code(pl.DataFrame([{"id": row["id"], COLUMN: row.get(COLUMN)}]), {row["id"]: spec}, kept.path)
    return Network(spec, step, jax.tree.map(jnp.asarray, params))
