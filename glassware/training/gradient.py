"""The gradient of the objective on a minibatch, or piece by piece on a full batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from glassware.foundation.arrays import RunValues
from glassware.foundation.backend import jax, jnp
from glassware.models.dropout import Dropout
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
        average: Callable[[Array], Array] = jnp.mean
        dropout, padded = None, self.shape.padded
        if padded or self.shape.network.drops:
            place = jnp.arange(self.shape.batch_size, dtype=jnp.uint32)
            average = (lambda each: jnp.sum(self._share(values, place) * each)) if padded else jnp.mean
            dropout = self._dropout(values, state, place)

        def objective(params: Params) -> tuple[Array, dict[str, Array]]:
            output = self.shape.network.apply_all(params, self.shape.task) if self.examples.whole_domain else None
            output = self._outputs(params, x, dropout) if output is None else output
            measured = self._measure(output, y, average)
            return self._penalised(measured["loss"], params, values), measured

        (total, measured), gradient = jax.value_and_grad(objective, has_aux=True)(state.params)
        return total, measured, gradient

    def _in_pieces(self, values: RunValues, state: State) -> tuple[Array, dict[str, Array], Params]:
        """The same for a full batch too large for its activations to be held at once."""
        size, piece = self.shape.batch_size, step_examples(self.shape)

        def add(sums: tuple[dict[str, Array], Params], first: Array) -> tuple[tuple[dict[str, Array], Params], None]:
            place = first + jnp.arange(piece, dtype=jnp.uint32)
            share, dropout = self._share(values, place), self._dropout(values, state, place)
            x, y = self.examples.training(values, jnp.minimum(place, jnp.uint32(size - 1)), state.order)

            def loss(params: Params) -> tuple[Array, dict[str, Array]]:
                measured = self._measure(self._outputs(params, x, dropout), y, lambda each: jnp.sum(share * each))
                return measured["loss"], measured

            (_, measured), gradient = jax.value_and_grad(loss, has_aux=True)(state.params)
            return jax.tree.map(jnp.add, sums, (measured, gradient)), None

        zeros = {name: jnp.float32(0) for name in ("loss", *self.shape.metrics)}
        starts = jnp.arange(0, size, piece, dtype=jnp.uint32)
        (measured, gradient), _ = jax.lax.scan(add, (zeros, jax.tree.map(jnp.zeros_like, state.params)), starts)
        size_of = lambda params: self._penalised(jnp.float32(0), params, values)
        penalty, slope = jax.value_and_grad(size_of)(state.params)
        return measured["loss"] + penalty, measured, jax.tree.map(jnp.add, gradient, slope)

    def _share(self, values: RunValues, place: Array) -> Array:
        """The weight of the examples at these places in the mean over a full batch; 0 past its end."""
        size = values["m"] if self.shape.padded else self.shape.batch_size
        return jnp.where(place < size, 1.0 / size, 0.0)

    def _dropout(self, values: RunValues, state: State, place: Array) -> Dropout | None:
        if not self.shape.network.drops:
            return None
        return Dropout(values["keys"]["dropout"], state.t, place)

    def _outputs(self, params: Params, x: Array, dropout: Dropout | None) -> Array:
        """Outputs on these examples, as training sees them."""
        network = self.shape.network
        return network.apply(params, x) if dropout is None else network.apply_training(params, x, dropout)

    def _measure(self, output: Array, y: Array, average: Callable[[Array], Array]) -> dict[str, Array]:
        """Loss and metrics of these outputs."""
        metrics = {name: average(METRICS[name].function(output, y)) for name in self.shape.metrics}
        return {"loss": average(self._loss(output, y)), **metrics}

    def _penalised(self, loss: Array, params: Params, values: RunValues) -> Array:
        for i, penalty in enumerate(self.shape.penalty):
            loss = loss + values["penalty"][i] * penalty.size(self.shape.network, params)
        return loss
