"""One network trained by XLA, from its first weights on: for the estimators, and for the grid of the paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import jax
import jax.numpy as jnp
import optax

from glassware.foundation.arrays import Array, Float, Float32, Int32, LaneValues, Number, Params, UInt32, Whole
from glassware.tabular.jobs import Shape
from glassware.tabular.network import apply
from glassware.tabular.rules import BETA1, BETA2, EPSILON, XLA, epoch_order, first_weights, rate_factor

# Epsilon inside the root: a reciprocal root is far cheaper than a root and a division.
ADAM = optax.scale_by_adam(BETA1, BETA2, eps=0.0, eps_root=EPSILON**2)

Slots: TypeAlias = Int32[Array, " batch"] | UInt32[Array, " batch"]  # numbers of rows
Epoch: TypeAlias = tuple[Int32[Array, ""], Params, optax.OptState]
Sum: TypeAlias = tuple[Slots, Params, optax.OptState, Params, Float32[Array, ""]]
Carry: TypeAlias = tuple[Epoch, Params]  # and what the last check kept


def fit(
    shape: Shape, data: LaneValues, lane: LaneValues, rule: optax.GradientTransformation = ADAM
) -> tuple[Params, Float32[Array, " checks"]]:
    """The network's weights at every check, and the losses on its held-out rows (NaN without any).

    Args:
        shape: what is compiled in.
        data: all tables, stacked: ``x``, ``target``, ``features``, and, where rows have them, ``truth`` and ``weight``.
        lane: what is this network's own, see :func:`glassware.tabular.jobs.lane_values`; ``learnt`` may be left out
            where all rows are learnt. What all lanes share should be no lane value when they step side by side: else
            loops carry those that are done along, masked.
        rule: turns gradients into steps, before decoupled decay and the learning rate.
    """
    # Rows are taken out of all tables one batch at a time: lanes that step together share one copy.
    rows_of = lambda name, slots: data[name][lane["table"], slots]
    steps = -(-lane["rows"] // shape.batch)
    optimiser = _optimiser(shape, lane, rule, lane["epochs"] * steps)
    gradient = jax.grad(lambda params, x, *rest: _loss(shape, apply(params, x, shape.precision), *rest))

    def weights_of(slots: Slots, real: Whole) -> Float[Array, " batch"]:
        weight = rows_of("weight", slots) if "weight" in data else 1.0
        return jnp.where(jnp.arange(len(slots)) < real, weight, 0.0)

    def step(i: Int32[Array, ""], carry: tuple[Slots, Params, optax.OptState]) -> tuple[Slots, Params, optax.OptState]:
        order, params, state = carry
        slots = jax.lax.dynamic_slice(order, (i * shape.batch,), (shape.batch,))
        # Slots past the last row are padding: they weigh nothing, and the mean is over the real ones.
        real = jnp.minimum(shape.batch, lane["rows"] - i * shape.batch)
        grads = gradient(params, rows_of("x", slots), rows_of("target", slots), weights_of(slots, real), real)
        updates, state = optimiser.update(grads, state, params)
        return order, optax.apply_updates(params, updates), state

    def order_of(epoch: Int32[Array, ""]) -> Slots:
        order = epoch_order(XLA, lane["order"], epoch, lane["rows"], shape.rows)
        return jnp.asarray(lane["learnt"][order] if "learnt" in lane else order)

    def one_epoch(carry: Epoch) -> Epoch:
        epoch, *state = carry
        _, *state = jax.lax.fori_loop(0, steps, step, (order_of(epoch), *state))
        return epoch + 1, *state

    def epoch_and_sum(carry: tuple[Epoch, Params, Float32[Array, ""]]) -> tuple[Epoch, Params, Float32[Array, ""]]:
        """An epoch, and the sum of the weights that a mean is made of."""

        def step_and_sum(i: Int32[Array, ""], carry: Sum) -> Sum:
            slots, params, state, total, count = carry
            slots, params, state = step(i, (slots, params, state))
            taken = (((i + 1) % shape.mean_every(steps) == 0) | (i == steps - 1)).astype(jnp.float32)
            total = jax.tree.map(lambda old, new: old + taken * new, total, params)
            return slots, params, state, total, count + taken

        (epoch, *state), total, count = carry
        _, *state, total, count = jax.lax.fori_loop(0, steps, step_and_sum, (order_of(epoch), *state, total, count))
        return (epoch + 1, *state), total, count

    def until(carry: Carry, end: Int32[Array, ""]) -> tuple[Carry, tuple[Params, Float32[Array, ""]]]:
        before, params = carry
        if shape.averaged:
            begin = before, jax.tree.map(jnp.zeros_like, params), jnp.float32(0)
            now, total, count = jax.lax.while_loop(lambda c: c[0][0] < end, epoch_and_sum, begin)
            # With few epochs there may be none between checks.
            params = jax.tree.map(
                lambda old, sum: jnp.where(count > 0, sum / jnp.maximum(count, 1), old), params, total
            )
        else:
            now = jax.lax.while_loop(lambda c: c[0] < end, one_epoch, before)
            params = now[1]
        carry = now, params
        if not shape.held_out:
            return carry, (params, jnp.float32(jnp.nan))
        held, real = lane["held"], lane["held_rows"]
        out = apply(params, rows_of("x", held), shape.precision)
        return carry, (params, _loss(shape, out, rows_of("truth", held), weights_of(held, real), real))

    features = data["features"][lane["table"]]
    params = first_weights(XLA, shape.sizes, lane["keys"], features, lane["sparsity"], lane if shape.spread else None)
    begin = (jnp.int32(0), params, optimiser.init(params)), params
    if shape.checks == 1:  # without a scan, which would keep a second copy
        _, found = until(begin, lane["ends"][0])
        return jax.tree.map(lambda a: a[None], found)
    return jax.lax.scan(until, begin, lane["ends"])[1]


def _optimiser(
    shape: Shape, lane: LaneValues, rule: optax.GradientTransformation, steps: Number
) -> optax.GradientTransformation:
    """The rule with weight decay and the schedule; decoupled decay is on weight matrices only."""
    rate: Number | Callable[[Int32[Array, ""]], Number] = lane["lr"]
    if shape.schedule != "constant":  # a schedule counts steps, which a tiny network feels
        rate = lambda done: lane["lr"] * rate_factor(jnp, shape.schedule, done + 1.0, steps)
    if shape.decoupled:
        matrices = lambda params: jax.tree.map(lambda p: p.ndim == 2, params)
        parts = rule, optax.add_decayed_weights(lane["decay"], matrices)
    else:
        parts = optax.add_decayed_weights(lane["decay"]), rule
    return optax.chain(*parts, optax.scale_by_learning_rate(rate))


def _loss(
    shape: Shape,
    out: Float[Array, "batch outputs"],
    target: Float[Array, "batch outputs"],
    weight: Float[Array, " batch"],
    rows: Whole,
) -> Float[Array, ""]:
    """Weighted sum of the rows' losses over ``rows``."""
    if shape.classify:
        each = -jnp.sum(target * jax.nn.log_softmax(out), axis=-1)
    else:
        each = 0.5 * jnp.sum(jnp.square(out - target), axis=-1)
    return jnp.sum(weight * each) / rows
