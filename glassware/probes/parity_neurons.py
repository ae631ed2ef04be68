"""The neurons of a ``power-net`` on the parity of all sign vectors, beside the form that has the largest margin."""

from __future__ import annotations

from glassware.foundation.arrays import Array, Bool, EitherArray, Float, Params, RunValues
from glassware.foundation.backend import jnp
from glassware.probes.margins import neuron_masses
from glassware.probes.movement import on_support
from glassware.probes.subject import Candidate, Found, Subject


def parity_neurons(run: Subject, values: RunValues, params: Params) -> Found:
    """Every neuron, (units,) each, and the sign patterns of u on the support.

    ``neuron_size``: ||omega||. ``off_support``: largest |u_j| off S over the largest. ``evenness``: largest over
    smallest of ||w|| and the |u_j| on S. ``same_sign``: |w_0 + w_1| / ||w||. ``agrees``: the sign of
    (product of u_j over S) (w_0 - w_1). ``pattern_mass`` (2^(k-1),): share of the sum of ||omega||^nu that belongs to
    each pattern of signs of u on S; a pattern and its opposite are one.
    """
    u, w = params[0]["w"], params[1]["w"].T
    size, on = jnp.abs(u), on_support(run, values)[:, None] > 0
    length = jnp.linalg.norm(w, axis=0)
    least = jnp.minimum(jnp.min(jnp.where(on, size, jnp.inf), axis=0), length)
    most = jnp.maximum(jnp.max(jnp.where(on, size, 0.0), axis=0), length)
    masses = neuron_masses(run, params)
    return {
        "neuron_size": masses ** (1 / run.network.homogeneity),
        "off_support": jnp.max(jnp.where(on, 0.0, size), axis=0) / jnp.max(size, axis=0),
        "evenness": most / least,
        "same_sign": jnp.abs(w[0] + w[1]) / length,
        "agrees": jnp.sign(jnp.prod(jnp.where(on, jnp.sign(u), 1.0), axis=0) * (w[0] - w[1])),
        "pattern_mass": _pattern_mass(u, on[:, 0], masses, run.task.k),
    }


def _pattern_mass(
    u: Float[EitherArray, "n units"], on: Bool[Array, " n"], masses: Float[Array, " units"], k: int
) -> Float[Array, " patterns"]:
    order = jnp.argsort(~on, stable=True)[:k]  # the coordinates of S
    minus = u[order] < 0
    minus = minus ^ minus[:1]  # a pattern and its opposite are one: the first sign is +
    number = jnp.sum(minus[1:] * (1 << jnp.arange(k - 1))[:, None], axis=0)
    return (number[:, None] == jnp.arange(1 << (k - 1))).T.astype(jnp.float32) @ masses / jnp.sum(masses)


def check_parity_neurons(run: Candidate) -> None:
    """The check of the probe above."""
    if run.model.name != "power-net" or run.task.name != "cube-parity":
        raise ValueError("the probe 'parity_neurons' needs the model 'power-net' on the task 'cube-parity'")
