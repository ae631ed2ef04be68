"""What is measured when a run is examined: metrics on held-out and training examples, and probes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from glassware.foundation.arrays import EitherArray, RunValues
from glassware.foundation.backend import jax, jnp
from glassware.models.model import Params
from glassware.probes import PROBES
from glassware.training.examples import Examples
from glassware.training.objective import METRICS
from glassware.training.run import Run
from glassware.training.state import Examination, State

if TYPE_CHECKING:
    from jax import Array


class Examiner:
    """Measures runs of one shape. All methods are pure and traceable."""

    def __init__(self, shape: Run, examples: Examples) -> None:
        self.shape, self.examples = shape, examples
        self.block = _block(shape)
        self._probes = [probe for probe in (PROBES[name] for name in shape.probes) if probe.when == "curve"]

    def measure(self, values: RunValues, state: State, exam: Examination | None) -> dict[str, EitherArray]:
        """The next point of a run's curves, by column."""
        shape = self.shape
        tested = self._on_held_out(values, state, exam)
        row: dict[str, EitherArray] = {f"test_{name}": value for name, value in tested.items()}
        steps = state.sums["steps"] if "steps" in state.sums else jnp.float32(shape.evaluation.every)
        fresh = state.t == 0  # no minibatch seen yet: averages over them do not exist
        average = lambda name: jnp.where(fresh, jnp.nan, state.sums[name] / steps)
        row |= {f"train_{name}": average(name) for name in shape.metrics} | {"loss": average("loss")}
        if shape.evaluation.train:
            row |= {f"train_{name}": value for name, value in self._on_sample(values, state).items()}
        for probe in self._probes:
            sample = (exam,) if probe.sample else ()
            row.update(probe.measure(shape, values, state.params, *sample))
        return row

    def _on_held_out(self, values: RunValues, state: State, exam: Examination | None) -> dict[str, Array]:
        """Metrics on the held-out sample; with a screen, on all of it only where the first examples are promising."""
        if exam is None:
            return self._on_left_over(values, state)
        size, screen = self.shape.evaluation.test, self.shape.evaluation.screen
        total = lambda first, last: self._total(values, state.params, exam, first, last)
        if not screen:
            return jax.tree.map(lambda sum_: sum_ / size, total(0, size))
        screened = total(0, screen)
        promising = screened[self.shape.measure] / screen <= 2.0 * values["success"]
        whole = lambda: jax.tree.map(lambda a, b: (a + b) / size, screened, total(screen, size))
        return jax.lax.cond(promising, whole, lambda: jax.tree.map(lambda a: a / screen, screened))

    def _total(self, values: RunValues, params: Params, exam: Examination, first: int, last: int) -> dict[str, Array]:
        """Sums over held-out examples first..last-1, a block at a time so that hidden activations stay small."""
        task = self.shape.task
        blocks = slice(first // self.block, -(-last // self.block))
        places = jnp.arange(blocks.start * self.block, blocks.stop * self.block).reshape(-1, self.block)
        counted = ((places >= first) & (places < last)).astype(jnp.float32)
        items = jax.tree.map(lambda a: a[blocks], (exam.raw, exam.inputs))

        def one(
            sums: dict[str, Array], item: tuple[tuple[Array, Array | None], Array]
        ) -> tuple[dict[str, Array], None]:
            (raw, x), weight = item
            x = task.inputs(values["task"], raw) if x is None else x
            return self._add(sums, params, x, task.targets(values["task"], raw), weight), None

        return jax.lax.scan(one, self._zeros(), (items, counted))[0]

    def _on_left_over(self, values: RunValues, state: State) -> dict[str, Array]:
        """Metrics on what training leaves of a finite domain, or on all of it where training leaves nothing."""
        domain = self.shape.task.domain or 0
        first = jnp.where(values["m"] < domain, values["m"], 0).astype(jnp.uint32)
        size = jnp.minimum(jnp.uint32(self.shape.evaluation.test), jnp.uint32(domain) - first)
        most = min(self.shape.evaluation.test, domain)
        examples = lambda place: self.examples.left_over(values, first + place, state.order)
        return self._mean(state.params, examples, most, size.astype(jnp.float32))

    def _on_sample(self, values: RunValues, state: State) -> dict[str, Array]:
        """Metrics on the first ``train`` examples of the run's own sample."""
        size = self.shape.evaluation.train
        limit = jnp.where(values["m"] > 0, jnp.minimum(values["m"], size), size).astype(jnp.float32)
        return self._mean(state.params, lambda place: self.examples.training(values, place, state.order), size, limit)

    def _mean(
        self, params: Params, examples: Callable[[Array], tuple[Array, Array]], most: int, count: Array
    ) -> dict[str, Array]:
        """Metrics over the first ``count`` (traced, at most ``most``) of the examples at places 0, 1, .."""

        def one(sums: dict[str, Array], first: Array) -> tuple[dict[str, Array], None]:
            place = first + jnp.arange(self.block, dtype=jnp.uint32)
            counted = (place.astype(jnp.float32) < count).astype(jnp.float32)
            x, y = examples(place)
            return self._add(sums, params, x, y, counted), None

        starts = jnp.arange(-(-most // self.block), dtype=jnp.uint32) * jnp.uint32(self.block)
        sums, _ = jax.lax.scan(one, self._zeros(), starts)
        return jax.tree.map(lambda sum_: sum_ / count, sums)

    def _zeros(self) -> dict[str, Array]:
        return {name: jnp.float32(0) for name in self.shape.metrics}

    def _add(self, sums: dict[str, Array], params: Params, x: Array, y: Array, weight: Array) -> dict[str, Array]:
        output = self.shape.network.apply(params, x)
        return {name: sum_ + jnp.sum(weight * METRICS[name].function(output, y)) for name, sum_ in sums.items()}


def _block(shape: Run) -> int:
    """Examples examined at once: their hidden activations take about a megabyte, which caches and GPUs both like."""
    widest = shape.network.widest(shape.task)
    block = 1 << max(5, min(10, (2**18 // widest).bit_length() - 1))
    return min(block, 1 << (shape.evaluation.test - 1).bit_length())
