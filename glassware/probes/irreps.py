"""Which irreps of the group the weights of a ``group-net`` lie in: a frequency where the group is cyclic.

u, v and w of a neuron are functions on the group. Their power in an irrep is the share of their square norm in the
functions that its matrix entries span. A neuron counts for the irrep in which its u has most power.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from glassware.foundation.arrays import Array, EitherArray, Float, Int, Params, RunValues
from glassware.foundation.backend import jax, jnp
from glassware.probes.margins import neuron_masses
from glassware.probes.subject import Candidate, Found, Subject
from glassware.theory.margins.characters import projectors, real_irreps
from glassware.theory.margins.groups import Group

ALIVE = 0.1  # a neuron counts as alive from this share of the largest neuron's norm


def irrep_mass(run: Subject, values: RunValues, params: Params) -> Found:
    """Where the weight is: ``mass`` (irreps,), shares of the sum of ||omega||^nu; ``weighted_power`` (3,), largest
    power of u, v and w, averaged over neurons by their mass; ``alive``, neurons with a norm above a tenth of the
    largest."""
    group, masses = run.task.structure, neuron_masses(run, params)
    found = [largest_power(group, part) for part in parts(params)]
    shares = masses / jnp.sum(masses)
    owner = found[0][1][:, None] == jnp.arange(len(real_irreps(group)))
    norms = masses ** (1 / run.network.homogeneity)
    return {
        "mass": shares @ owner.astype(jnp.float32),
        "weighted_power": jnp.stack([jnp.sum(shares * power) for power, _ in found]),
        "alive": jnp.sum(norms > ALIVE * jnp.max(norms)).astype(jnp.float32),
    }


def irrep_neurons(run: Subject, values: RunValues, params: Params) -> Found:
    """Every neuron, (units,) each: ``neuron_size`` ||omega||; ``power_u``, ``irrep_u`` and likewise v, w: the largest
    power and the irrep that has it; ``first_power``, ``first_irrep``: of u before the first step; ``alignment``: 1 for
    neurons of the optimal form, and only for them; ``balance``: largest over smallest norm of u, v, w; ``w_over_u``:
    norm of w over that of u; ``phase_defect`` of the dominant frequency, on cyclic groups."""
    group = run.task.structure
    found: dict[str, Float[Array, "..."]] = {"neuron_size": neuron_masses(run, params) ** (1 / run.network.homogeneity)}
    for name, part in zip("uvw", parts(params), strict=True):
        power, irrep = largest_power(group, part)
        found |= {f"power_{name}": power, f"irrep_{name}": irrep.astype(jnp.float32)}
    power, irrep = largest_power(group, parts(run.first(values))[0])
    found |= {"first_power": power, "first_irrep": irrep.astype(jnp.float32)}
    norms = jnp.stack([jnp.linalg.norm(part, axis=0) for part in parts(params)])
    found |= {
        "alignment": alignment(group, parts(params)),
        "balance": jnp.max(norms, axis=0) / jnp.min(norms, axis=0),
        "w_over_u": norms[2] / norms[0],
    }
    if group.family == "cyclic":
        found["phase_defect"] = phase_defect(parts(params))
    return found


def logit_gaps(run: Subject, values: RunValues, params: Params) -> Found:
    """How far the logits f(a, b, c), less their mean over c, depend on the conjugacy class of a b c^-1 alone.

    ``class_fit``: the share R^2 of their variance that the class explains; ``class_gaps`` (classes,): the logit of the
    right answer minus the mean logit at each class, 0 at the class of e.
    """
    group = run.task.structure
    order, classes = group.order, jnp.asarray(group.classes[group.quotients])  # of a c^-1, by a and c
    member = (classes[:, :, None] == jnp.arange(len(group.class_sizes))).astype(jnp.float32)

    def one(a: Array) -> tuple[Array, Array]:
        pairs = jnp.stack([jnp.full(order, a), jnp.arange(order)], axis=-1)
        logits = run.network.apply(params, pairs)
        centred = logits - jnp.mean(logits, axis=1, keepdims=True)
        return jnp.einsum("bc,bck->k", centred, member[jnp.asarray(group.table)[a]]), jnp.sum(centred**2)

    sums, squares = jax.lax.map(one, jnp.arange(order))
    counts = jnp.asarray(group.class_sizes * order**2, jnp.float32)
    means = jnp.sum(sums, axis=0) / counts
    return {"class_fit": jnp.sum(counts * means**2) / jnp.sum(squares), "class_gaps": means[0] - means}


def parts(params: Params) -> tuple[Float[EitherArray, "order units"], ...]:
    """u, v and w, one column per neuron."""
    return params[0]["u"], params[0]["v"], params[1]["w"].T


def largest_power(
    group: Group, part: Float[EitherArray, "order units"]
) -> tuple[Float[Array, " units"], Int[Array, " units"]]:
    """The largest power of each column, and the irrep that has it; NaN for a column of zeros."""
    basis, owner = _basis(group)
    member = owner[:, None] == np.arange(len(real_irreps(group)))
    square = ((jnp.asarray(basis.T) @ part) ** 2).T @ jnp.asarray(member, jnp.float32)
    powers = square / jnp.sum(square, axis=1, keepdims=True)
    return jnp.max(powers, axis=1), jnp.argmax(powers, axis=1)


def alignment(group: Group, weights: tuple[Float[EitherArray, "order units"], ...]) -> Float[Array, " units"]:
    """Sum over a, b of u(a) v(b) w(ab), over its largest value at these norms in the irrep that u is in.

    It is 1 where u, v and w lie in one irrep and their coefficient matrices there are x y^T, y z^T and x z^T: on a
    cyclic group, where they are one wave each and the phases of u and v add up to that of w.
    """
    u, v, w = weights
    table = jnp.asarray(group.table)
    total = jnp.sum(jax.lax.map(lambda a: u[a] * jnp.sum(v * w[table[a]], axis=0), jnp.arange(group.order)), axis=0)
    norms = jnp.prod(jnp.stack([jnp.linalg.norm(part, axis=0) for part in weights]), axis=0)
    best = np.array([irrep.efficiency * (group.order / irrep.dimension) ** 0.5 for irrep in real_irreps(group)])
    return total / (norms * jnp.asarray(best, jnp.float32)[largest_power(group, u)[1]])


def phase_defect(weights: tuple[Float[EitherArray, "order units"], ...]) -> Float[Array, " units"]:
    """arg u^ + arg v^ - arg w^ at the dominant frequency of u, in (-pi, pi]; NaN where that is the constant."""
    spectra = [jnp.fft.rfft(part, axis=0) for part in weights]
    # The constant counts once in a square norm, every other frequency twice.
    sizes = jnp.abs(spectra[0]) * jnp.where(jnp.arange(len(spectra[0])) == 0, 0.5**0.5, 1.0)[:, None]
    top = jnp.argmax(sizes, axis=0)[None, :]
    u, v, w = (jnp.take_along_axis(spectrum, top, axis=0)[0] for spectrum in spectra)
    return jnp.where(top[0] == 0, jnp.nan, jnp.angle(u * v * jnp.conj(w)))


@lru_cache(maxsize=16)
def _basis(group: Group) -> tuple[Float[np.ndarray, "order order"], Int[np.ndarray, " order"]]:
    """An orthonormal basis of the functions on the group, column by column, and the irrep that each belongs to."""
    columns = [np.linalg.eigh(projector)[1][:, -irrep.multiplicity :] for projector, irrep in
               zip(projectors(group), real_irreps(group), strict=True)]  # fmt: skip
    owner = np.repeat(np.arange(len(columns)), [column.shape[1] for column in columns])
    return np.concatenate(columns, axis=1).astype(np.float32), owner


def check_irreps(run: Candidate) -> None:
    """The check of a probe that looks at the neurons of a group-net."""
    if run.model.name != "group-net":
        raise ValueError(f"this probe looks at irreps in the weights of a 'group-net', not of a '{run.model.name}'")
