"""Weights in registers: a network, or a slice of a wider one, that never leaves the chip between rounds."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from glassware.engine.kernels import arithmetic as do
from glassware.engine.kernels.arithmetic import SCALE, Recipe
from glassware.engine.kernels.exchange import Exchange
from glassware.engine.kernels.layout import WORD
from glassware.engine.kernels.life import outcome


class Resident:
    """Row tiles of column tiles, held times SCALE, and the outgoing weights."""

    def __init__(self, recipe: Recipe, lane: Any, exchange: Exchange, w: Any, v: Any, me: Any, part: Any) -> None:
        self.recipe, self.lane, self.exchange = recipe, lane, exchange
        self.w, self.v, self.me = w, v, me
        layout = recipe.layout
        self.columns = [pl.ds(q * WORD, WORD) for q in range(layout.words)]
        self.rows = [pl.ds(part * layout.slice_rows + start, size) for start, size in layout.tiles]

    def load(self) -> Any:
        ws = tuple(tuple(self.w[self.me, r, q] * SCALE for q in self.columns) for r in self.rows)
        return ws, tuple(self.v[self.me, r] for r in self.rows)

    def store(self, weights: Any) -> None:
        ws, vs = weights
        for tile, r in zip(ws, self.rows, strict=True):
            for w, q in zip(tile, self.columns, strict=True):
                self.w[self.me, r, q] = w * (1.0 / SCALE)
        for v, r in zip(vs, self.rows, strict=True):
            self.v[self.me, r] = v

    def total(self, weights: Any) -> Any:
        ws, vs = weights
        return sum(jnp.sum(w) for tile in ws for w in tile) + sum(jnp.sum(v) for v in vs)

    def output(self, weights: Any, words: list[Any], turn: Any) -> tuple[Any, Any]:
        _, held, turn = self._forward(weights, do.inputs(self.recipe.layout, words), turn)
        return held * (1.0 / SCALE), turn

    def train(self, weights: Any, c: Any, t: Any, broken: Any, turn: Any) -> tuple[Any, ...]:
        zero, one = jnp.float32(0), jnp.float32(1)
        start = (weights, c, one, t, zero, zero, broken, turn)
        end = jax.lax.fori_loop(0, self.recipe.every, lambda _, carry: self._step(self._renew(carry)), start)
        (ws, vs), c, decay, t, loss, miss, broken, turn = end
        if not self.recipe.exact:
            ws = jax.tree.map(lambda w: w * decay, ws)
        return (ws, vs), c, t, loss, miss, broken, turn

    def _forward(self, weights: Any, xs: list[Any], turn: Any) -> tuple[list[Any], Any, Any]:
        """Hidden sums of each row tile, and the network's outputs without the output bias; both held."""
        ws, vs = weights
        hs = [do.hidden(self.recipe, tile, xs) for tile in ws]
        share = sum(do.weighted(h, v) for h, v in zip(hs, vs, strict=True))
        total, turn = self.exchange.sum(share, turn)
        return hs, total, turn

    def _step(self, carry: Any) -> Any:
        """One minibatch step. ``decay`` is the weight decay that the held weights do not contain yet (fast only)."""
        recipe, lane = self.recipe, self.lane
        (ws, vs), c, decay, t, loss_sum, error_sum, broken, turn = carry
        words, y = do.minibatch(recipe, lane, t)
        xs = do.inputs(recipe.layout, words)
        hs, total, turn = self._forward((ws, vs), xs, turn)
        true = decay * (1.0 / SCALE)  # held numbers times this are the true ones
        slope, loss, misses, t, broken = outcome(recipe, lane, total * true, c, y, t, broken)
        keep, size = lane["keep"], lane["lr"] * (1.0 / recipe.batch)
        decay = decay if recipe.exact else decay * keep
        factor = -size * SCALE / decay
        tiles = zip(ws, hs, vs, strict=True)
        ws = tuple(do.step_weights(recipe, tile, h, v, slope, xs, factor, keep) for tile, h, v in tiles)
        vs = tuple(do.step_readout(h, v, slope, size * true, keep) for h, v in zip(hs, vs, strict=True))
        c = c * keep - size * jnp.sum(slope)
        return (ws, vs), c, decay, t, loss_sum + loss, error_sum + misses, broken, turn

    def _renew(self, carry: Any) -> Any:
        """Apply the pending weight decay when it has become small, long before it could underflow."""
        if self.recipe.exact:
            return carry
        (ws, vs), c, decay, *rest = carry
        due = decay < 0.5
        ws = jax.lax.cond(due, lambda: jax.tree.map(lambda w: w * decay, ws), lambda: ws)
        return ((ws, vs), c, jnp.where(due, 1.0, decay), *rest)
