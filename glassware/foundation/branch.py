"""Branches that stay branches where many runs step together."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from glassware.foundation.backend import jnp

if TYPE_CHECKING:
    from jax import Array


def everywhere(condition: Array) -> Array:
    """Whether the condition holds; under ``vmap``, whether it holds for all that is mapped over.

    ``lax.cond`` on a condition of each lane's own computes both branches and selects. On this one it takes a single
    branch for all lanes: for conditions under which both are right and one is merely faster.
    """
    return _everywhere()(condition)


@cache
def _everywhere() -> Callable[[Array], Array]:
    from jax.custom_batching import custom_vmap

    @custom_vmap
    def held(condition: Array) -> Array:
        return condition

    @held.def_vmap
    def of_all(axis_size: int, in_batched: list[bool], condition: Array) -> tuple[Array, bool]:
        return jnp.all(condition), False

    return held
