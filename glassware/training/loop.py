"""One run as a pure function: draw a minibatch, step, examine; no Python inside."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from glassware.foundation.arrays import EitherArray, RunValues, Whole
from glassware.foundation.backend import jax, jnp, optax
from glassware.foundation.errors import GlasswareError
from glassware.models.model import Params
from glassware.probes import PROBES
from glassware.training.examination import Examiner
from glassware.training.examples import Examples
from glassware.training.gradient import Gradient
from glassware.training.objective import METRICS
from glassware.training.run import Run
from glassware.training.state import NEVER, Examination, Records, State

if TYPE_CHECKING:
    from jax import Array

    Carry: TypeAlias = tuple[Array, State, Records]  # rounds done, and what the run is and has recorded after them


class Loop:
    """The training loop of one shape. All methods are pure and traceable; ``values`` are the lane values of one run."""

    def __init__(self, shape: Run) -> None:
        self.shape = shape
        self.examples = Examples(shape)
        self._gradient = Gradient(shape, self.examples)
        self._examiner = Examiner(shape, self.examples)

    def examination(self) -> Examination | None:
        """The held-out sample that all lanes share; None where each has its own."""
        return self.examples.held_out(self._examiner.block)

    def batch(self, values: RunValues, t: Array | int) -> tuple[Array, Array]:
        """Inputs and targets of the minibatch of step ``t``."""
        return self.examples.batch(values, t, self.examples.order(values))

    # -- training -------------------------------------------------------------------------------------------------

    def init(self, values: RunValues) -> State:
        """A run before its first step."""
        params = self.shape.first(values)
        optimiser = self.shape.optimiser.transform(values["optimiser"], 0).init(params)
        never = jnp.int32(NEVER)
        steps = len(self.shape.keep)
        kept = jax.tree.map(lambda a: jnp.zeros((steps, *a.shape), a.dtype), params) if steps else ()
        order = self.examples.order(values)
        return State(params, optimiser, jnp.int32(0), never, never, jnp.bool_(False), self._zeros(), kept, order)

    def _zeros(self) -> dict[str, Array]:
        names = ["loss", *self.shape.metrics, *(["steps"] if self.shape.evaluation.growth else [])]
        return {name: jnp.float32(0) for name in names}

    def step(self, values: RunValues, state: State) -> State:
        """One step on the minibatch of ``state.t``."""
        total, measured, gradient = self._gradient(values, state)
        transform = self.shape.optimiser.transform(values["optimiser"], state.t)
        updates, optimiser = transform.update(gradient, state.optimiser, state.params)
        broken = (state.diverged_step == NEVER) & ~jnp.isfinite(total)
        return state._replace(
            params=optax.apply_updates(state.params, updates),
            optimiser=optimiser,
            t=state.t + 1,
            diverged_step=jnp.where(broken, state.t + 1, state.diverged_step),
            sums={name: sum_ + measured.get(name, 1.0) for name, sum_ in state.sums.items()},
        )

    # -- examining ------------------------------------------------------------------------------------------------

    def evaluate(
        self, values: RunValues, state: State, exam: Examination | None
    ) -> tuple[State, dict[str, EitherArray]]:
        """Examine a run between steps: its curves' next point, and whether it has succeeded, diverged or ended."""
        row = self._examiner.measure(values, state, exam)
        finite = jnp.isfinite(sum(jnp.sum(leaf) for leaf in jax.tree.leaves(state.params)))
        broken = (state.diverged_step == NEVER) & ~finite
        diverged_step = jnp.where(broken, state.t, state.diverged_step)
        passed = self._reached(values, row) & (diverged_step == NEVER)
        success_step = jnp.where(passed & (state.success_step == NEVER), state.t, state.success_step)
        stopped = values["stop"] & (success_step != NEVER)
        done = stopped | (diverged_step != NEVER) | (state.t >= values["steps"])
        state = state._replace(
            success_step=success_step,
            diverged_step=diverged_step,
            done=done,
            sums=self._zeros(),
            kept=self._keep(values, state),
        )
        return state, row

    def _reached(self, values: RunValues, row: dict[str, EitherArray]) -> Array:
        """Whether the measure of success has reached its threshold."""
        measure = self.shape.measure
        value = row.get(f"test_{measure}" if measure in METRICS else measure)
        if value is None or value.ndim:
            numbers = [name for name, value in sorted(row.items()) if not value.ndim]
            raise GlasswareError(
                f"the run measures no number '{measure}'; evaluation.measure may be {', '.join(numbers)}"
            )
        value = jnp.asarray(value)
        return value <= values["success"] if self.shape.succeeds_below else value >= values["success"]

    def _keep(self, values: RunValues, state: State) -> Params:
        """The kept parameters, with those of this step in their place if it is one to keep."""
        if not self.shape.keep:
            return ()
        here = values["keep"] == state.t
        chosen = lambda kept, leaf: jnp.where(here.reshape(-1, *[1] * leaf.ndim), leaf, kept)
        return jax.tree.map(chosen, state.kept, state.params)

    def columns(self) -> dict[str, tuple[int, ...]]:
        """The measured columns in the order of ``Records.curves``, with the shape of a point: () for a number."""
        values = jax.tree.map(jnp.asarray, self.shape.values())
        row = jax.eval_shape(lambda v: self.evaluate(v, self.init(v), self.examination())[1], values)
        return {name: row[name].shape for name in sorted(row)}

    # -- a run from its beginning to its end ----------------------------------------------------------------------

    def blank(self, capacity: int) -> Records:
        """Empty records with room for the examination at step 0 and ``capacity`` more."""
        places, numbers = capacity + 1, sum(math.prod(shape) for shape in self.columns().values())
        return Records(jnp.zeros(places, jnp.int32), jnp.zeros((places, numbers), jnp.float32), jnp.int32(0))

    def begin(self, values: RunValues, exam: Examination | None, capacity: int) -> tuple[State, Records]:
        """A new run, examined at step 0."""
        state, row = self.evaluate(values, self.init(values), exam)
        return state, self.blank(capacity).add(state.t, row)

    def advance(
        self,
        values: RunValues,
        state: State,
        records: Records,
        exam: Examination | None,
        evaluations: Whole,
        fresh: Array | None = None,
    ) -> tuple[State, Records]:
        """Take a run through up to ``evaluations`` (traced) rounds of steps and examination; finished, it stays put.

        A ``fresh`` run, one that was only initialised, is first examined at step 0. That is a round without steps, so
        that the examination is compiled once. Under ``vmap`` lanes must not differ in their number of steps: there runs
        ``begin`` with it instead.
        """
        evaluation = self.shape.evaluation

        def unfinished(carry: Carry) -> Array:
            i, state, _ = carry
            return (i < evaluations) & ~state.done

        def round_(carry: Carry) -> Carry:
            i, state, records = carry
            steps: Array | int = evaluation.every
            if evaluation.growth is not None:
                steps = jnp.minimum(evaluation.next(state.t), values["steps"]) - state.t
            if fresh is not None:
                steps = jnp.where(i < 0, 0, steps)
            state = jax.lax.fori_loop(0, steps, lambda _, s: self.step(values, s), state)
            state, row = self.evaluate(values, state, exam)
            return i + 1, state, records.add(state.t, row)

        start = jnp.int32(0) if fresh is None else -fresh.astype(jnp.int32)
        _, state, records = jax.lax.while_loop(unfinished, round_, (start, state, records))
        return state, records

    def final(self, values: RunValues, params: Params, kept: Params = ()) -> dict[str, EitherArray]:
        """The final probes of a finished run; ``kept``: its weights at the steps that it keeps, stacked."""
        found: dict[str, EitherArray] = {}
        for probe in (PROBES[name] for name in self.shape.probes):
            if probe.when == "final":
                found.update(probe.measure(self.shape, values, params, *((kept,) if probe.kept else ())))
        return found
