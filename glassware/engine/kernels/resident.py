"""Weights in registers: a network, or a slice of a wider one, that never leaves the chip between rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from glassware.engine.kernels import arithmetic as do
from glassware.engine.kernels.arithmetic import Recipe
from glassware.engine.kernels.exchange import Exchange
from glassware.engine.kernels.layout import SCALE, WORD
from glassware.engine.kernels.life import blank_tally, outcome


class Resident:
    """Row tiles of column tiles, held times SCALE, and the outgoing weights."""

    def __init__(self, recipe: Recipe, lane: Any, exchange: Exchange, w: Any, v: Any, me: Any, part: Any) -> None:
        self.recipe, self.lane, self.exchange = recipe, lane, exchange
        self.w, self.v, self.me = w, v, me
        layout = recipe.layout
        self.columns = [pl.ds(q * WORD, count * WORD) for q, count in layout.columns]
        self.rows = [pl.ds(part * layout.slice_rows + start, size) for start, size in layout.tiles]

    def load(self) -> Any:
        ws = tuple(tuple(self.w[self.me, r, q] for q in self.columns) for r in self.rows)
        return ws, tuple(self.v[self.me, r] for r in self.rows)

    def store(self, weights: Any) -> None:
        ws, vs = weights
        for tile, r in zip(ws, self.rows, strict=True):
            for w, q in zip(tile, self.columns, strict=True):
                self.w[self.me, r, q] = w
        for v, r in zip(vs, self.rows, strict=True):
            self.v[self.me, r] = v

    def total(self, weights: Any) -> Any:
        ws, vs = weights
        return sum(jnp.sum(w) for tile in ws for w in tile) + sum(jnp.sum(v) for v in vs)

    def output(self, weights: Any, words: list[Any], turn: Any) -> tuple[Any, Any]:
        _, held, turn, _ = self._forward(weights, do.inputs(self.recipe.layout, words), turn, lambda: None)
        return held * (1.0 / SCALE), turn

    def train(self, weights: Any, c: Any, t: Any, broken: Any, turn: Any) -> tuple[Any, ...]:
        start = (weights, c, jnp.float32(1), t, blank_tally(self.recipe), turn, self._draw(t))
        end = jax.lax.fori_loop(0, self.recipe.every, lambda _, carry: self._step(self._renew(carry)), start)
        (ws, vs), c, decay, t, tally, turn, _ = end
        if not self.recipe.exact:
            ws = jax.tree.map(lambda w: w * decay, ws)
        return (ws, vs), c, t, *tally.close(self.recipe, broken), turn

    def _draw(self, t: Any) -> tuple[list[Any], Any]:
        """Inputs and labels of the minibatch of step ``t``."""
        words, y = do.minibatch(self.recipe, self.lane, t)
        return do.inputs(self.recipe.layout, words), y

    def _forward(self, weights: Any, xs: list[Any], turn: Any, meanwhile: Callable[[], Any]) -> tuple[Any, ...]:
        """Hidden sums of each row tile, and of the exchange: held outputs without their bias, turn, what was made."""
        ws, vs = weights
        hs = [do.hidden(self.recipe, tile, xs) for tile in ws]
        share = sum(do.weighted(h, v) for h, v in zip(hs, vs, strict=True))
        return hs, *self.exchange.sum(share, turn, meanwhile)

    def _step(self, carry: Any) -> Any:
        """One minibatch step; the next minibatch is drawn while the outputs are exchanged.

        ``decay`` is the weight decay that the held weights do not contain yet (fast only).
        """
        recipe, lane = self.recipe, self.lane
        (ws, vs), c, decay, t, tally, turn, (xs, y) = carry
        hs, total, turn, following = self._forward((ws, vs), xs, turn, lambda: self._draw(t + 1))
        true = decay * (1.0 / SCALE)  # held numbers times this are the true ones
        slope, t, tally = outcome(recipe, lane, total * true, c, y, t, tally)
        keep, size = lane["keep"], lane["lr"] * (1.0 / recipe.batch)
        decay = decay if recipe.exact else decay * keep
        factor = -size * SCALE / decay
        tiles = zip(ws, hs, vs, strict=True)
        ws = tuple(do.step_weights(recipe, tile, h, v, slope, xs, factor, keep) for tile, h, v in tiles)
        vs = tuple(do.step_readout(h, v, slope, size * true, keep) for h, v in zip(hs, vs, strict=True))
        c = c * keep - size * jnp.sum(slope)
        return (ws, vs), c, decay, t, tally, turn, following

    def _renew(self, carry: Any) -> Any:
        """Apply the pending weight decay when it has become small, long before it could underflow."""
        if self.recipe.exact:
            return carry
        (ws, vs), c, decay, *rest = carry
        due = decay < 0.5
        ws = jax.lax.cond(due, lambda: jax.tree.map(lambda w: w * decay, ws), lambda: ws)
        return ((ws, vs), c, jnp.where(due, 1.0, decay), *rest)
