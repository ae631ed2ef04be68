"""JAX and Optax, imported when they are first used.

Whoever only writes or reads specifications does not wait for them. Modules that always compute import them directly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glassware.foundation.lazy import LazyModule

if TYPE_CHECKING:
    import jax as jax
    import jax.numpy as jnp
    import optax as optax
else:
    jax, jnp, optax = LazyModule("jax"), LazyModule("jax.numpy"), LazyModule("optax")

__all__ = ["jax", "jnp", "optax"]
