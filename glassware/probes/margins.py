"""Margins of homogeneous networks on a finite domain: the smallest, the mean, and how near to the largest possible.

Everything is measured on the whole domain, whatever the run trains on.
"""

from __future__ import annotations

import math

from glassware.foundation.arrays import Array, Float, Integer, Params, RunValues
from glassware.foundation.backend import jax, jnp
from glassware.probes.subject import Candidate, Found, Numbers, Subject
from glassware.theory.margins.optimum import max_margin, max_margin_parity

BLOCK = 2**22  # hidden activations that are held at once
SHOWN = 8  # neurons whose weights a row keeps


def margin(run: Subject, values: RunValues, params: Params) -> Numbers:
    """The margin, min over examples of f[y] - max over y' != y of f[y'], and what it says at any scale of the weights.

    ``margin`` and ``mean_margin`` over the domain; ``norm_power``: sum over neurons of ||omega||^nu; ``margin_ratio``
    and ``mean_margin_ratio``: over ``norm_power`` and the largest possible normalised margin (not a number where that
    is not known).
    """
    least, mean = _over_domain(run, values, params)
    size = jnp.sum(neuron_masses(run, params))
    best = largest_margin(run)
    return {
        "margin": least,
        "mean_margin": mean,
        "norm_power": size,
        "margin_ratio": least / (size * best),
        "mean_margin_ratio": mean / (size * best),
    }


def largest_neurons(run: Subject, values: RunValues, params: Params) -> Found:
    """All weights of the eight largest neurons, ``largest_neurons`` (8, numbers), the largest first."""
    neurons, masses = run.network.neurons(params), neuron_masses(run, params)
    return {"largest_neurons": neurons[jnp.argsort(-masses)[:SHOWN]]}


def neuron_masses(run: Subject, params: Params) -> Float[Array, " units"]:
    """||omega||^nu of every neuron."""
    square = jnp.sum(run.network.neurons(params) ** 2, axis=1)
    return square ** (run.network.homogeneity / 2)


def largest_margin(run: Subject) -> float:
    """gamma*, the largest normalised margin of the run's kind of network on its task; NaN where it is not known."""
    task, network = run.task, run.network
    if task.name == "group" and network.homogeneity == 3:
        return max_margin(task.structure).margin
    if task.name == "cube-parity" and network.homogeneity == task.k + 1:
        return max_margin_parity(task.k)
    return math.nan


def point_margins(logits: Float[Array, "batch classes"], y: Integer[Array, " batch"]) -> Float[Array, " batch"]:
    """f[y] minus the largest other logit."""
    true = jnp.arange(logits.shape[-1]) == y[:, None]
    return jnp.sum(jnp.where(true, logits, 0.0), axis=-1) - jnp.max(jnp.where(true, -jnp.inf, logits), axis=-1)


def _over_domain(run: Subject, values: RunValues, params: Params) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Smallest and mean margin, a block of examples at a time."""
    task, domain = run.task, run.task.domain or 0
    block = min(domain, max(64, BLOCK // run.network.widest(task)))
    blocks = -(-domain // block)

    def one(first: Array) -> tuple[Array, Array]:
        place = first + jnp.arange(block, dtype=jnp.uint32)
        raw = task.raw(values["keys"]["example"], jnp.minimum(place, jnp.uint32(domain - 1)))
        margins = point_margins(
            run.network.apply(params, task.inputs(values["task"], raw)), task.targets(values["task"], raw)
        )
        return jnp.min(margins), jnp.sum(jnp.where(place < domain, margins, 0.0))

    least, sums = jax.lax.map(one, jnp.arange(blocks, dtype=jnp.uint32) * jnp.uint32(block))
    return jnp.min(least), jnp.sum(sums) / domain


def check_margin(run: Candidate) -> None:
    """The check of a probe that needs a homogeneous network and all examples of a task with classes."""
    if run.task.domain is None or run.task.kind != "class":
        raise ValueError(f"margins are measured on all examples of a task with classes, not on '{run.task.name}'")
    if not hasattr(run.model, "homogeneity"):
        raise ValueError(f"margins need a homogeneous network such as 'group-net', not '{run.model.name}'")
