"""Outputs of a network on all pairs of group elements at once: f(a, b) = sum over neurons of w sigma(u[a] + v[b]).

The pairs are a table, so nothing is looked up: hidden units are an outer sum. Its gradient is written out, because
what autodiff makes of it is slow on CPU cores: sums over rows and columns of the table took longer than all products.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from glassware.foundation.arrays import Array, Float
from glassware.foundation.backend import jax, jnp

if TYPE_CHECKING:
    Sigma: TypeAlias = Callable[[Float[Array, "..."]], Float[Array, "..."]]
    Embedding: TypeAlias = Float[Array, "order units"]
    Readout: TypeAlias = Float[Array, "units classes"]
    Logits: TypeAlias = Float[Array, "pairs classes"]
    Kept: TypeAlias = tuple[Embedding, Embedding, Readout, Float[Array, "pairs units"]]


def on_all_pairs(sigma: Sigma, u: Embedding, v: Embedding, w: Readout) -> Logits:
    """The outputs on the pairs (0, 0), (0, 1), .., (1, 0), .. of group elements.

    >>> import jax.numpy as jnp
    >>> u, v, w = jnp.eye(2), jnp.eye(2), jnp.ones((2, 1))
    >>> on_all_pairs(jnp.square, u, v, w)[:, 0].tolist()
    [4.0, 2.0, 2.0, 4.0]
    """
    outputs: Logits = _with_gradient()(sigma, u, v, w)
    return outputs


@cache
def _with_gradient() -> Callable[..., Logits]:
    """The function with its gradient; made when it is first used, for it needs JAX."""
    ruled = jax.custom_vjp(lambda sigma, u, v, w: _forward(sigma, u, v, w)[0], nondiff_argnums=(0,))
    ruled.defvjp(_forward, _backward)
    return ruled


def _forward(sigma: Sigma, u: Embedding, v: Embedding, w: Readout) -> tuple[Logits, Kept]:
    hidden = sigma(u[:, None, :] + v[None, :, :]).reshape(-1, u.shape[1])
    return hidden @ w, (u, v, w, hidden)


def _backward(sigma: Sigma, kept: Kept, slope: Logits) -> tuple[Embedding, Embedding, Readout]:
    u, v, w, hidden = kept
    # Without barriers XLA makes the slope twice, and turns the second product round, into a slower one.
    slope = jax.lax.optimization_barrier(slope)
    of_hidden = (slope @ w.T).reshape(len(u), len(v), -1)
    of_w = jax.lax.optimization_barrier(slope.T @ hidden).T
    sums = jax.lax.platform_dependent(u, v, of_hidden, cpu=slopes_by_rows(sigma), default=slopes_at_once(sigma))
    return (*sums, of_w)


def slopes_by_rows(sigma: Sigma) -> Callable[..., tuple[Embedding, Embedding]]:
    """Slopes of u and v, a row of the table after another: each stays in the core's cache."""

    def sums(u: Embedding, v: Embedding, of_hidden: Float[Array, "order order units"]) -> tuple[Embedding, Embedding]:
        def row(of_v: Embedding, given: tuple[Array, Array]) -> tuple[Embedding, Array]:
            element, slope = given
            of_sum = jax.lax.optimization_barrier(jax.vjp(sigma, element + v)[1](slope)[0])
            return of_v + of_sum, jnp.ones(len(v), u.dtype) @ of_sum

        of_v, of_u = jax.lax.scan(row, jnp.zeros_like(v), (u, of_hidden))
        return of_u, of_v

    return sums


def slopes_at_once(sigma: Sigma) -> Callable[..., tuple[Embedding, Embedding]]:
    """The same for devices that need much to do at a time."""

    def sums(u: Embedding, v: Embedding, of_hidden: Float[Array, "order order units"]) -> tuple[Embedding, Embedding]:
        of_sum = jax.vjp(sigma, u[:, None, :] + v[None, :, :])[1](of_hidden)[0]
        return jnp.sum(of_sum, axis=1), jnp.sum(of_sum, axis=0)

    return sums
