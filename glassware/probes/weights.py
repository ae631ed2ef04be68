"""Probes that look at the weights of a layered network."""

from __future__ import annotations

from glassware.foundation.arrays import Params, RunValues
from glassware.foundation.backend import jnp
from glassware.probes.movement import on_support
from glassware.probes.subject import Found, Numbers, Subject


def weight_norms(run: Subject, values: RunValues, params: Params) -> Numbers:
    """Frobenius norm of every layer's weight matrix: ``norm_1`` is the first layer."""
    return {f"norm_{i + 1}": jnp.sqrt(jnp.sum(layer["w"] ** 2)) for i, layer in enumerate(params)}


def neuron_norms(run: Subject, values: RunValues, params: Params) -> Found:
    """Length of every first-layer neuron's incoming weights, (width,)."""
    return {"neuron_norms": jnp.sqrt(jnp.sum(params[0]["w"] ** 2, axis=0))}


def support_share(run: Subject, values: RunValues, params: Params) -> Found:
    """Share of every first-layer neuron's squared weight that lies on the hidden support S, (width,).

    A neuron near 1 has found the relevant coordinates: a winning ticket. A random dense neuron sits near k/n.
    """
    square = params[0]["w"] ** 2
    return {"support_share": on_support(run, values) @ square / jnp.maximum(jnp.sum(square, axis=0), 1e-30)}


def first_layer_weights(run: Subject, values: RunValues, params: Params) -> Found:
    """All first-layer weights, unit after unit, (units n,): two runs' distance is a difference of these."""
    return {"first_layer": params[0]["w"].T.reshape(-1)}


def weight_sizes(run: Subject, values: RunValues, params: Params) -> Numbers:
    """Mean, least and largest size of first-layer weights on the support, ``relevant_mean``, ``_low``, ``_high``; off
    it ``irrelevant_mean``, .."""
    size, on = jnp.abs(params[0]["w"]), on_support(run, values)[:, None] > 0
    found = {}
    for name, where in (("relevant", on), ("irrelevant", ~on)):
        found[f"{name}_mean"] = jnp.mean(size, where=where)
        found[f"{name}_low"] = jnp.min(size, where=where, initial=jnp.inf)
        found[f"{name}_high"] = jnp.max(size, where=where, initial=0.0)
    return found


def good_neurons(run: Subject, values: RunValues, params: Params) -> Found:
    """What is left of the neurons whose first weights cancel on S, in units of what they first sent out, u / sqrt(n).

    ``good``: how many there are. ``alpha``: their mean weight on S, ``alpha_low`` and ``alpha_high`` that of single
    neurons. ``off_rms``: the root mean square of their weights off S. ``good_active``: how many of them have 0, 1, ..
    non-zero first weights off S, (n + 1,).
    """
    first, on = run.first(values), on_support(run, values)[:, None]
    drawn, inputs = first[0]["w"], params[0]["w"].shape[0]
    good = jnp.sum(on * drawn, axis=0) == 0
    weights = jnp.sqrt(jnp.float32(inputs)) * params[0]["w"] / first[1]["w"].reshape(-1)
    alpha = jnp.sum(on * weights, axis=0) / jnp.sum(on)
    square = jnp.sum((1.0 - on) * weights**2, axis=0) / jnp.sum(1.0 - on)
    active = jnp.sum((1.0 - on) * (drawn != 0), axis=0).astype(jnp.int32)
    return {
        "good": jnp.sum(good).astype(jnp.float32),
        "alpha": jnp.mean(alpha, where=good),
        "alpha_low": jnp.min(alpha, where=good, initial=jnp.inf),
        "alpha_high": jnp.max(alpha, where=good, initial=-jnp.inf),
        "off_rms": jnp.sqrt(jnp.mean(square, where=good)),
        "good_active": jnp.zeros(inputs + 1).at[active].add(good.astype(jnp.float32)),
    }
