"""A lane's life in a kernel: rounds of steps and examination, the same for every way of holding the weights.

Instances of one lane are neighbours in the grid and are started in order, so the lanes at the front are always
complete; all instances of a lane must fit on the device at once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt

from glassware.engine.kernels import arithmetic as do
from glassware.engine.kernels.arithmetic import Recipe
from glassware.engine.kernels.exchange import Exchange, nothing, places
from glassware.engine.kernels.kinds import Count, Flag, Lane, Memory, PerExample, Scalar, Words
from glassware.foundation.arrays import Array, Float32, Int32, Shaped, UInt32

# Columns of the per-lane tables that a kernel reads.
KEYS = ("order", "example", "noise_key")
FLOATS = ("lr", "keep", "noise", "success")
INTS = ("m", "steps", "stop", "fresh", "loss", "degree")

NONE = 2**31 - 1  # a step that never comes

Weights = TypeVar("Weights")
Trained: TypeAlias = tuple[Weights, Scalar, Count, Scalar, Scalar, Count, Count]
Examined: TypeAlias = tuple[Scalar, Count, Count, Count, Count]  # error, success, diverged, done, turn
# round, weights, c, t, success, diverged, done, points measured, turn
Carry: TypeAlias = tuple[Count, Weights, Scalar, Count, Count, Count, Count, Count, Count]
Arrays: TypeAlias = tuple[Shaped[Array, "lanes ..."], ...]


class Holding(Protocol[Weights]):
    """A way of holding the weights of one instance. ``weights`` is whatever it carries through the rounds."""

    def load(self) -> Weights:
        """The weights at the start."""

    def train(self, weights: Weights, c: Scalar, t: Count, broken: Count, turn: Count) -> Trained[Weights]:
        """``every`` steps: weights, c, t, summed mean loss and error, first broken step, turn."""

    def output(self, weights: Weights, words: Words, turn: Count) -> tuple[PerExample, Count]:
        """The network's outputs for examples, without the output bias, and the next turn."""

    def total(self, weights: Weights) -> Scalar:
        """The sum of this instance's weights: finite as long as all of them are."""

    def store(self, weights: Weights) -> None:
        """Put the weights back."""


def test_error(
    recipe: Recipe, lane: Lane, holding: Holding[Weights], weights: Weights, c: Scalar, test: Memory, turn: Count
) -> tuple[Scalar, Count]:
    """Error on the held-out sample, past the screen only if the screened part is promising; and the next turn."""
    block = recipe.block
    slot = jax.lax.broadcasted_iota(jnp.int32, (block,), 0)

    def count(first: int, last: int, start: tuple[Scalar, Count]) -> tuple[Scalar, Count]:
        def body(i: Count, carry: tuple[Scalar, Count]) -> tuple[Scalar, Count]:
            misses, turn = carry
            words = [test[q, pl.ds(i * block, block)] for q in range(recipe.layout.words)]
            output, turn = holding.output(weights, words, turn)
            right = do.labels(lane, words) * (output + c) > 0
            return misses + jnp.sum(jnp.where(right | (i * block + slot >= last), 0.0, 1.0)), turn

        return jax.lax.fori_loop(first // block, -(-last // block), body, start)

    start = (jnp.float32(0), turn)
    if not recipe.screen:
        misses, turn = count(0, recipe.test, start)
        return misses / recipe.test, turn
    misses, turn = count(0, recipe.screen, start)
    promising = misses / recipe.screen <= 2.0 * lane["success"]
    seen = jnp.where(promising, np.float32(recipe.test), np.float32(recipe.screen))
    rest = lambda: count(recipe.screen, recipe.test, (misses, turn))
    misses, turn = jax.lax.cond(promising, rest, lambda: (misses, turn))
    return misses / seen, turn


def life(recipe: Recipe, make: Callable[..., Holding[Weights]], *refs: Memory) -> None:
    """The kernel: up to ``rounds`` rounds of ``every`` steps and an examination of one lane."""
    rounds, keys, masks, floats, ints, test = refs[:6]
    w_ref, v_ref, c_ref, t_ref, success_ref, diverged_ref, done_ref, times, curves, count_ref, buffer = refs[-11:]
    layout = recipe.layout
    me, part = pl.program_id(0) // layout.slices, pl.program_id(0) % layout.slices
    read: dict[str, object] = {name: (keys[me, 2 * i], keys[me, 2 * i + 1]) for i, name in enumerate(KEYS)}
    read |= {name: floats[me, i] for i, name in enumerate(FLOATS)}
    read |= {name: ints[me, i] for i, name in enumerate(INTS)}
    read["mask"] = [masks[me, q] for q in range(layout.words)]
    lane = cast(Lane, read)
    lane["m"] = lane["m"].astype(jnp.uint32)
    exchange = Exchange(layout.slices, recipe.rows_of_a_look, buffer, me, part)
    holding = make(recipe, lane, exchange, w_ref, v_ref, me, part)

    def record(at: Count | int, t: Count, loss: Scalar, error: Scalar, train: Scalar) -> None:
        times[me, at] = t
        for i, value in enumerate((loss, error, train)):  # the alphabetical order of the curve columns
            curves[me, at, i] = value

    def examine(weights: Weights, c: Scalar, t: Count, success: Count, diverged: Count, turn: Count) -> Examined:
        error, turn = test_error(recipe, lane, holding, weights, c, test, turn)
        own = holding.total(weights) + c
        sums, turn, _ = exchange.sum(jnp.zeros((recipe.block,), jnp.float32) + own, turn, nothing)
        diverged = jnp.where((diverged < 0) & ~(jnp.max(jnp.abs(sums)) < np.inf), t, diverged)
        passed = (error <= lane["success"]) & (diverged < 0)
        success = jnp.where(passed & (success < 0), t, success)
        ended = ((lane["stop"] > 0) & (success >= 0)) | (diverged >= 0) | (t >= lane["steps"])
        return error, success, diverged, ended.astype(jnp.int32), turn

    def go_on(carry: Carry[Weights]) -> Flag:
        return (carry[0] < rounds[0]) & (carry[6] == 0)

    def one_round(carry: Carry[Weights]) -> Carry[Weights]:
        i, weights, c, t, success, diverged, _, count, turn = carry
        weights, c, t, loss, miss, diverged, turn = holding.train(weights, c, t, diverged, turn)
        error, success, diverged, done, turn = examine(weights, c, t, success, diverged, turn)
        record(count, t, loss * (1.0 / recipe.every), error, miss * (1.0 / recipe.every))
        return i + 1, weights, c, t, success, diverged, done, count + 1, turn

    @pl.when((done_ref[me] == 0) | (lane["fresh"] > 0))
    def _() -> None:
        weights = holding.load()
        c, t, success, diverged = c_ref[me], t_ref[me], success_ref[me], diverged_ref[me]
        turn = jnp.int32(1) + 0 * t  # the buffer starts at zero: turn 0 everywhere

        # What a branch yields must be computed in it: Triton's lowering takes no constants there.
        def begin() -> tuple[Count, Count, Count, Count]:
            error, first, broken, done, next_turn = examine(weights, c, t, success, diverged, turn)
            record(0, t, error * 0.0, error, error * 0.0)  # no minibatch yet; the caller makes these NaN
            return first, broken, done, next_turn

        def resume() -> tuple[Count, Count, Count, Count]:
            return success, diverged, lane["fresh"], turn

        success, diverged, done, turn = jax.lax.cond(lane["fresh"] > 0, begin, resume)
        carry = (jnp.int32(0), weights, c, t, success, diverged, done, lane["fresh"], turn)
        _, weights, c, t, success, diverged, done, count, _ = jax.lax.while_loop(go_on, one_round, carry)
        holding.store(weights)
        # All slices of a lane hold the same of these: they write the same numbers.
        c_ref[me], t_ref[me], success_ref[me], diverged_ref[me] = c, t, success, diverged
        done_ref[me], count_ref[me] = done, count


class Tally(NamedTuple):
    """What the steps of a round add up, one entry per place in the block: summed only when the round ends."""

    loss: PerExample
    missed: PerExample
    broken: Int32[Array, " block"]  # the first step whose loss was not finite, or NONE

    def close(self, recipe: Recipe, broken: Count) -> tuple[Scalar, Scalar, Count]:
        """Summed mean loss and error, and the first broken step, given that of the rounds before."""
        first = jnp.min(self.broken)
        here = jnp.where(first < NONE, first, -1)
        share = 1.0 / recipe.batch
        return jnp.sum(self.loss) * share, jnp.sum(self.missed) * share, jnp.where(broken < 0, here, broken)


def blank_tally(recipe: Recipe) -> Tally:
    """The tally of no steps."""
    zeros = jnp.zeros((recipe.block,), jnp.float32)
    return Tally(zeros, zeros, jnp.full((recipe.block,), NONE, jnp.int32))


def outcome(
    recipe: Recipe, lane: Lane, total: PerExample, c: Scalar, y: PerExample, t: Count, tally: Tally
) -> tuple[PerExample, Count, Tally]:
    """What a step's outputs say: slopes, next t, the tally with it."""
    out = total + c
    loss, slope = do.loss_terms(recipe, lane, out, y)
    t = t + 1
    broken = jnp.where(jnp.abs(loss) < np.inf, NONE, t)
    missed = tally.missed + jnp.where(y * out > 0, 0.0, 1.0)
    return slope, t, Tally(tally.loss + loss, missed, jnp.minimum(tally.broken, broken))


def advance(
    recipe: Recipe,
    make: Callable[..., Holding[Any]],
    capacity: int,
    interpret: bool,
    tables: Arrays,
    state: Arrays,
    test: UInt32[Array, "words examples"],
    rounds: Count,
) -> tuple[Arrays, tuple[Int32[Array, "lanes points"], Float32[Array, "lanes points 3"], Int32[Array, " lanes"]]]:
    """Call the kernel on all lanes. ``state``: (w, v, c, t, success, diverged, done), updated in place."""
    lanes, slices = state[0].shape[0], recipe.layout.slices
    buffer = (lanes, 2, places(slices, recipe.rows_of_a_look), recipe.block) if slices > 1 else (1, 1, 1, 1)
    blank = (
        jnp.zeros((lanes, capacity + 1), jnp.int32),
        jnp.zeros((lanes, capacity + 1, 3), jnp.float32),
        jnp.zeros((lanes,), jnp.int32),
        jnp.zeros(buffer, jnp.int32),
    )
    inputs = (rounds.reshape(1), *tables, test, *state, *blank)
    written = (*state, *blank)
    first = len(inputs) - len(written)
    found = pl.pallas_call(
        functools.partial(life, recipe, make),
        grid=(lanes * slices,),
        in_specs=[pl.no_block_spec] * len(inputs),
        out_specs=[pl.no_block_spec] * len(written),
        out_shape=[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in written],
        input_output_aliases={first + i: i for i in range(len(written))},
        compiler_params=None if interpret else plt.CompilerParams(num_warps=recipe.warps, num_stages=1),
        interpret=interpret,
    )(*inputs)
    return tuple(found[: len(state)]), tuple(found[len(state) : len(state) + 3])
