"""Uniform doubly stochastic matrices from uniform numbers: a simplex of the polytope, and a point of it."""

from __future__ import annotations

from typing import TypeAlias

from glassware.foundation.arrays import Array, Float
from glassware.foundation.backend import jax, jnp
from glassware.theory.birkhoff import LISTED, Descent, descent, simplices, vertices

State: TypeAlias = tuple[Array, Array, Array, Array]  # the face, the order of its rows and columns, the sum so far


def numbers_needed(k: int) -> int:
    """How many uniform numbers make a matrix."""
    corners = (k - 1) ** 2 + 1
    return corners + 1 if k <= LISTED else 2 * corners - 1


def doubly_stochastic(u: Float[Array, "*batch numbers"], k: int) -> Float[Array, "*batch k k"]:
    """A uniform simplex of the polytope, and a flat Dirichlet mixture of its vertices."""
    corners = (k - 1) ** 2 + 1
    weights = -jnp.log(u[..., -corners:])
    weights = weights / jnp.sum(weights, axis=-1, keepdims=True)
    if k > LISTED:
        return _drawn(descent(k), u[..., : corners - 1], weights)
    cut = simplices(k)
    chosen = jnp.asarray(cut)[(u[..., 0] * len(cut)).astype(jnp.int32)]
    return jnp.einsum("...v,...vij->...ij", weights, jnp.asarray(vertices(k), jnp.float32)[chosen])


def _drawn(
    table: Descent, u: Float[Array, "*batch dimension"], weights: Float[Array, "*batch corners"]
) -> Float[Array, "*batch k k"]:
    """From the polytope down to a vertex, a facet at a time, adding up the vertices that are passed."""
    k = table.vertex.shape[1]
    vertex, facet, ends = jnp.asarray(table.vertex), jnp.asarray(table.facet), jnp.asarray(table.ends, jnp.float32)
    orders = jnp.asarray(table.rows), jnp.asarray(table.columns)
    at = lambda order, place: jnp.take_along_axis(order, place, axis=-1)

    def corner(face: Array, rows: Array, columns: Array) -> Array:
        """The face's vertex, in the order of rows and columns that the polytope has."""
        mark = lambda order: (order[..., :, None] == jnp.arange(k)).astype(jnp.float32)
        return jnp.einsum("...ai,...aj->...ij", mark(rows), mark(at(columns, vertex[face])))

    def down(state: State, draw: tuple[Array, Array]) -> tuple[State, None]:
        face, rows, columns, total = state
        number, weight = draw
        total = total + weight[..., None, None] * corner(face, rows, columns)
        way = jnp.sum(number[..., None] >= ends[face][..., :-1], axis=-1)
        below = at(rows, orders[0][face, way]), at(columns, orders[1][face, way])
        return (facet[face, way], *below, total), None

    batch = u.shape[:-1]
    order = jnp.broadcast_to(jnp.arange(k), (*batch, k))
    start = jnp.zeros(batch, facet.dtype), order, order, jnp.zeros((*batch, k, k))
    steps = jnp.moveaxis(u, -1, 0), jnp.moveaxis(weights[..., :-1], -1, 0)
    (face, rows, columns, total), _ = jax.lax.scan(down, start, steps)
    return total + weights[..., -1, None, None] * corner(face, rows, columns)
