"""The arithmetic of a training step, as all kernels do it.

Everything a step needs is made on the spot: the minibatch's example numbers and the examples themselves are Threefry
draws, the labels are parities of masked words. With inputs of +-1 half precision loses nothing on the data side:

- forward, ``h = W x``: W is rounded to float16 (11 bits, what tf32 keeps), or split into two halves for ``exact``;
- backward, ``dW = g x``: under the hinge loss g is v times a sign or zero. ``exact`` multiplies the signs, which is
  exact integer arithmetic, and scales by v afterwards in float32; the fast way scales first.

Weights are held times ``SCALE`` so that small gradients stay clear of float16's denormal range. In return a weight
beyond 255 overflows: such a run counts as diverged, a step or two before float32 would see it so.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax.experimental.pallas import triton as plt

from glassware.engine.kernels.form import Form
from glassware.engine.kernels.kinds import Count, Inputs, Lane, PerExample, PerUnit, Scalar, Sums, Tile, Word, Words
from glassware.engine.kernels.layout import WORD, Layout
from glassware.foundation.arrays import Array, Float16, Shaped
from glassware.foundation.draws import draw, unit
from glassware.training.objective import SIGN_LOSSES

LOW_BITS = 2048.0  # the second half of a split number is held times this


@dataclass(frozen=True)
class Recipe:
    """What is compiled in."""

    layout: Layout
    form: Form
    batch: int
    block: int  # examples taken at once; a batch has one block or more, of which the last may be padded
    losses: tuple[str, ...]  # which of them is a lane's own value
    noise: bool
    every: int
    test: int
    screen: int
    exact: bool
    warps: int  # of an instance
    threads: bool = True  # False in interpret mode, where there are none to wait for

    @property
    def blocks(self) -> int:
        """Blocks of a minibatch."""
        return -(-self.batch // self.block)

    @property
    def rows_of_a_look(self) -> int:
        """Rows of a block's numbers that give every thread of an instance one at least."""
        return -(-32 * self.warps // self.block)


def minibatch(recipe: Recipe, lane: Lane, t: Count, first: Count | int = 0) -> tuple[Words, PerExample]:
    """Words and labels of a block of step ``t``'s minibatch, from its ``first`` example."""
    slot = jax.lax.broadcasted_iota(jnp.uint32, (recipe.block,), 0) + jnp.uint32(first)
    now = t.astype(jnp.uint32)
    drawn, _ = draw(lane["order"], slot * jnp.uint32(0) + now, slot)
    fresh = now * jnp.uint32(recipe.batch) + slot
    index = jnp.where(lane["m"] > jnp.uint32(0), drawn % jnp.maximum(lane["m"], jnp.uint32(1)), fresh)
    words: Words = []
    for j in range(-(-recipe.layout.words // 2)):
        words += draw(lane["example"], index, slot * jnp.uint32(0) + jnp.uint32(j))
    words = [once(word) for word in words[: recipe.layout.words]]
    y = labels(lane, words)
    if recipe.noise:
        coin, _ = draw(lane["noise_key"], index, slot * jnp.uint32(0))
        y = y * jnp.where(unit(once(coin)) < lane["noise"], -1.0, 1.0)
    return words, y


def once(word: Shaped[Array, " block"]) -> Shaped[Array, " block"]:
    """The same numbers, made once and then handed round.

    Left to itself the compiler lets every thread draw all the words it is going to use, its neighbours' too: at n = 50,
    r = 16 that was four fifths of all instructions. It moves no computation across a sum along an axis unless the
    result lies as that axis tells; after sums along two different ones it never does. Either axis has one entry.
    """
    return jnp.sum(jnp.sum(word[None, :], axis=0)[:, None], axis=1)


def labels(lane: Lane, words: Words) -> PerExample:
    """Parities of the hidden coordinates."""
    relevant = [word & mask for word, mask in zip(words, lane["mask"], strict=True)]
    return jnp.where(_odd(functools.reduce(jnp.bitwise_xor, relevant)) == jnp.uint32(1), -1.0, 1.0)


def _odd(word: Word) -> Word:
    """1 where a word has an odd number of ones."""
    for shift in (16, 8, 4, 2, 1):
        word = word ^ (word >> jnp.uint32(shift))
    return word & jnp.uint32(1)


def inputs(layout: Layout, words: Words) -> Inputs:
    """Words to tiles of inputs, of 32 or 64 columns each: +-1, the constant 1, then zeros."""
    return [_signs(layout.n - q * WORD, words[q : q + count]) for q, count in layout.columns]


def _signs(constant: int, words: Words) -> Float16[Array, "block columns"]:
    """One tile; ``constant`` is the column of the constant input, counted from this tile's first."""
    column = jax.lax.broadcasted_iota(jnp.uint32, (words[0].shape[0], WORD * len(words)), 1)
    word = words[0][:, None]
    if len(words) == 2:
        word = jnp.where(column < jnp.uint32(WORD), word, words[1][:, None])
    bit = (word >> (column & jnp.uint32(WORD - 1))) & jnp.uint32(1)
    x = jnp.where(bit == jnp.uint32(1), -1.0, 1.0)
    if constant < WORD * len(words):
        place = column.astype(jnp.int32)
        x = jnp.where(place < constant, x, jnp.where(place == constant, 1.0, 0.0))
    return x.astype(jnp.float16)


def hidden(recipe: Recipe, tile: Tile, xs: Inputs) -> Sums:
    """Held hidden sums of a row tile."""
    total: Sums | None = None
    for w, x in zip(tile, xs, strict=True):
        high = w.astype(jnp.float16)
        part = plt.dot(high, x, trans_b=True)
        if recipe.exact:
            low = ((w - high.astype(jnp.float32)) * LOW_BITS).astype(jnp.float16)
            part = part + plt.dot(low, x, trans_b=True) * (1.0 / LOW_BITS)
        total = part if total is None else total + part
    assert total is not None, "a tile has columns"
    return total


def weighted(h: Sums, v: PerUnit) -> PerExample:
    """The tile's share of the outputs, held."""
    return jnp.sum(jnp.maximum(h, 0.0) * v[:, None], axis=0)


def loss_terms(recipe: Recipe, lane: Lane, output: PerExample, y: PerExample) -> tuple[PerExample, PerExample]:
    """The lane's loss and its derivative by the output."""
    first, *others = recipe.losses
    value, slope = _loss(first, output, y)
    for other in others:
        here = lane["loss"] == SIGN_LOSSES.index(other)
        value, slope = (jnp.where(here, a, b) for a, b in zip(_loss(other, output, y), (value, slope), strict=True))
    return value, slope


def _loss(loss: str, output: PerExample, y: PerExample) -> tuple[PerExample, PerExample]:
    margin = y * output
    if loss == "hinge":
        return jnp.maximum(1.0 - margin, 0.0), jnp.where(margin < 1.0, -y, 0.0)
    if loss == "square":
        return (output - y) * (output - y), 2.0 * (output - y)
    weight = jnp.exp(-jnp.abs(margin))
    value = jnp.maximum(-margin, 0.0) + jnp.log(1.0 + weight)
    return value, -y * jnp.where(margin > 0, weight, 1.0) / (1.0 + weight)


def step_weights(
    recipe: Recipe, tile: Tile, h: Sums, v: PerUnit, slope: PerExample, xs: Inputs, factor: Scalar, keep: Scalar
) -> Tile:
    """The row tile after a step: keep * w + factor * v_j * sum_i [h_ji > 0] slope_i x_i; fast leaves out ``keep``."""
    mask, scaled = h > 0, factor * v
    if not recipe.exact:
        g = jnp.where(mask, scaled[:, None] * slope[None, :], 0.0).astype(jnp.float16)
        return tuple(w + plt.dot(g, x) for w, x in zip(tile, xs, strict=True))
    high = slope.astype(jnp.float16)
    low = ((slope - high.astype(jnp.float32)) * LOW_BITS).astype(jnp.float16)
    new = []
    for w, x in zip(tile, xs, strict=True):
        product = plt.dot(jnp.where(mask, high[None, :], jnp.float16(0)), x)
        if recipe.losses != ("hinge",):  # hinge slopes are signs: the first product is exact already
            product = product + plt.dot(jnp.where(mask, low[None, :], jnp.float16(0)), x) * (1.0 / LOW_BITS)
        new.append(w * keep + product * scaled[:, None])
    return tuple(new)


def step_readout(h: Sums, v: PerUnit, slope: PerExample, step_size: Scalar, keep: Scalar) -> PerUnit:
    """The tile's outgoing weights after a step; ``step_size`` carries the factor from held sums to true ones."""
    return v * keep - step_size * jnp.sum(jnp.maximum(h, 0.0) * slope[None, :], axis=1)
