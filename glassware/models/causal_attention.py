"""Causal attention over a few features per position, for sequences that lie side by side in blocks.

Scores are bilinear in the features, so whoever calls it chooses how few they are. A kernel of the engine takes its
place where there is one (``provide``); elsewhere, and in float64, it is what stands here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from glassware.foundation.arrays import Array, Float, Int
from glassware.foundation.backend import jax, jnp

SIDE_BY_SIDE = 16  # sequences of a block: floats of a vector on CPU cores

Planes: TypeAlias = Float[Array, "features blocks t 16"]
Attend: TypeAlias = Callable[[Array, Array, Array, Array, Array], Array]

# From the numbers of features of keys, offsets and values, and of positions.
Kernels: TypeAlias = Callable[[int, int, int, int], Attend | None]

_kernel: Kernels = lambda f, g, v, t: None


def provide(kernel: Kernels) -> None:
    """Name what gives the kernel for such sizes, or None where there is none; it is called when one is needed."""
    global _kernel
    _kernel = kernel


def attend(
    alpha: Float[Array, "f blocks t 16"],
    kappa: Float[Array, "f blocks t 16"],
    phi: Float[Array, "g blocks t 16"],
    table: Float[Array, "t g"],
    nu: Float[Array, "v blocks t 16"],
) -> Float[Array, "v blocks t 16"]:
    """For every query i the mean of nu_j over keys j <= i, with weights softmax(alpha_i kappa_j + phi_i table_{i-j}).

    Args:
        alpha: what a query asks of keys.
        kappa: what a key answers.
        phi: what a query asks of offsets; may have no features.
        table: what the offsets 0, 1, .. answer.
        nu: what is averaged.
    """
    kernel = _kernel(len(alpha), len(phi), len(nu), alpha.shape[2]) if alpha.dtype == jnp.float32 else None
    return (kernel or attend_plainly)(alpha, kappa, phi, table, nu)


def attend_plainly(
    alpha: Float[Array, "f blocks t 16"],
    kappa: Float[Array, "f blocks t 16"],
    phi: Float[Array, "g blocks t 16"],
    table: Float[Array, "t g"],
    nu: Float[Array, "v blocks t 16"],
) -> Float[Array, "v blocks t 16"]:
    """``attend`` as matrix products around a softmax."""
    t = alpha.shape[2]
    scores = jnp.einsum("fnqs,fnks->nsqk", alpha, kappa)
    if len(phi):
        scores = scores + by_key(jnp.einsum("gnqs,mg->nsqm", phi, table))
    ahead = jnp.arange(t)[None, :] > jnp.arange(t)[:, None]
    weights = jax.nn.softmax(jnp.where(ahead, -jnp.inf, scores), axis=-1)
    return jnp.einsum("nsqk,vnks->vnqs", weights, nu)


def by_key(by_offset: Float[Array, "*batch t t"]) -> Float[Array, "*batch t t"]:
    """From (query i, offset m) to (query i, key i - m), by shearing the table instead of looking entries up.

    Entries whose key lies ahead are arbitrary.
    """
    t = by_offset.shape[-1]
    flipped = jnp.pad(by_offset[..., ::-1], [(0, 0)] * (by_offset.ndim - 1) + [(0, 1)])
    flat = flipped.reshape(*by_offset.shape[:-2], t * (t + 1))
    return flat[..., t - 1 : t - 1 + t * t].reshape(by_offset.shape)


def in_blocks(x: Int[Array, "batch t"]) -> Int[Array, "blocks t 16"]:
    """Sequences side by side, sixteen to a block; the last block is filled up with zeros."""
    batch, t = x.shape
    blocks = math.ceil(batch / SIDE_BY_SIDE)
    padded = jnp.pad(x, ((0, blocks * SIDE_BY_SIDE - batch), (0, 0)))
    return padded.reshape(blocks, SIDE_BY_SIDE, t).transpose(0, 2, 1)


def out_of_blocks(planes: Float[Array, "features blocks t 16"], batch: int) -> Float[Array, "examples t features"]:
    """The features of every position of the first ``batch`` sequences."""
    features, _, t, _ = planes.shape
    return planes.transpose(1, 3, 2, 0).reshape(-1, t, features)[:batch]
