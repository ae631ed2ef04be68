"""Layer norm, at once and as what it subtracts and multiplies by."""

from __future__ import annotations

from glassware.foundation.arrays import Array, EitherArray, Float
from glassware.foundation.backend import jax, jnp

EPSILON = 1e-5  # added to variances


def layer_norm(
    z: Float[EitherArray, "*rows d"], scale: Float[EitherArray, " d"], shift: Float[EitherArray, " d"]
) -> Float[Array, "*rows d"]:
    """Rows of mean 0 and variance 1, scaled and shifted."""
    centred = z - jnp.mean(z, axis=-1, keepdims=True)
    normed = centred * jax.lax.rsqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + EPSILON)
    return jnp.asarray(normed * scale + shift)


def centre_and_scale(z: Float[Array, "*rows d"]) -> tuple[Float[Array, " *rows"], Float[Array, " *rows"]]:
    """What a layer norm subtracts, and what it multiplies by."""
    centre = jnp.mean(z, axis=-1)
    return centre, jax.lax.rsqrt(jnp.maximum(jnp.mean(z**2, axis=-1) - centre**2, 0.0) + EPSILON)
