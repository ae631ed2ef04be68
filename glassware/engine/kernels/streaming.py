"""Weights in memory, each read and written once a step.

A network too large for the registers is dealt to as many instances as the device holds, each with several row tiles. A
step's update waits until the next step's pass: a tile is loaded, takes the last step's gradient (its hidden sums are
computed again, which is cheaper than keeping them), is stored, and gives its share of the next minibatch's outputs. So
the weights pass by once a step instead of the three times that forward, backward and update would take.
"""

from __future__ import annotations

from typing import TypeAlias

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt

from glassware.engine.kernels import arithmetic as do
from glassware.engine.kernels.arithmetic import Recipe
from glassware.engine.kernels.exchange import Exchange, nothing
from glassware.engine.kernels.kinds import Count, Inputs, Lane, Memory, PerExample, PerUnit, Scalar, Tile, Words
from glassware.engine.kernels.layout import SCALE, WORD
from glassware.engine.kernels.life import Tally, Trained, blank_tally, outcome

Weights: TypeAlias = tuple[()]
Minibatch: TypeAlias = tuple[Inputs, PerExample]
# c, t, tally, turn, slopes and inputs of the last minibatch, the next minibatch
Carry: TypeAlias = tuple[Scalar, Count, Tally, Count, PerExample, Inputs, Minibatch]


class Streaming:
    """Nothing is carried: weights stay in global memory, in tiles of ``tile_rows`` neurons."""

    def __init__(
        self, recipe: Recipe, lane: Lane, exchange: Exchange, w: Memory, v: Memory, me: Count, part: Count
    ) -> None:
        self.recipe, self.lane, self.exchange = recipe, lane, exchange
        self.w, self.v, self.me = w, v, me
        self.first = part * recipe.layout.slice_rows
        self.columns = [pl.ds(q * WORD, count * WORD) for q, count in recipe.layout.columns]
        self.size = recipe.layout.tile_rows
        self.tiles = recipe.layout.slice_rows // self.size

    def load(self) -> Weights:
        return ()

    def store(self, weights: Weights) -> None:
        pass

    def total(self, weights: Weights) -> Scalar:
        def body(i: Count, total: Scalar) -> Scalar:
            tile, v = self._get(i)
            return total + sum(jnp.sum(w) for w in tile) + jnp.sum(v)

        return jax.lax.fori_loop(0, self.tiles, body, jnp.float32(0))

    def output(self, weights: Weights, words: Words, turn: Count) -> tuple[PerExample, Count]:
        xs = do.inputs(self.recipe.layout, words)

        def body(i: Count, share: PerExample) -> PerExample:
            tile, v = self._get(i)
            return share + do.weighted(do.hidden(self.recipe, tile, xs), v)

        share = jax.lax.fori_loop(0, self.tiles, body, jnp.zeros((self.recipe.batch,), jnp.float32))
        total, turn, _ = self.exchange.sum(share, turn, nothing)
        return total * (1.0 / SCALE), turn

    def train(self, weights: Weights, c: Scalar, t: Count, broken: Count, turn: Count) -> Trained[Weights]:
        """Steps t .. t + every - 1; the last one's update gets a pass of its own."""
        nothing = jnp.zeros((self.recipe.batch,), jnp.float32)

        def step(i: Count, carry: Carry) -> Carry:
            c, t, tally, turn, slope, last, (xs, y) = carry
            share = self._pass(last, slope, jnp.where(i > 0, self.lane["keep"], 1.0), xs)
            total, turn, following = self.exchange.sum(share, turn, lambda: self._draw(t + 1))
            slope, t, tally = outcome(self.recipe, self.lane, total * (1.0 / SCALE), c, y, t, tally)
            c = c * self.lane["keep"] - self._size() * jnp.sum(slope)
            return c, t, tally, turn, slope, xs, following

        first = self._draw(t)
        start = (c, t, blank_tally(self.recipe), turn, nothing, first[0], first)
        c, t, tally, turn, slope, last, _ = jax.lax.fori_loop(0, self.recipe.every, step, start)
        self._pass(last, slope, self.lane["keep"], None)
        return weights, c, t, *tally.close(self.recipe, broken), turn

    def _draw(self, t: Count) -> Minibatch:
        """Inputs and labels of the minibatch of step ``t``."""
        words, y = do.minibatch(self.recipe, self.lane, t)
        return do.inputs(self.recipe.layout, words), y

    def _size(self) -> Scalar:
        return self.lane["lr"] * (1.0 / self.recipe.batch)

    def _pass(self, last: Inputs, slope: PerExample, keep: Scalar, xs: Inputs | None) -> PerExample:
        """Give every tile the update of the ``last`` minibatch; return the held share of the outputs for ``xs``."""
        recipe, size = self.recipe, self._size()

        def body(i: Count, share: PerExample) -> PerExample:
            tile, v = self._get(i)
            h = do.hidden(recipe, tile, last)
            faded = tile if recipe.exact else tuple(w * keep for w in tile)
            tile = do.step_weights(recipe, faded, h, v, slope, last, -size * SCALE, keep)
            v = do.step_readout(h, v, slope, size * (1.0 / SCALE), keep)
            rows = pl.ds(self.first + i * self.size, self.size)
            for w, q in zip(tile, self.columns, strict=True):
                self.w[self.me, rows, q] = w
            self.v[self.me, rows] = v
            return share if xs is None else share + do.weighted(do.hidden(recipe, tile, xs), v)

        share = jax.lax.fori_loop(0, self.tiles, body, jnp.zeros((recipe.batch,), jnp.float32))
        if recipe.threads:
            plt.debug_barrier()  # the next pass may read with other threads what these have written
        return share

    def _get(self, i: Count) -> tuple[Tile, PerUnit]:
        """A tile of held weights, and its outgoing weights."""
        rows = pl.ds(self.first + i * self.size, self.size)
        return tuple(self.w[self.me, rows, q] for q in self.columns), self.v[self.me, rows]
