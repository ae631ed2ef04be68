"""What is minimised and what is measured: losses and metrics of a model's outputs against targets, one per example.

For a ``sign`` outputs and targets are (batch,); for a ``class`` outputs are logits (batch, classes) and targets class
numbers (batch,) or distributions (batch, classes); a ``sequence`` has one more axis, positions, over which is averaged.
Adding one is one line in ``LOSSES`` or ``METRICS``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from glassware.foundation.backend import jax, jnp
from glassware.tasks.task import Kind

if TYPE_CHECKING:
    from jax import Array

Measure: TypeAlias = "Callable[[Array, Array], Array]"  # (outputs, targets) -> one number per example

SIGN: tuple[Kind, ...] = ("sign",)
CLASSES: tuple[Kind, ...] = ("class", "sequence")


@dataclass(frozen=True)
class Loss:
    """What training minimises: the mean of ``function`` over a minibatch, for tasks of these ``kinds``."""

    function: Measure
    kinds: tuple[Kind, ...] = SIGN


@dataclass(frozen=True)
class Metric:
    """What an examination measures: the mean of ``function`` over examples; ``better`` says which way success lies."""

    function: Measure
    kinds: tuple[Kind, ...] = ("sign", "class", "sequence")
    better: Literal["low", "high"] = "low"


def wrong(output: Array, y: Array) -> Array:
    """1.0 where the sign of the output misses the label; an output of exactly 0, or NaN, is a miss."""
    return jnp.where(y * output > 0, 0.0, 1.0)


def cross_entropy(logits: Array, y: Array) -> Array:
    """-log softmax(logits)[y], or the mean of it under a distribution y.

    For a class it is log(1 + sum of exp(logit - true logit) over the wrong ones). The slope at the true logit is then
    minus the sum of the others, which keeps its digits where softmax minus 1 would round to 0.
    """
    if y.ndim == logits.ndim:
        log_probabilities = jax.nn.log_softmax(logits, axis=-1)
        return _over_positions(-jnp.sum(y * log_probabilities, axis=-1), jnp.ones(y.shape[:-1], bool))
    # The few classes of a sequence come first: compilers make vectors of the last axis.
    axis = 0 if logits.ndim > 2 else -1
    return _over_positions(_class_entropy(axis)(jnp.moveaxis(logits, -1, axis), y), y >= 0)


@cache
def _class_entropy(axis: int) -> Measure:
    """The cross-entropy of classes along an axis with its slope, so that exponentials are taken once for both."""
    ruled = jax.custom_jvp(lambda logits, y: _entropy_and_slope(logits, y, axis)[0])

    def rule(given: tuple[Array, Array], moved: tuple[Array, Array]) -> tuple[Array, Array]:
        entropy, slope = _entropy_and_slope(*given, axis)
        return entropy, jnp.sum(slope * moved[0], axis=axis)

    ruled.defjvp(rule)
    return ruled


def _entropy_and_slope(logits: Array, y: Array, axis: int) -> tuple[Array, Array]:
    classes = jnp.arange(logits.shape[axis])
    true = jnp.expand_dims(y, axis) == (classes if axis else classes.reshape(-1, *[1] * y.ndim))
    top = jnp.max(logits, axis=axis, keepdims=True)
    behind = jnp.sum(jnp.where(true, logits - top, 0.0), axis=axis, keepdims=True)  # of the true logit, at most 0
    others = jnp.where(true, 0.0, jnp.exp(logits - top))
    wrong_ones = jnp.sum(others, axis=axis, keepdims=True)
    slope = jnp.where(true, -wrong_ones, others) / (wrong_ones + jnp.exp(behind))
    entropy = jnp.log1p(wrong_ones + jnp.expm1(behind)) - behind
    return jnp.squeeze(entropy, axis), slope


def error(output: Array, y: Array) -> Array:
    """1.0 for a miss: the sign is wrong, or another class than the target has the largest logit (NaN: a miss)."""
    if output.ndim == 1:
        return wrong(output, y)
    counted = y >= 0 if y.ndim < output.ndim else jnp.ones(y.shape[:-1], bool)
    truth = y if y.ndim < output.ndim else jnp.argmax(y, axis=-1)
    place, truth = jnp.arange(output.shape[-1]), truth[..., None]
    level = jnp.sum(jnp.where(place == truth, output, 0.0), axis=-1, keepdims=True)
    # As argmax would have it, the first of equals; a sum over classes takes a tenth of its time.
    beaten = (output > level) | ((output == level) & (place < truth)) | ~jnp.isfinite(output)
    return _over_positions(jnp.where(jnp.sum(jnp.where(beaten, 1.0, 0.0), axis=-1) > 0, 1.0, 0.0), counted)


def _over_positions(values: Array, counted: Array) -> Array:
    """The mean over the positions that count, (batch,)."""
    if values.ndim == 1:
        return values
    axes = tuple(range(1, values.ndim))
    return jnp.sum(jnp.where(counted, values, 0.0), axis=axes) / jnp.maximum(jnp.sum(counted, axis=axes), 1)


LOSSES: dict[str, Loss] = {
    "hinge": Loss(lambda output, y: jax.nn.relu(1.0 - y * output)),
    "square": Loss(lambda output, y: (output - y) ** 2),
    "logistic": Loss(lambda output, y: jax.nn.softplus(-y * output)),
    "correlation": Loss(lambda output, y: -y * output),
    "cross-entropy": Loss(cross_entropy, CLASSES),
}

METRICS: dict[str, Metric] = {
    "error": Metric(error),
    "accuracy": Metric(lambda output, y: 1.0 - error(output, y), better="high"),
    "cross_entropy": Metric(cross_entropy, CLASSES),
    "hinge_loss": Metric(LOSSES["hinge"].function, SIGN),
}

# The losses that kernels know, in the order of a lane value.
SIGN_LOSSES = ("hinge", "square", "logistic", "correlation")
USUAL_LOSS: dict[Kind, str] = {"sign": "hinge", "class": "cross-entropy", "sequence": "cross-entropy"}
