"""Any form and any batch size: minibatches in blocks, their gradients added up in registers, then one update.

Networks of one layer or two with any activation; batches of one example to thousands. A batch smaller than a block is
padded with examples that count for nothing. Weights stay in registers like those of ``Resident``, which is faster for
what it can do: plain networks whose batch is one block.
"""

from __future__ import annotations

from typing import TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt

from glassware.engine.kernels import arithmetic as do
from glassware.engine.kernels.arithmetic import LOW_BITS, Recipe
from glassware.engine.kernels.exchange import Exchange, nothing
from glassware.engine.kernels.kinds import Count, Lane, Memory, PerExample, PerUnit, Scalar, Sums, Tile, Words
from glassware.engine.kernels.layout import SCALE, WORD
from glassware.engine.kernels.life import NONE, Tally, Trained, blank_tally
from glassware.foundation.arrays import Array, Bool, Float16, Float32

Weights: TypeAlias = tuple[Tile, PerUnit]
Carry: TypeAlias = tuple[Weights, Scalar, Count, Tally, Count]  # weights, c, t, tally, turn
Gradients: TypeAlias = tuple[Tile, PerUnit, Scalar]
Added: TypeAlias = tuple[Gradients, Tally, Count]


class Blocks:
    """One row tile of column tiles, held times SCALE, and the outgoing weights."""

    def __init__(
        self, recipe: Recipe, lane: Lane, exchange: Exchange, w: Memory, v: Memory, me: Count, part: Count
    ) -> None:
        self.recipe, self.lane, self.exchange, self.form = recipe, lane, exchange, recipe.form
        self.w, self.v, self.me = w, v, me
        layout = recipe.layout
        self.size = layout.slice_rows
        self.first = part * self.size
        self.rows = pl.ds(self.first, self.size)
        self.columns = [pl.ds(q * WORD, count * WORD) for q, count in layout.columns]

    def load(self) -> Weights:
        return tuple(self.w[self.me, self.rows, q] for q in self.columns), self.v[self.me, self.rows]

    def store(self, weights: Weights) -> None:
        tile, v = weights
        for w, q in zip(tile, self.columns, strict=True):
            self.w[self.me, self.rows, q] = w
        self.v[self.me, self.rows] = v

    def total(self, weights: Weights) -> Scalar:
        tile, v = weights
        return sum(jnp.sum(w) for w in tile) + jnp.sum(v)

    def output(self, weights: Weights, words: Words, turn: Count) -> tuple[PerExample, Count]:
        tile, v = weights
        z = do.hidden(self.recipe, tile, do.inputs(self.recipe.layout, words)) * (1.0 / SCALE)
        share, _ = self._readout(z, v)
        output, turn, _ = self.exchange.sum(share, turn, nothing)
        return output, turn

    def train(self, weights: Weights, c: Scalar, t: Count, broken: Count, turn: Count) -> Trained[Weights]:
        start = (weights, c, t, blank_tally(self.recipe), turn)
        weights, c, t, tally, turn = jax.lax.fori_loop(0, self.recipe.every, lambda _, carry: self._step(carry), start)
        return weights, c, t, *tally.close(self.recipe, broken), turn

    def _step(self, carry: Carry) -> Carry:
        """One minibatch step."""
        recipe, (weights, c, t, tally, turn) = self.recipe, carry
        tile, v = weights
        none = tuple(jnp.zeros(w.shape, jnp.float32) for w in tile), jnp.zeros(v.shape, jnp.float32), jnp.float32(0)
        block = lambda i, carry: self._block(weights, c, t, i, carry)
        start = (none, tally, turn)
        if recipe.blocks == 1:
            (dw, dv, dc), tally, turn = block(jnp.int32(0), start)
        else:
            (dw, dv, dc), tally, turn = jax.lax.fori_loop(0, recipe.blocks, block, start)
        keep, size = self.lane["keep"], self.lane["lr"] * (1.0 / recipe.batch)
        tile = tuple(w * keep - (size * SCALE) * d for w, d in zip(tile, dw, strict=True))
        if self.form.readout in ("affine", "linear"):
            v = v * keep - size * dv
        if self.form.readout == "affine":
            c = c * keep - size * dc
        return (tile, v), c, t + 1, tally, turn

    def _block(self, weights: Weights, c: Scalar, t: Count, i: Count, carry: Added) -> Added:
        """Add one block's gradients (not yet divided by the batch size)."""
        recipe, ((dw, dv, dc), tally, turn) = self.recipe, carry
        tile, v = weights
        words, y = do.minibatch(recipe, self.lane, t, i * recipe.block)
        xs = do.inputs(recipe.layout, words)
        z = do.hidden(recipe, tile, xs) * (1.0 / SCALE)
        share, (unit, by_z) = self._readout(z, v)
        total, turn, _ = self.exchange.sum(share, turn, nothing)
        output = total + c
        loss, slope = do.loss_terms(recipe, self.lane, output, y)
        missed = jnp.where(y * output > 0, 0.0, 1.0)
        if recipe.batch % recipe.block:
            slot = jax.lax.broadcasted_iota(jnp.int32, (recipe.block,), 0) + i * recipe.block
            real = slot < recipe.batch
            loss, slope, missed = (jnp.where(real, a, 0.0) for a in (loss, slope, missed))
        broken = jnp.where(jnp.abs(loss) < np.inf, NONE, t + 1)
        tally = Tally(tally.loss + loss, tally.missed + missed, jnp.minimum(tally.broken, broken))
        g = by_z * slope[None, :]
        dw = tuple(d + self._product(g, x) for d, x in zip(dw, xs, strict=True))
        if self.form.readout in ("affine", "linear"):
            dv = dv + jnp.where(self._present(), jnp.sum(unit * slope[None, :], axis=1), 0.0)
        return (dw, dv, dc + jnp.sum(slope)), tally, turn

    def _product(self, g: Sums, x: Float16[Array, "block columns"]) -> Float32[Array, "rows columns"]:
        """g x with g in half precision, or in two halves for ``exact``."""
        high = g.astype(jnp.float16)
        product = plt.dot(high, x)
        if self.recipe.exact:
            low = ((g - high.astype(jnp.float32)) * LOW_BITS).astype(jnp.float16)
            product = product + plt.dot(low, x) * (1.0 / LOW_BITS)
        return product

    def _present(self) -> Bool[Array, " rows"]:
        """Which rows are units; the others are padding, and what sigma makes of them must not be learnt."""
        return jax.lax.broadcasted_iota(jnp.int32, (self.size,), 0) + self.first < self.recipe.layout.width

    def _readout(self, z: Sums, v: PerUnit) -> tuple[PerExample, tuple[Sums, Sums]]:
        """The slice's share of the outputs; its units, and the share's slope by z."""
        row = jax.lax.broadcasted_iota(jnp.int32, z.shape, 0)
        if self.form.units == 1:  # sigma of one row, not of all that a tile has
            unit, rise = self.form.sigma(do.once(jnp.sum(z, axis=0)), self.lane["degree"])
            weight = jnp.sum(v)
            alone = lambda values: jnp.where(row == 0, jnp.broadcast_to(values[None, :], z.shape), 0.0)
            return unit * weight, (alone(unit), alone(rise * weight))
        unit, rise = self.form.sigma(z, self.lane["degree"])
        if self.form.readout != "product":
            return jnp.sum(unit * v[:, None], axis=0), (unit, rise * v[:, None])
        factors = [jnp.sum(jnp.where(row == i, z, 0.0), axis=0) for i in range(self.form.units)]
        output, by_z = factors[0], jnp.zeros_like(z)
        for factor in factors[1:]:
            output = output * factor
        for i in range(self.form.units):
            others = jnp.ones_like(output)
            for j, factor in enumerate(factors):
                others = others if i == j else others * factor
            by_z = jnp.where(row == i, others[None, :], by_z)
        return output, (unit, by_z)
