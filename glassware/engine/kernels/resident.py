"""A lane's life on chip: its weights stay in registers through training and examination.

A narrow network is one program instance. A wider one is dealt to several, each owning a slice of its neurons: a step
then exchanges the minibatch's partial outputs through global memory. An exchanged number carries the turn in its two
lowest bits, so a reader knows by the number itself whether it is this turn's: no flags, no fences, no clearing. Two
buffers suffice: who writes turn t has read all of turn t - 1, so all have finished reading turn t - 2, whose place it
takes.

Instances of one lane are neighbours in the grid and are started in order, so the lanes at the front are always
complete; all instances of a lane must fit on the device at once.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt

from glassware.engine.kernels import arithmetic as do
from glassware.engine.kernels.arithmetic import SCALE, Recipe
from glassware.engine.kernels.layout import WORD

# Columns of the per-lane tables that the kernel reads.
KEYS = ("order", "example", "noise_key")
FLOATS = ("lr", "keep", "noise", "success")
INTS = ("m", "steps", "stop", "fresh")


class Exchange:
    """Sums over the slices of a lane."""

    def __init__(self, recipe: Recipe, buffer: Any, lane: Any, part: Any) -> None:
        self.slices, self.buffer, self.lane, self.part = recipe.layout.slices, buffer, lane, part
        self.places = 1 << (self.slices - 1).bit_length()

    def sum(self, share: Any, turn: Any) -> tuple[Any, Any]:
        """The sum of all slices' ``share`` (batch,), equal bit for bit in all of them, and the next turn."""
        if self.slices == 1:
            return share, turn
        tag, side = turn & 3, turn & 1
        bits = jax.lax.bitcast_convert_type(share, jnp.int32)
        plt.store(self.buffer.at[self.lane, side, self.part], (bits & ~3) | tag)
        present = jax.lax.broadcasted_iota(jnp.int32, (self.places, share.shape[0]), 0) < self.slices

        def look(_: Any) -> Any:
            everything = self.buffer.at[self.lane, side, pl.ds(0, self.places)]
            return plt.load(everything, mask=present, other=tag, volatile=True)

        def waiting(seen: Any) -> Any:
            return jnp.max(jnp.where((seen & 3) == tag, 0, 1)) > 0

        seen = jax.lax.while_loop(waiting, look, look(None))
        shares = jnp.where(present, jax.lax.bitcast_convert_type(seen & ~3, jnp.float32), 0.0)
        return jnp.sum(shares, axis=0), turn + 1


def output(recipe: Recipe, ws: Any, vs: Any, xs: Any, exchange: Exchange, turn: Any) -> tuple[list[Any], Any, Any]:
    """Hidden sums of each row tile, and the network's outputs without the output bias; both held."""
    hs = [do.hidden(recipe, tile, xs) for tile in ws]
    share = sum(do.weighted(h, v) for h, v in zip(hs, vs, strict=True))
    total, turn = exchange.sum(share, turn)
    return hs, total, turn


def step(recipe: Recipe, lane: Any, exchange: Exchange, carry: Any) -> Any:
    """One minibatch step. ``decay`` is the weight decay that the held weights do not contain yet (fast only)."""
    ws, vs, c, decay, t, loss_sum, error_sum, broken, turn = carry
    words, y = do.minibatch(recipe, lane, t)
    xs = do.inputs(recipe.layout, words)
    hs, total, turn = output(recipe, ws, vs, xs, exchange, turn)
    true = decay * (1.0 / SCALE)  # held numbers times this are the true ones
    out = total * true + c
    loss, slope = do.loss_terms(recipe.loss, out, y)
    mean_loss = jnp.sum(loss) * (1.0 / recipe.batch)
    misses = jnp.sum(jnp.where(y * out > 0, 0.0, 1.0)) * (1.0 / recipe.batch)
    t = t + 1
    broken = jnp.where((broken < 0) & ~(jnp.abs(mean_loss) < np.inf), t, broken)
    keep, size = lane["keep"], lane["lr"] * (1.0 / recipe.batch)
    decay = decay if recipe.exact else decay * keep
    factor = -size * SCALE / decay
    ws = tuple(
        do.step_weights(recipe, tile, h, v, slope, xs, factor, keep) for tile, h, v in zip(ws, hs, vs, strict=True)
    )
    vs = tuple(do.step_readout(h, v, slope, size * true, keep) for h, v in zip(hs, vs, strict=True))
    c = c * keep - size * jnp.sum(slope)
    return ws, vs, c, decay, t, loss_sum + mean_loss, error_sum + misses, broken, turn


def renew(recipe: Recipe, carry: Any) -> Any:
    """Apply the pending weight decay when it has become small, long before it could underflow."""
    if recipe.exact:
        return carry
    ws, vs, c, decay, *rest = carry
    due = decay < 0.5
    ws = jax.lax.cond(due, lambda: jax.tree.map(lambda w: w * decay, ws), lambda: ws)
    return (ws, vs, c, jnp.where(due, 1.0, decay), *rest)


def test_error(recipe: Recipe, lane: Any, ws: Any, vs: Any, c: Any, test: Any, exchange: Exchange, turn: Any) -> Any:
    """Error on the held-out sample, past the screen only if the screened part is promising; and the next turn."""
    block, layout = recipe.batch, recipe.layout
    slot = jax.lax.broadcasted_iota(jnp.int32, (block,), 0)

    def count(first: int, last: int, start: Any) -> Any:
        def body(i: Any, carry: Any) -> Any:
            misses, turn = carry
            words = [test[q, pl.ds(i * block, block)] for q in range(layout.words)]
            _, total, turn = output(recipe, ws, vs, do.inputs(layout, words), exchange, turn)
            right = do.labels(lane, words) * (total * (1.0 / SCALE) + c) > 0
            return misses + jnp.sum(jnp.where(right | (i * block + slot >= last), 0.0, 1.0)), turn

        return jax.lax.fori_loop(first // block, -(-last // block), body, start)

    start = (jnp.float32(0), turn)
    if not recipe.screen:
        misses, turn = count(0, recipe.test, start)
        return misses / recipe.test, turn
    misses, turn = count(0, recipe.screen, start)
    promising = misses / recipe.screen <= 2.0 * lane["success"]
    seen = jnp.where(promising, np.float32(recipe.test), np.float32(recipe.screen))
    misses, turn = jax.lax.cond(
        promising, lambda: count(recipe.screen, recipe.test, (misses, turn)), lambda: (misses, turn)
    )
    return misses / seen, turn


def life(recipe: Recipe, *refs: Any) -> None:
    """The kernel: up to ``rounds`` rounds of ``every`` steps and an examination of one lane."""
    rounds, keys, masks, floats, ints, test = refs[:6]
    w_ref, v_ref, c_ref, t_ref, success_ref, diverged_ref, done_ref, times, curves, count_ref, buffer = refs[-11:]
    layout = recipe.layout
    me, part = pl.program_id(0) // layout.slices, pl.program_id(0) % layout.slices
    lane: dict[str, Any] = {name: (keys[me, 2 * i], keys[me, 2 * i + 1]) for i, name in enumerate(KEYS)}
    lane |= {name: floats[me, i] for i, name in enumerate(FLOATS)}
    lane |= {name: ints[me, i] for i, name in enumerate(INTS)}
    lane["m"] = lane["m"].astype(jnp.uint32)
    lane["mask"] = [masks[me, q] for q in range(layout.words)]
    exchange = Exchange(recipe, buffer, me, part)
    columns = [pl.ds(q * WORD, WORD) for q in range(layout.words)]
    rows = [pl.ds(part * layout.slice_rows + start, size) for start, size in layout.tiles]

    def record(at: Any, t: Any, loss: Any, error: Any, train: Any) -> None:
        times[me, at] = t
        for i, value in enumerate((loss, error, train)):  # the alphabetical order of the curve columns
            curves[me, at, i] = value

    def examine(ws: Any, vs: Any, c: Any, t: Any, success: Any, diverged: Any, turn: Any) -> tuple[Any, ...]:
        error, turn = test_error(recipe, lane, ws, vs, c, test, exchange, turn)
        own = sum(jnp.sum(w) for tile in ws for w in tile) + sum(jnp.sum(v) for v in vs) + c
        sums, turn = exchange.sum(jnp.zeros((recipe.batch,), jnp.float32) + own, turn)
        diverged = jnp.where((diverged < 0) & ~(jnp.max(jnp.abs(sums)) < np.inf), t, diverged)
        passed = (error <= lane["success"]) & (diverged < 0)
        success = jnp.where(passed & (success < 0), t, success)
        ended = ((lane["stop"] > 0) & (success >= 0)) | (diverged >= 0) | (t >= lane["steps"])
        return error, success, diverged, ended.astype(jnp.int32), turn

    def go_on(carry: Any) -> Any:
        return (carry[0] < rounds[0]) & (carry[7] == 0)

    def one_round(carry: Any) -> Any:
        i, ws, vs, c, t, success, diverged, _, count, turn = carry
        zero = jnp.float32(0)
        inner = (ws, vs, c, jnp.float32(1), t, zero, zero, diverged, turn)
        one = lambda _, state: step(recipe, lane, exchange, renew(recipe, state))
        ws, vs, c, decay, t, loss, miss, diverged, turn = jax.lax.fori_loop(0, recipe.every, one, inner)
        if not recipe.exact:
            ws = jax.tree.map(lambda w: w * decay, ws)
        error, success, diverged, done, turn = examine(ws, vs, c, t, success, diverged, turn)
        record(count, t, loss * (1.0 / recipe.every), error, miss * (1.0 / recipe.every))
        return i + 1, ws, vs, c, t, success, diverged, done, count + 1, turn

    @pl.when((done_ref[me] == 0) | (lane["fresh"] > 0))
    def _() -> None:
        ws = tuple(tuple(w_ref[me, r, q] * SCALE for q in columns) for r in rows)
        vs = tuple(v_ref[me, r] for r in rows)
        c, t, success, diverged = c_ref[me], t_ref[me], success_ref[me], diverged_ref[me]
        turn = jnp.int32(1) + 0 * t  # the buffer starts at zero: turn 0 everywhere

        # What a branch yields must be computed in it: Triton's lowering takes no constants there.
        def begin() -> tuple[Any, ...]:
            error, first, broken, done, next_turn = examine(ws, vs, c, t, success, diverged, turn)
            record(0, t, error * 0.0, error, error * 0.0)  # no minibatch yet; the caller makes these NaN
            return first, broken, done, next_turn

        def resume() -> tuple[Any, ...]:
            return success, diverged, lane["fresh"], turn

        success, diverged, done, turn = jax.lax.cond(lane["fresh"] > 0, begin, resume)
        carry = (jnp.int32(0), ws, vs, c, t, success, diverged, done, lane["fresh"], turn)
        _, ws, vs, c, t, success, diverged, done, count, _ = jax.lax.while_loop(go_on, one_round, carry)
        for tile, r in zip(ws, rows, strict=True):
            for w, q in zip(tile, columns, strict=True):
                w_ref[me, r, q] = w * (1.0 / SCALE)
        for v, r in zip(vs, rows, strict=True):
            v_ref[me, r] = v
        # All slices of a lane hold the same of these: they write the same numbers.
        c_ref[me], t_ref[me], success_ref[me], diverged_ref[me] = c, t, success, diverged
        done_ref[me], count_ref[me] = done, count


def advance(
    recipe: Recipe, capacity: int, warps: int, interpret: bool, tables: Any, state: Any, test: Any, rounds: Any
) -> tuple[Any, Any]:
    """Call the kernel on all lanes. ``state``: (w, v, c, t, success, diverged, done), updated in place."""
    lanes, slices = state[0].shape[0], recipe.layout.slices
    places = 1 << (slices - 1).bit_length()
    blank = (
        jnp.zeros((lanes, capacity + 1), jnp.int32),
        jnp.zeros((lanes, capacity + 1, 3), jnp.float32),
        jnp.zeros((lanes,), jnp.int32),
        jnp.zeros((lanes, 2, places, recipe.batch) if slices > 1 else (1, 1, 1, 1), jnp.int32),
    )
    inputs = (rounds.reshape(1), *tables, test, *state, *blank)
    written = (*state, *blank)
    first = len(inputs) - len(written)
    found = pl.pallas_call(
        functools.partial(life, recipe),
        grid=(lanes * slices,),
        in_specs=[pl.no_block_spec] * len(inputs),
        out_specs=[pl.no_block_spec] * len(written),
        out_shape=[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in written],
        input_output_aliases={first + i: i for i in range(len(written))},
        compiler_params=None if interpret else plt.CompilerParams(num_warps=warps, num_stages=1),
        interpret=interpret,
    )(*inputs)
    return tuple(found[: len(state)]), tuple(found[len(state) : len(state) + 3])
