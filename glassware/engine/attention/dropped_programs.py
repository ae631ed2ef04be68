"""What a program of attention to dropped tokens does with its tile, for one example after another.

``dropped`` says which programs there are, and what becomes of what they leave.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from glassware.foundation.arrays import Array, Bool, Float
from glassware.foundation.draws import scramble
from glassware.models.dropout import factors
from glassware.models.layer_norm import EPSILON

FAR = -1e30  # the logit of a token that fills a tile up; a difference of two must be a number

LOW_BITS = 2048.0  # the second half of a split number is held times this


class Tuning(NamedTuple):
    """What changes speed, and nothing else but the order of sums.

    Attributes:
        tile: tokens that a program looks at together.
        examples: it takes them through, at most.
        warps, stages: of a program.
    """

    tile: int
    examples: int
    warps: int
    stages: int = 1


class Sizes(NamedTuple):
    """What a program is compiled for.

    Attributes:
        tokens: of an example.
        padded: of one half of them, in whole tiles.
        rate, attention_rate: of dropout.
    """

    tokens: int
    padded: int
    heads: int
    width: int
    rate: float
    attention_rate: float

    @property
    def half(self) -> int:
        return -(-self.tokens // 2)


def _product(a: Array, b: Array, over: tuple[int, int]) -> Array:
    """The matrix product over these axes of the two, of factors split into two numbers of float16: about 22 bits."""
    axes = (((over[0],), (over[1],)), ((), ()))
    product = lambda a, b: jax.lax.dot_general(a, b, axes, preferred_element_type=jnp.float32)
    (high, low), (other_high, other_low) = _split(a), _split(b)
    small = product(low, other_high) + product(high, other_low)
    return product(high, other_high) + small * (1 / LOW_BITS)


def _split(a: Array) -> tuple[Array, Array]:
    """The nearest numbers of float16, and what is missing."""
    high = a.astype(jnp.float16)
    return high, ((a - high.astype(jnp.float32)) * LOW_BITS).astype(jnp.float16)


class _Tile:
    """A tile of tokens, as a program makes it for one example after another."""

    def __init__(
        self, tuning: Tuning, sizes: Sizes, table: Any, x: Any, rows: Any, columns: Any, rows_of: Any, columns_of: Any
    ) -> None:
        self.tuning, self.sizes = tuning, sizes
        self.table, self.x, self.coins, self.coins_of_weights = table, x, (rows, columns), (rows_of, columns_of)
        first = pl.program_id(1) * tuning.tile
        last_half = (first >= sizes.padded).astype(jnp.int32)
        self.shift = (16 * last_half).astype(jnp.uint32)
        # Tokens of this half, counted from the first one here.
        self.present = sizes.half - last_half * (sizes.tokens % 2) - (first - last_half * sizes.padded)

    def bits(self, n: Array) -> Bool[Array, "tile 1"]:
        return self.x[n][:, None] > 0.5

    def normed(self, n: Array) -> tuple[Array, Array, Array]:
        """Tokens after dropout and layer norm; what the norm has multiplied by, and the factors of dropout."""
        rows, columns = self.coins
        kept = factors(scramble(columns[...] + rows[n]), self.shift, self.sizes.rate)
        z = jnp.where(self.bits(n), self.table[1], self.table[0]) * kept
        centred = z - self.mean(z)
        scale = jax.lax.rsqrt(self.mean(centred * centred) + EPSILON)
        return centred * scale, scale, kept

    def mean(self, z: Float[Array, "tile d"]) -> Float[Array, "tile 1"]:
        return (jnp.sum(z, axis=1) * (1 / self.sizes.width))[:, None]

    def logits(self, u: Float[Array, "tile d"], to_logit: Float[Array, "heads d"]) -> Float[Array, "tile heads"]:
        shape = (self.tuning.tile, self.sizes.heads)
        here = jax.lax.broadcasted_iota(jnp.int32, shape, 0) < self.present
        return jnp.where(here, _product(u, to_logit, (1, 1)), FAR)

    def factors_of_weights(self, n: Array) -> Float[Array, "tile heads"] | float:
        """Those of dropout on attention weights."""
        if not self.sizes.attention_rate:
            return 1.0
        rows, columns = self.coins_of_weights
        head = jax.lax.broadcasted_iota(jnp.int32, columns.shape, 1)
        shift = jnp.where(head < -(-self.sizes.heads // 2), 0, 16).astype(jnp.uint32)
        return factors(scramble(columns[...] + rows[n]), shift, self.sizes.attention_rate)


def _examples(tuning: Tuning, batch: int) -> tuple[Array, int | Array]:
    """The first example of this program, and how many it has."""
    first = pl.program_id(0) * tuning.examples
    even = batch % tuning.examples == 0
    return first, tuning.examples if even else jnp.minimum(tuning.examples, batch - first)


def look(
    tuning: Tuning, sizes: Sizes, batch: int, table: Any, to_logit: Any, x: Any, rows: Any, columns: Any,
    rows_of: Any, columns_of: Any, mean: Any, most: Any, sums: Any, totals: Any,
) -> None:  # fmt: skip
    """The body of the forward pass."""
    tile = _Tile(tuning, sizes, table, x, rows, columns, rows_of, columns_of)
    first, count = _examples(tuning, batch)

    def example(i: Array, nothing: None) -> None:
        n = first + i
        u, _, _ = tile.normed(n)
        logits = tile.logits(u, to_logit[n])
        largest = jnp.max(logits, axis=0)
        weights = jnp.exp(logits - largest[None, :])
        most[n], sums[n] = largest, jnp.sum(weights, axis=0)
        weights = weights * tile.factors_of_weights(n)
        totals[n], mean[n] = jnp.sum(weights, axis=0), _product(weights, u, (0, 0))

    jax.lax.fori_loop(0, count, example, None)


def slopes(
    tuning: Tuning, sizes: Sizes, batch: int, table: Any, to_logit: Any, x: Any, rows: Any, columns: Any,
    rows_of: Any, columns_of: Any, d_mean: Any, d_total: Any, expected: Any, largest: Any, inverse: Any,
    size: Any,
    d_table: Any, d_to_logit: Any,
) -> None:  # fmt: skip
    """The body of the backward pass. Slopes come divided by their largest, ``size``: float16 reaches only so far."""
    tile = _Tile(tuning, sizes, table, x, rows, columns, rows_of, columns_of)
    first, count = _examples(tuning, batch)

    def example(i: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        n = first + i
        u, scale, kept = tile.normed(n)
        logits = tile.logits(u, to_logit[n])
        weights = jnp.exp(logits - largest[n][None, :]) * inverse[n][None, :]
        gain = _product(u, d_mean[n], (1, 1)) + d_total[n][None, :]
        shares = weights * tile.factors_of_weights(n)
        d_logits = shares * gain - weights * expected[n][None, :]
        d_to_logit[n] = _product(d_logits, u, (0, 0))
        d_u = _product(shares, d_mean[n], (1, 0)) + _product(d_logits, to_logit[n], (1, 0))
        d_z = (d_u - tile.mean(d_u) - u * tile.mean(d_u * u)) * (scale * size[n] * kept)
        ones, (low, high) = tile.bits(n), sums
        return jnp.where(ones, low, low + d_z), jnp.where(ones, high + d_z, high)

    nothing = jnp.zeros((tuning.tile, sizes.width), jnp.float32)
    low, high = jax.lax.fori_loop(0, count, example, (nothing, nothing))
    d_table[0], d_table[1] = low, high
