"""Weights in registers: a network, or a slice of a wider one, that never leaves the chip between rounds."""

from __future__ import annotations

from typing import TypeAlias, cast

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from glassware.engine.kernels import arithmetic as do
from glassware.engine.kernels.arithmetic import Recipe
from glassware.engine.kernels.exchange import Exchange, nothing
from glassware.engine.kernels.kinds import (
    Count,
    Inputs,
    Lane,
    Made,
    Meanwhile,
    Memory,
    PerExample,
    PerUnit,
    Scalar,
    Sums,
    Tile,
    Words,
)
from glassware.engine.kernels.layout import SCALE, WORD
from glassware.engine.kernels.life import Tally, Trained, blank_tally, outcome

Weights: TypeAlias = tuple[tuple[Tile, ...], tuple[PerUnit, ...]]
Minibatch: TypeAlias = tuple[Inputs, PerExample]
Carry: TypeAlias = tuple[Weights, Scalar, Scalar, Count, Tally, Count, Minibatch]  # weights, c, decay, t, tally, turn


class Resident:
    """Row tiles of column tiles, held times SCALE, and the outgoing weights."""

    def __init__(
        self, recipe: Recipe, lane: Lane, exchange: Exchange, w: Memory, v: Memory, me: Count, part: Count
    ) -> None:
        self.recipe, self.lane, self.exchange = recipe, lane, exchange
        self.w, self.v, self.me = w, v, me
        layout = recipe.layout
        self.columns = [pl.ds(q * WORD, count * WORD) for q, count in layout.columns]
        self.rows = [pl.ds(part * layout.slice_rows + start, size) for start, size in layout.tiles]

    def load(self) -> Weights:
        ws = tuple(tuple(self.w[self.me, r, q] for q in self.columns) for r in self.rows)
        return ws, tuple(self.v[self.me, r] for r in self.rows)

    def store(self, weights: Weights) -> None:
        ws, vs = weights
        for tile, r in zip(ws, self.rows, strict=True):
            for w, q in zip(tile, self.columns, strict=True):
                self.w[self.me, r, q] = w
        for v, r in zip(vs, self.rows, strict=True):
            self.v[self.me, r] = v

    def total(self, weights: Weights) -> Scalar:
        ws, vs = weights
        return cast(Scalar, sum(jnp.sum(w) for tile in ws for w in tile) + sum(jnp.sum(v) for v in vs))

    def output(self, weights: Weights, words: Words, turn: Count) -> tuple[PerExample, Count]:
        _, held, turn, _ = self._forward(weights, do.inputs(self.recipe.layout, words), turn, nothing)
        return held * (1.0 / SCALE), turn

    def train(self, weights: Weights, c: Scalar, t: Count, broken: Count, turn: Count) -> Trained[Weights]:
        start = (weights, c, jnp.float32(1), t, blank_tally(self.recipe), turn, self._draw(t))
        end = jax.lax.fori_loop(0, self.recipe.every, lambda _, carry: self._step(self._renew(carry)), start)
        (ws, vs), c, decay, t, tally, turn, _ = end
        if not self.recipe.exact:
            ws = jax.tree.map(lambda w: w * decay, ws)
        return (ws, vs), c, t, *tally.close(self.recipe, broken), turn

    def _draw(self, t: Count) -> Minibatch:
        """Inputs and labels of the minibatch of step ``t``."""
        words, y = do.minibatch(self.recipe, self.lane, t)
        return do.inputs(self.recipe.layout, words), y

    def _forward(
        self, weights: Weights, xs: Inputs, turn: Count, meanwhile: Meanwhile[Made]
    ) -> tuple[list[Sums], PerExample, Count, Made]:
        """Hidden sums of each row tile, and of the exchange: held outputs without their bias, turn, what was made."""
        ws, vs = weights
        hs = [do.hidden(self.recipe, tile, xs) for tile in ws]
        share = cast(PerExample, sum(do.weighted(h, v) for h, v in zip(hs, vs, strict=True)))
        return hs, *self.exchange.sum(share, turn, meanwhile)

    def _step(self, carry: Carry) -> Carry:
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

    def _renew(self, carry: Carry) -> Carry:
        """Apply the pending weight decay when it has become small, long before it could underflow."""
        if self.recipe.exact:
            return carry
        (ws, vs), c, decay, t, tally, turn, following = carry
        due = decay < 0.5
        ws = jax.lax.cond(due, lambda: jax.tree.map(lambda w: w * decay, ws), lambda: ws)
        return (ws, vs), c, jnp.where(due, 1.0, decay), t, tally, turn, following
