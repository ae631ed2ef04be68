"""JAX and Optax, imported when they are first used.

Whoever only writes or reads specifications does not wait for them. Modules that always compute import them directly.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jax as jax
    import jax.numpy as jnp
    import optax as optax
else:

    class _Lazy(ModuleType):
        """A module that imports itself when one of its names is looked up."""

        def __getattr__(self, name: str) -> Any:
            return getattr(importlib.import_module(self.__name__), name)

    jax, jnp, optax = _Lazy("jax"), _Lazy("jax.numpy"), _Lazy("optax")

__all__ = ["jax", "jnp", "optax"]
