"""The Fourier gap of a single neuron: by how much its population gradient tells relevant coordinates apart."""

from __future__ import annotations

import numpy as np

from glassware.foundation.arrays import Array, Float, Params, RunValues
from glassware.foundation.backend import jax, jnp
from glassware.probes.movement import on_support
from glassware.probes.outputs import correlation_of, mean_over
from glassware.probes.subject import Numbers, Sample, Subject

ENUMERATED = 16  # inputs up to which the cube is walked through
BLOCK = 1024  # its points at a time


def fourier_gap(run: Subject, values: RunValues, params: Params, exam: Sample) -> Numbers:
    """``gap`` = max over S of |g_i| minus max off S, and ``gap_min`` = min over S of |g_i| minus the same.

    g is the gradient of E[y yhat(x)] by the weights, on the population: in closed form for sinusoids, by enumeration
    for n <= 16, else estimated on the held-out sample. It is that of the correlation loss with the sign turned, and of
    the hinge loss while outputs stay below 1.
    """
    relevant = on_support(run, values) > 0
    size = jnp.abs(population_gradient(run, values, params, exam))
    noise = jnp.max(jnp.where(relevant, 0.0, size))
    return {
        "gap": jnp.max(jnp.where(relevant, size, 0.0)) - noise,
        "gap_min": jnp.min(jnp.where(relevant, size, jnp.inf)) - noise,
    }


def population_gradient(run: Subject, values: RunValues, params: Params, exam: Sample) -> Float[Array, " n"]:
    """d E[y yhat(x)] / d w for a network with one first-layer neuron."""
    n = run.task.input_size
    if run.network.name in ("neuron", "mlp") and run.network.wave is not None and run.network.layers <= 2:
        return _sinusoid(run, values, params, *run.network.wave)
    blocks = exam.raw
    if n <= ENUMERATED:
        points = jnp.arange(2**n, dtype=jnp.uint32)
        blocks = points.reshape(-1, min(BLOCK, 2**n), 1)  # a point of the cube is an example's packed bits
    gradient = jax.grad(lambda params, raw: correlation_of(run, values, params, raw))
    return mean_over(blocks, lambda raw: gradient(params, raw)[0]["w"])[:, 0]


def _sinusoid(run: Subject, values: RunValues, params: Params, a: float, c: float) -> Float[Array, " n"]:
    """The closed form for u sin(a (w.x + b) + c).

    E[prod of x_j over T times sin(a w.x + d)] is the product of sin(a w_j) over T and cos(a w_j) off T, times
    sin(d + |T| pi/2). Here T is S with i taken out or put in, and d = a b + c + pi/2 makes the sine its slope.
    """
    first, *rest = params
    scale = a * rest[0]["w"][0, 0] if rest else a
    relevant = on_support(run, values) > 0
    angle = a * first["w"][:, 0]
    sine, cosine = jnp.sin(angle), jnp.cos(angle)
    others = _products_of_others(jnp.where(relevant, sine, cosine))
    own = jnp.where(relevant, cosine, sine)
    size = jnp.sum(relevant) + jnp.where(relevant, -1, 1)
    phase = a * first["b"][0] + c + np.pi / 2.0 * ((size + 1) % 4)
    return scale * own * others * jnp.sin(phase)


def _products_of_others(factors: Float[Array, " n"]) -> Float[Array, " n"]:
    """For every entry the product of all the others, without a division: any of them may be 0."""
    one = jnp.ones(1, factors.dtype)
    before = jnp.cumprod(jnp.concatenate([one, factors[:-1]]))
    after = jnp.cumprod(jnp.concatenate([one, factors[:0:-1]]))[::-1]
    return before * after
