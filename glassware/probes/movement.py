"""Hidden progress: how far the first-layer weights have moved, long before the error shows it.

The initial weights are not kept: they are drawn again from their addresses at every evaluation, which costs far less
than the evaluation itself. Of a run that starts from kept weights, those are the initial ones.
"""

from __future__ import annotations

from glassware.foundation.arrays import Array, EitherArray, Float, Params, RunValues
from glassware.foundation.backend import jnp
from glassware.probes.subject import Numbers, Subject


def movement(run: Subject, values: RunValues, params: Params) -> Numbers:
    """rho = max |w_t - w_0| over all first-layer weights."""
    return {"movement": jnp.max(jnp.abs(_moved(run, values, params)))}


def relevant_movement(run: Subject, values: RunValues, params: Params) -> Numbers:
    """The largest first-layer weight and movement on the hidden support S: ``relevant_weight``, ``relevant_moved``."""
    return _largest(run, values, params, on_support(run, values), "relevant")


def irrelevant_movement(run: Subject, values: RunValues, params: Params) -> Numbers:
    """The same off the support: ``irrelevant_weight``, ``irrelevant_moved``."""
    return _largest(run, values, params, 1.0 - on_support(run, values), "irrelevant")


def trajectory(run: Subject, values: RunValues, params: Params) -> Numbers:
    """Every first-layer weight: ``weight_j_i`` is what coordinate i sends to unit j."""
    weight = params[0]["w"]
    inputs, units = weight.shape
    return {f"weight_{j}_{i}": weight[i, j] for j in range(units) for i in range(inputs)}


def drift(run: Subject, values: RunValues, params: Params) -> Numbers:
    """How far a network with one hidden layer has gone from where it started, at its worst neuron.

    ``readout_size``: max |u|. ``neuron_moved``: the largest Euclidean distance of a neuron's incoming weights from the
    first ones. ``bias_moved``: the largest distance of a bias.
    """
    start = run.first(values)[0]
    return {
        "readout_size": jnp.max(jnp.abs(params[1]["w"])),
        "neuron_moved": jnp.max(jnp.linalg.norm(params[0]["w"] - start["w"], axis=0)),
        "bias_moved": jnp.max(jnp.abs(params[0]["b"] - start["b"])),
    }


def on_support(run: Subject, values: RunValues) -> Float[Array, " n"]:
    """1 on the coordinates of S, 0 elsewhere."""
    return (1.0 - run.task.signs(values["task"]["mask"])) / 2.0


def _moved(run: Subject, values: RunValues, params: Params) -> Float[EitherArray, "n units"]:
    return params[0]["w"] - run.first(values)[0]["w"]


def _largest(run: Subject, values: RunValues, params: Params, where: Float[Array, " n"], name: str) -> Numbers:
    largest = lambda entries: jnp.max(jnp.abs(entries) * where[:, None])
    return {
        f"{name}_weight": largest(params[0]["w"]),
        f"{name}_moved": largest(_moved(run, values, params)),
    }
