"""A lane's life in one program instance: its weights stay in registers through training and examination.

Everything a step needs is made on the spot: the minibatch's example numbers and the examples themselves are Threefry
draws, the labels are parities of masked words. With inputs of +-1 half precision loses nothing on the data side:

- forward, ``h = W x``: W is rounded to float16 (11 bits, what tf32 keeps), or split into two halves for ``exact``;
- backward, ``dW = g x``: under the hinge loss g is v times a sign or zero. ``exact`` multiplies the signs, which is exact
  integer arithmetic, and scales by v afterwards in float32; the fast way scales first and accumulates onto W directly;
- weight decay is a scalar kept beside W and applied when it gets small (fast), or every step (exact).

Weights are held times ``SCALE`` so that small gradients stay clear of float16's denormal range.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt

from glassware.draws import draw, unit
from glassware.engine.kernels.layout import CHUNK, Layout

SCALE = 256.0
LOW_BITS = 2048.0  # the second half of a split weight is held times this


@dataclass(frozen=True)
class Recipe:
    """What is compiled in."""

    layout: Layout
    batch: int
    loss: str
    noise: bool
    every: int
    test: int
    screen: int
    exact: bool


def bits_to_signs(word: Any, chunk: int, n: int) -> Any:
    """One word an example to its tile of inputs, float16 (examples, 32): +-1, the constant 1, then zeros."""
    column = jax.lax.broadcasted_iota(jnp.uint32, (word.shape[0], CHUNK), 1)
    bit = (word[:, None] >> column) & jnp.uint32(1)
    x = jnp.where(bit == jnp.uint32(1), -1.0, 1.0)
    constant = n - chunk * CHUNK
    if constant < CHUNK:
        position = column.astype(jnp.int32)
        x = jnp.where(position < constant, x, jnp.where(position == constant, 1.0, 0.0))
    return x.astype(jnp.float16)


def odd(word: Any) -> Any:
    """1 where a word has an odd number of ones."""
    for shift in (16, 8, 4, 2, 1):
        word = word ^ (word >> jnp.uint32(shift))
    return word & jnp.uint32(1)


def signs(flip: Any) -> Any:
    """0 to +1.0 and 1 to -1.0."""
    return jnp.where(flip == jnp.uint32(1), -1.0, 1.0)


def forward(recipe: Recipe, ws: Any, vs: Any, words: list[Any]) -> tuple[list[Any], list[Any], Any]:
    """Inputs, scaled hidden sums (rows, examples) of each tile, and their weighted sum, times SCALE, (examples,)."""
    layout = recipe.layout
    xs = [bits_to_signs(words[min(q, layout.words - 1)], q, layout.n) for q in range(layout.chunks)]
    hs = []
    for tile in ws:
        h = None
        for w, x in zip(tile, xs, strict=True):
            high = w.astype(jnp.float16)
            part = plt.dot(high, x, trans_b=True)
            if recipe.exact:
                low = ((w - high.astype(jnp.float32)) * LOW_BITS).astype(jnp.float16)
                part = part + plt.dot(low, x, trans_b=True) * (1.0 / LOW_BITS)
            h = part if h is None else h + part
        hs.append(h)
    output = sum(jnp.sum(jnp.maximum(h, 0.0) * v[:, None], axis=0) for h, v in zip(hs, vs, strict=True))
    return xs, hs, output


def loss_terms(loss: str, output: Any, y: Any) -> tuple[Any, Any]:
    """Loss and its derivative by the output."""
    margin = y * output
    if loss == "hinge":
        return jnp.maximum(1.0 - margin, 0.0), jnp.where(margin < 1.0, -y, 0.0)
    if loss == "square":
        return (output - y) * (output - y), 2.0 * (output - y)
    weight = jnp.exp(-jnp.abs(margin))
    loss_value = jnp.maximum(-margin, 0.0) + jnp.log(1.0 + weight)
    return loss_value, -y * jnp.where(margin > 0, weight, 1.0) / (1.0 + weight)


def gradient_product(recipe: Recipe, mask: Any, factor: Any, v: Any, slope: Any, x: Any) -> Any:
    """factor * v_j * sum_i [h_ji > 0] slope_i x_i, (rows, 32)."""
    if not recipe.exact:
        g = jnp.where(mask, (factor * v)[:, None] * slope[None, :], 0.0)
        return plt.dot(g.astype(jnp.float16), x)
    high = slope.astype(jnp.float16)
    product = plt.dot(jnp.where(mask, high[None, :], jnp.float16(0)), x)
    if recipe.loss != "hinge":  # hinge slopes are signs: the first product is exact already
        low = ((slope - high.astype(jnp.float32)) * LOW_BITS).astype(jnp.float16)
        product = product + plt.dot(jnp.where(mask, low[None, :], jnp.float16(0)), x) * (1.0 / LOW_BITS)
    return product * (factor * v)[:, None]


def step(recipe: Recipe, lane: Any, carry: Any) -> Any:
    """One minibatch step."""
    ws, vs, c, decay, t, loss_sum, error_sum, broken = carry
    slot = jax.lax.broadcasted_iota(jnp.uint32, (recipe.batch,), 0)
    now = t.astype(jnp.uint32)
    fresh = now * jnp.uint32(recipe.batch) + slot
    drawn, _ = draw(lane["order"], slot * jnp.uint32(0) + now, slot)
    index = jnp.where(lane["m"] > jnp.uint32(0), drawn % jnp.maximum(lane["m"], jnp.uint32(1)), fresh)
    words: list[Any] = []
    for j in range(-(-recipe.layout.words // 2)):
        words += draw(lane["example"], index, slot * jnp.uint32(0) + jnp.uint32(j))
    words = words[: recipe.layout.words]
    flip = functools.reduce(lambda a, b: a ^ b, [w & mask for w, mask in zip(words, lane["mask"], strict=True)])
    y = signs(odd(flip))
    if recipe.noise:
        coin, _ = draw(lane["noise_key"], index, slot * jnp.uint32(0))
        y = y * jnp.where(unit(coin) < lane["noise"], -1.0, 1.0)
    xs, hs, total = forward(recipe, ws, vs, words)
    true = decay * (1.0 / SCALE)  # held weights times this are the weights
    output = total * true + c
    loss, slope = loss_terms(recipe.loss, output, y)
    step_size = lane["lr"] * (1.0 / recipe.batch)
    mean_loss = jnp.sum(loss) * (1.0 / recipe.batch)
    loss_sum = loss_sum + mean_loss
    error_sum = error_sum + jnp.sum(jnp.where(y * output > 0, 0.0, 1.0)) * (1.0 / recipe.batch)
    t = t + 1
    broken = jnp.where((broken < 0) & ~(jnp.abs(mean_loss) < np.inf), t, broken)
    keep = lane["keep"]
    if recipe.exact:
        factor = -step_size * SCALE
        held = keep
    else:
        decay = decay * keep
        factor = -step_size * SCALE / decay
        held = 1.0
    new_ws = tuple(
        tuple(
            w * held + gradient_product(recipe, h > 0, factor, v, slope, x)
            if recipe.exact
            else w + gradient_product(recipe, h > 0, factor, v, slope, x)
            for w, x in zip(tile, xs, strict=True)
        )
        for tile, h, v in zip(ws, hs, vs, strict=True)
    )
    new_vs = tuple(
        v * keep - step_size * true * jnp.sum(jnp.maximum(h, 0.0) * slope[None, :], axis=1)
        for h, v in zip(hs, vs, strict=True)
    )
    c = c * keep - step_size * jnp.sum(slope)
    return new_ws, new_vs, c, decay, t, loss_sum, error_sum, broken


def test_error(recipe: Recipe, lane: Any, ws: Any, vs: Any, c: Any, test_words: Any) -> Any:
    """Error on the held-out sample; past the screen only if the screened part is promising."""
    block = recipe.batch
    slot = jax.lax.broadcasted_iota(jnp.int32, (block,), 0)

    def count(first: int, last: int, start: Any) -> Any:
        def body(i: Any, misses: Any) -> Any:
            at = i * block + slot
            words = [test_words[q, pl.ds(i * block, block)] for q in range(recipe.layout.words)]
            flip = functools.reduce(lambda a, b: a ^ b, [w & m for w, m in zip(words, lane["mask"], strict=True)])
            _, _, total = forward(recipe, ws, vs, words)
            right = signs(odd(flip)) * (total * (1.0 / SCALE) + c) > 0
            return misses + jnp.sum(jnp.where(right | (at >= last), 0.0, 1.0))

        return jax.lax.fori_loop(first // block, -(-last // block), body, start)

    zero = jnp.float32(0)
    if not recipe.screen:
        return count(0, recipe.test, zero) / recipe.test
    screened = count(0, recipe.screen, zero)
    promising = screened / recipe.screen <= 2.0 * lane["success"]
    total = jax.lax.cond(promising, lambda: count(recipe.screen, recipe.test, screened), lambda: screened)
    return total / jnp.where(promising, np.float32(recipe.test), np.float32(recipe.screen))


# Columns of the per-lane tables that the kernel reads.
KEYS = ("order", "example", "noise_key")
FLOATS = ("lr", "keep", "noise", "success")
INTS = ("m", "steps", "stop", "fresh")


def life(recipe: Recipe, capacity: int, *refs: Any) -> None:
    """The kernel: one instance, one lane, up to ``rounds`` rounds of ``every`` steps and an examination."""
    rounds, keys, masks, floats, ints, test_words = refs[:6]
    w_ref, v_ref, c_ref, t_ref, success_ref, diverged_ref, done_ref, times, curves, count_ref = refs[-10:]
    me = pl.program_id(0)
    layout = recipe.layout
    lane: dict[str, Any] = {name: (keys[me, 2 * i], keys[me, 2 * i + 1]) for i, name in enumerate(KEYS)}
    lane |= {name: floats[me, i] for i, name in enumerate(FLOATS)}
    lane |= {name: ints[me, i] for i, name in enumerate(INTS)}
    lane["m"] = lane["m"].astype(jnp.uint32)
    lane["mask"] = [masks[me, q] for q in range(layout.words)]
    chunks = [pl.ds(q * CHUNK, CHUNK) for q in range(layout.chunks)]
    rows = [pl.ds(start, size) for start, size in layout.tiles]

    def record(at: Any, t: Any, loss: Any, test: Any, train: Any) -> None:
        times[me, at] = t
        for i, value in enumerate((loss, test, train)):  # the alphabetical order of the curve columns
            curves[me, at, i] = value

    def examine(ws: Any, vs: Any, c: Any, t: Any, success: Any, diverged: Any) -> tuple[Any, ...]:
        error = test_error(recipe, lane, ws, vs, c, test_words)
        total = sum(jnp.sum(w) for tile in ws for w in tile) + sum(jnp.sum(v) for v in vs) + c
        diverged = jnp.where((diverged < 0) & ~(jnp.abs(total) < np.inf), t, diverged)
        passed = (error <= lane["success"]) & (diverged < 0)
        success = jnp.where(passed & (success < 0), t, success)
        ended = ((lane["stop"] > 0) & (success >= 0)) | (diverged >= 0) | (t >= lane["steps"])
        return error, success, diverged, ended.astype(jnp.int32)

    def go_on(carry: Any) -> Any:
        i, _, _, _, _, _, _, done, _ = carry
        return (i < rounds[0]) & (done == 0)

    def one_round(carry: Any) -> Any:
        i, ws, vs, c, t, success, diverged, _, count = carry
        zero = jnp.float32(0)
        inner = (ws, vs, c, jnp.float32(1), t, zero, zero, diverged)
        inner = jax.lax.fori_loop(0, recipe.every, lambda _, state: step(recipe, lane, renew(recipe, state)), inner)
        ws, vs, c, decay, t, loss, miss, diverged = inner
        if not recipe.exact:
            ws = jax.tree.map(lambda w: w * decay, ws)
        error, success, diverged, done = examine(ws, vs, c, t, success, diverged)
        record(count, t, loss * (1.0 / recipe.every), error, miss * (1.0 / recipe.every))
        return i + 1, ws, vs, c, t, success, diverged, done, count + 1

    @pl.when((done_ref[me] == 0) | (lane["fresh"] > 0))
    def _() -> None:
        ws = tuple(tuple(w_ref[me, r, q] * SCALE for q in chunks) for r in rows)
        vs = tuple(v_ref[me, r] for r in rows)
        c, t, success, diverged = c_ref[me], t_ref[me], success_ref[me], diverged_ref[me]

        # What a branch yields must be computed in it: Triton's lowering takes no constants there.
        def begin() -> tuple[Any, ...]:
            error, first, broken, done = examine(ws, vs, c, t, success, diverged)
            record(0, t, error * 0.0, error, error * 0.0)  # no minibatch yet; the caller makes these NaN
            return first, broken, done

        def resume() -> tuple[Any, ...]:
            return success, diverged, lane["fresh"]

        success, diverged, done = jax.lax.cond(lane["fresh"] > 0, begin, resume)
        carry = (jnp.int32(0), ws, vs, c, t, success, diverged, done, lane["fresh"])
        _, ws, vs, c, t, success, diverged, done, count = jax.lax.while_loop(go_on, one_round, carry)
        for tile, r in zip(ws, rows, strict=True):
            for w, q in zip(tile, chunks, strict=True):
                w_ref[me, r, q] = w * (1.0 / SCALE)
        for v, r in zip(vs, rows, strict=True):
            v_ref[me, r] = v
        c_ref[me], t_ref[me], success_ref[me], diverged_ref[me] = c, t, success, diverged
        done_ref[me], count_ref[me] = done, count

    del capacity  # fixed by the shapes of the outputs


def renew(recipe: Recipe, carry: Any) -> Any:
    """Apply the pending weight decay when it has become small, long before it could underflow."""
    if recipe.exact:
        return carry
    ws, vs, c, decay, *rest = carry
    due = decay < 0.5
    ws = jax.lax.cond(due, lambda: jax.tree.map(lambda w: w * decay, ws), lambda: ws)
    return (ws, vs, c, jnp.where(due, 1.0, decay), *rest)


def advance(
    recipe: Recipe, capacity: int, warps: int, interpret: bool, tables: Any, state: Any, test_words: Any, rounds: Any
) -> tuple[Any, Any]:
    """Call the kernel on all lanes. ``state``: (w, v, c, t, success, diverged, done), updated in place."""
    lanes = state[0].shape[0]
    inputs = (rounds.reshape(1), *tables, test_words, *state)
    blank = (
        jnp.zeros((lanes, capacity + 1), jnp.int32),
        jnp.zeros((lanes, capacity + 1, 3), jnp.float32),
        jnp.zeros((lanes,), jnp.int32),
    )
    outputs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in (*state, *blank)]
    first = len(inputs) - len(state)
    found = pl.pallas_call(
        functools.partial(life, recipe, capacity),
        grid=(lanes,),
        in_specs=[pl.no_block_spec] * (len(inputs) + len(blank)),
        out_specs=[pl.no_block_spec] * len(outputs),
        out_shape=outputs,
        input_output_aliases={first + i: i for i in range(len(state) + len(blank))},
        compiler_params=None if interpret else plt.CompilerParams(num_warps=warps, num_stages=1),
        interpret=interpret,
    )(*inputs, *blank)
    return tuple(found[: len(state)]), tuple(found[len(state) :])
