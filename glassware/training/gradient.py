"""The gradient of the objective on a minibatch, or piece by piece on a full batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from glassware.foundation.arrays import RunValues
from glassware.foundation.backend import jax, jnp
from glassware.models.model import Params
from glassware.training.examples import Examples
from glassware.training.objective import LOSSES, METRICS
from glassware.training.run import Run
from glassware.training.state import State

if TYPE_CHECKING:
    from jax import Array

PIECE = 2**22  # numbers between two layers that a step on a full batch holds at once


def step_examples(shape: Run) -> int:
    """Examples a step takes at once: all of a minibatch, and of a full batch so many that activations stay small."""
    if shape.batch != "full":
        return shape.batch_size
    return min(shape.batch_size, max(1024, PIECE // shape.network.widest(shape.task)))


class Gradient:
    """The gradient of one shape's objective: the mean loss of a batch plus penalties."""

    def __init__(self, shape: Run, examples: Examples) -> None:
        self.shape, self.examples = shape, examples
        self._loss = LOSSES[shape.loss].function

    def __call__(self, values: RunValues, state: State) -> tuple[Array, dict[str, Array], Params]:
        """The objective on the batch of this step, the batch's loss and metrics, and the objective's gradient."""
        in_pieces = step_examples(self.shape) < self.shape.batch_size
        return self._in_pieces(values, state) if in_pieces else self._at_once(values, state)

    def _at_once(self, values: RunValues, state: State) -> tuple[Array, dict[str, Array], Params]:
        x, y = self.examples.batch(values, state.t, state.order)

        def objective(params: Params) -> tuple[Array, dict[str, Array]]:
            output = self.shape.network.apply_all(params, self.shape.task) if self.examples.whole_domain else None
            output = self.shape.network.apply(params, x) if output is None else output
            measured = self._measure(output, y, jnp.mean)
            return self._penalised(measured["loss"], params, values), measured

        (total, measured), gradient = jax.value_and_grad(objective, has_aux=True)(state.params)
        return total, measured, gradient

    def _in_pieces(self, values: RunValues, state: State) -> tuple[Array, dict[str, Array], Params]:
        """The same for a full batch too large for its activations to be held at once."""
        size, piece = self.shape.batch_size, step_examples(self.shape)

        def add(sums: tuple[dict[str, Array], Params], first: Array) -> tuple[tuple[dict[str, Array], Params], None]:
            place = first + jnp.arange(piece, dtype=jnp.uint32)
            share = jnp.where(place < size, 1.0 / size, 0.0)
            x, y = self.examples.training(values, jnp.minimum(place, jnp.uint32(size - 1)), state.order)

            def loss(params: Params) -> tuple[Array, dict[str, Array]]:
                output = self.shape.network.apply(params, x)
                measured = self._measure(output, y, lambda each: jnp.sum(share * each))
                return measured["loss"], measured

            (_, measured), gradient = jax.value_and_grad(loss, has_aux=True)(state.params)
            return jax.tree.map(jnp.add, sums, (measured, gradient)), None

        zeros = {name: jnp.float32(0) for name in ("loss", *self.shape.metrics)}
        starts = jnp.arange(0, size, piece, dtype=jnp.uint32)
        (measured, gradient), _ = jax.lax.scan(add, (zeros, jax.tree.map(jnp.zeros_like, state.params)), starts)
        size_of = lambda params: self._penalised(jnp.float32(0), params, values)
        penalty, slope = jax.value_and_grad(size_of)(state.params)
        return measured["loss"] + penalty, measured, jax.tree.map(jnp.add, gradient, slope)

    def _measure(self, output: Array, y: Array, average: Callable[[Array], Array]) -> dict[str, Array]:
        """Loss and metrics of these outputs."""
        metrics = {name: average(METRICS[name].function(output, y)) for name in self.shape.metrics}
        return {"loss": average(self._loss(output, y)), **metrics}

    def _penalised(self, loss: Array, params: Params, values: RunValues) -> Array:
        for i, penalty in enumerate(self.shape.penalty):
            loss = loss + values["penalty"][i] * penalty.size(self.shape.network, params)
        return loss
