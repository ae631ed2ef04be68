"""What a run in flight carries, and what it records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from glassware.foundation.arrays import EitherArray
from glassware.foundation.backend import jnp

if TYPE_CHECKING:
    from jax import Array

NEVER = -1  # a step that has not happened


# JAX arrays in the loop; the CPU kernel fills them with NumPy arrays, and kernels store weights in forms of their own.
Numbers: TypeAlias = Any
Tree: TypeAlias = Any


class State(NamedTuple):
    """A run in flight. Scalars are traced; under lanes each gets a leading axis."""

    params: Tree  # ``Params`` in the loop
    optimiser: Tree
    t: Numbers  # steps taken
    success_step: Numbers  # first evaluation that met the success test, or NEVER
    diverged_step: Numbers  # first step whose loss was not finite, or NEVER
    done: Numbers
    sums: dict[str, Numbers]  # loss and metrics of the minibatches since the last evaluation, by name
    kept: Tree = ()  # the parameters at each of the steps to keep, stacked
    order: Array | None = None  # a finite domain in the run's own order: its sample first


class Examination(NamedTuple):
    """The held-out sample that all lanes share: compact form, and inputs unpacked once.

    None where lanes have samples of their own: a finite domain whose other examples are trained on.
    """

    raw: Array
    inputs: Array | None  # (blocks, block, *input_shape); None where they depend on what a run has hidden


class Records(NamedTuple):
    """What an advance measured: ``curves`` (evaluations, columns), of which the first ``count`` are filled."""

    t: Numbers
    curves: Numbers
    count: Numbers

    def add(self, t: Array, row: dict[str, EitherArray]) -> Records:
        """These records with the measurements of step ``t`` appended."""
        curve = jnp.concatenate([jnp.ravel(row[name]) for name in sorted(row)]).astype(jnp.float32)
        at = self.count
        return Records(self.t.at[at].set(t), self.curves.at[at].set(curve), at + 1)
