"""One run as a pure function: draw a minibatch, step, examine; no Python inside."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from glassware.foundation.backend import jax, jnp, optax
from glassware.foundation.draws import held_out_key
from glassware.foundation.errors import GlasswareError
from glassware.models.model import Params
from glassware.probes import PROBES
from glassware.tasks import minibatch
from glassware.tasks.sampling import shuffled
from glassware.training.objective import LOSSES, METRICS
from glassware.training.run import Run

PIECE = 2**22  # numbers between two layers that a step on a full batch holds at once
NEVER = -1  # a step that has not happened


class State(NamedTuple):
    """A run in flight. Scalars are traced; under lanes each gets a leading axis."""

    params: Any
    optimiser: Any
    t: Any  # steps taken
    success_step: Any  # first evaluation that met the success test, or NEVER
    diverged_step: Any  # first step whose loss was not finite, or NEVER
    done: Any
    sums: Any  # loss and metrics of the minibatches since the last evaluation, by name
    kept: Any = ()  # the parameters at each of the steps to keep, stacked


class Examination(NamedTuple):
    """The held-out sample that all lanes share: compact form, and inputs unpacked once.

    None where lanes have samples of their own: a finite domain whose other examples are trained on.
    """

    raw: Any
    inputs: Any  # (blocks, block, *input_shape); None where they depend on what a run has hidden


class Records(NamedTuple):
    """What an advance measured: ``curves`` (evaluations, columns), of which the first ``count`` rows are filled."""

    t: Any
    curves: Any
    count: Any


class Loop:
    """The training loop of one shape. All methods are pure and traceable; ``values`` are the lane values of one run."""

    def __init__(self, shape: Run) -> None:
        self.shape = shape
        self.block = _block(shape)
        probes = [PROBES[name] for name in shape.probes]
        self._curve_probes = [p for p in probes if p.when == "curve"]
        self._final_probes = [p for p in probes if p.when == "final"]
        self._loss = LOSSES[shape.loss].function

    # -- examples -------------------------------------------------------------------------------------------------

    def examination(self) -> Examination | None:
        """Draw the held-out sample: ``test`` examples of a stream that no run trains on, padded to whole blocks."""
        task = self.shape.task
        if task.domain is not None:
            return None
        blocks = -(-self.shape.evaluation.test // self.block)
        index = jnp.arange(blocks * self.block, dtype=jnp.uint32)
        raw = task.held_out(held_out_key(), index)
        raw = jax.tree.map(lambda a: a.reshape(blocks, self.block, *a.shape[1:]), raw)
        return Examination(raw, None if task.hidden_inputs else jax.vmap(lambda raw: task.inputs({}, raw))(raw))

    def batch(self, values: Any, t: Any) -> tuple[Any, Any]:
        """Inputs and targets of the minibatch of step ``t``."""
        size = self.shape.batch_size
        if self.shape.batch == "full":
            return self._examples(values, jnp.arange(size, dtype=jnp.uint32))
        return self._examples(values, minibatch(self.shape.sampling, values["keys"]["order"], t, size, values["m"]))

    def _examples(self, values: Any, index: Any) -> tuple[Any, Any]:
        """Training examples at these places of the run's sample."""
        task, keys = self.shape.task, values["keys"]
        index = self._element(values, index)
        raw = task.raw(keys["example"], index)
        targets = task.train_targets(values["task"], keys["noise"], index, raw)
        return task.inputs(values["task"], raw), targets

    def _element(self, values: Any, place: Any) -> Any:
        """The number of an example in a finite domain: the run's sample comes first in a shuffle of its own."""
        domain = self.shape.task.domain
        if domain is None or (self.shape.m is None and self.shape.batch == "full"):
            return place
        return shuffled(values["keys"]["example"], jnp.uint32(0), place, jnp.uint32(domain))

    # -- training -------------------------------------------------------------------------------------------------

    def init(self, values: Any) -> State:
        params = self.shape.first(values)
        optimiser = self.shape.optimiser.transform(values["optimiser"], 0).init(params)
        never = jnp.int32(NEVER)
        places = len(self.shape.keep)
        kept = jax.tree.map(lambda a: jnp.zeros((places, *a.shape), a.dtype), params) if places else ()
        return State(params, optimiser, jnp.int32(0), never, never, jnp.bool_(False), self._zero(), kept)

    def _zero(self) -> dict[str, Any]:
        names = ["loss", *self.shape.metrics, *(["steps"] if self.shape.evaluation.growth else [])]
        return {name: jnp.float32(0) for name in names}

    def step(self, values: Any, state: State) -> State:
        """One minibatch step."""
        in_pieces = step_examples(self.shape) < self.shape.batch_size
        total, seen, gradient = (self._in_pieces if in_pieces else self._at_once)(values, state)
        transform = self.shape.optimiser.transform(values["optimiser"], state.t)
        updates, optimiser = transform.update(gradient, state.optimiser, state.params)
        broken = (state.diverged_step == NEVER) & ~jnp.isfinite(total)
        return state._replace(
            params=optax.apply_updates(state.params, updates),
            optimiser=optimiser,
            t=state.t + 1,
            diverged_step=jnp.where(broken, state.t + 1, state.diverged_step),
            sums={name: total + seen.get(name, 1.0) for name, total in state.sums.items()},
        )

    def _at_once(self, values: Any, state: State) -> tuple[Any, dict[str, Any], Params]:
        """The objective on the minibatch, its loss and metrics, and the gradient of the objective."""
        x, y = self.batch(values, state.t)

        def objective(params: Params) -> tuple[Any, dict[str, Any]]:
            seen = self._seen(params, x, y, jnp.mean)
            return self._penalised(seen["loss"], params, values), seen

        (total, seen), gradient = jax.value_and_grad(objective, has_aux=True)(state.params)
        return total, seen, gradient

    def _in_pieces(self, values: Any, state: State) -> tuple[Any, dict[str, Any], Params]:
        """The same for a full batch too large for its activations to be held at once."""
        size, piece = self.shape.batch_size, step_examples(self.shape)

        def one(sums: Any, first: Any) -> tuple[Any, None]:
            place = first + jnp.arange(piece, dtype=jnp.uint32)
            share = jnp.where(place < size, 1.0 / size, 0.0)
            x, y = self._examples(values, jnp.minimum(place, jnp.uint32(size - 1)))

            def loss(params: Params) -> tuple[Any, dict[str, Any]]:
                seen = self._seen(params, x, y, lambda each: jnp.sum(share * each))
                return seen["loss"], seen

            (_, seen), gradient = jax.value_and_grad(loss, has_aux=True)(state.params)
            return jax.tree.map(jnp.add, sums, (seen, gradient)), None

        nothing = {name: jnp.float32(0) for name in ("loss", *self.shape.metrics)}
        starts = jnp.arange(0, size, piece, dtype=jnp.uint32)
        (seen, gradient), _ = jax.lax.scan(one, (nothing, jax.tree.map(jnp.zeros_like, state.params)), starts)
        size_of = lambda params: self._penalised(jnp.float32(0), params, values)
        penalty, slope = jax.value_and_grad(size_of)(state.params)
        return seen["loss"] + penalty, seen, jax.tree.map(jnp.add, gradient, slope)

    def _seen(self, params: Params, x: Any, y: Any, average: Any) -> dict[str, Any]:
        """Loss and metrics on these examples."""
        output = self.shape.network.apply(params, x)
        found = {name: average(METRICS[name].function(output, y)) for name in self.shape.metrics}
        return {"loss": average(self._loss(output, y)), **found}

    def _penalised(self, loss: Any, params: Params, values: Any) -> Any:
        for i, penalty in enumerate(self.shape.penalty):
            loss = loss + values["penalty"][i] * penalty.size(self.shape.network, params)
        return loss

    # -- examining ------------------------------------------------------------------------------------------------

    def evaluate(self, values: Any, state: State, exam: Examination | None) -> tuple[State, dict[str, Any]]:
        """Examine a run between steps: its curves' next point, and whether it has succeeded, diverged or ended."""
        shape = self.shape
        tested = self._test(values, state.params, exam)
        row = {f"test_{name}": value for name, value in tested.items()}
        steps = state.sums["steps"] if "steps" in state.sums else jnp.float32(shape.evaluation.every)
        fresh = state.t == 0  # no minibatch seen yet: averages over them do not exist
        average = lambda name: jnp.where(fresh, jnp.nan, state.sums[name] / steps)
        row |= {f"train_{name}": average(name) for name in shape.metrics} | {"loss": average("loss")}
        if shape.evaluation.train:
            trained = self._on_sample(values, state.params)
            row |= {f"train_{name}": value for name, value in trained.items()}
        for probe in self._curve_probes:
            sample = (exam,) if probe.sample else ()
            row.update(probe.measure(shape, values, state.params, *sample))
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
            sums=self._zero(),
            kept=self._keep(values, state),
        )
        return state, row

    def _reached(self, values: Any, row: dict[str, Any]) -> Any:
        measure = self.shape.measure
        value = row.get(f"test_{measure}" if measure in METRICS else measure)
        if value is None or value.ndim:
            numbers = [name for name, value in sorted(row.items()) if not value.ndim]
            raise GlasswareError(
                f"the run measures no number '{measure}'; evaluation.measure may be {', '.join(numbers)}"
            )
        return value <= values["success"] if self.shape.succeeds_below else value >= values["success"]

    def _keep(self, values: Any, state: State) -> Any:
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

    def blank(self, capacity: int) -> Records:
        """Empty records with room for the examination at step 0 and ``capacity`` more."""
        rows, numbers = capacity + 1, sum(math.prod(shape) for shape in self.columns().values())
        return Records(jnp.zeros(rows, jnp.int32), jnp.zeros((rows, numbers), jnp.float32), jnp.int32(0))

    def begin(self, values: Any, exam: Examination | None, capacity: int) -> tuple[State, Records]:
        """A new run, examined at step 0."""
        state, row = self.evaluate(values, self.init(values), exam)
        return state, _write(self.blank(capacity), state.t, row)

    def advance(
        self, values: Any, state: State, records: Records, exam: Examination | None, evaluations: Any
    ) -> tuple[State, Records]:
        """Take a run through up to ``evaluations`` (traced) rounds of steps and examination; finished, it stays put."""
        evaluation = self.shape.evaluation

        def unfinished(carry: Any) -> Any:
            i, state, _ = carry
            return (i < evaluations) & ~state.done

        def round_(carry: Any) -> Any:
            i, state, records = carry
            steps: Any = evaluation.every
            if evaluation.growth is not None:
                steps = jnp.minimum(evaluation.next(state.t), values["steps"]) - state.t
            state = jax.lax.fori_loop(0, steps, lambda _, s: self.step(values, s), state)
            state, row = self.evaluate(values, state, exam)
            return i + 1, state, _write(records, state.t, row)

        _, state, records = jax.lax.while_loop(unfinished, round_, (jnp.int32(0), state, records))
        return state, records

    def final(self, values: Any, params: Params) -> dict[str, Any]:
        """The final probes of a finished run."""
        found: dict[str, Any] = {}
        for probe in self._final_probes:
            found.update(probe.measure(self.shape, values, params))
        return found

    def _test(self, values: Any, params: Params, exam: Examination | None) -> dict[str, Any]:
        """Metrics on the held-out sample."""
        task, evaluation = self.shape.task, self.shape.evaluation
        if exam is None:
            return self._on_held_out_share(values, params)

        def total(first: int, last: int) -> dict[str, Any]:
            """Sums over examples first..last-1, a block at a time so that hidden activations stay small."""
            blocks = slice(first // self.block, -(-last // self.block))
            places = jnp.arange(blocks.start * self.block, blocks.stop * self.block).reshape(-1, self.block)
            counted = ((places >= first) & (places < last)).astype(jnp.float32)
            items = jax.tree.map(lambda a: a[blocks], (exam.raw, exam.inputs))

            def one(sums: Any, item: Any) -> tuple[Any, None]:
                (raw, x), weight = item
                x = task.inputs(values["task"], raw) if x is None else x
                return self._add(sums, params, x, task.targets(values["task"], raw), weight), None

            return jax.lax.scan(one, self._nothing(), (items, counted))[0]

        size, screen = evaluation.test, evaluation.screen
        if not screen:
            return jax.tree.map(lambda sum_: sum_ / size, total(0, size))
        screened = total(0, screen)
        promising = screened[self.shape.measure] / screen <= 2.0 * values["success"]
        whole = lambda: jax.tree.map(lambda a, b: (a + b) / size, screened, total(screen, size))
        return jax.lax.cond(promising, whole, lambda: jax.tree.map(lambda a: a / screen, screened))

    def _on_held_out_share(self, values: Any, params: Params) -> dict[str, Any]:
        """Metrics on what training leaves of a finite domain, or on all of it where training leaves nothing."""
        domain = self.shape.task.domain or 0
        first = jnp.where(values["m"] < domain, values["m"], 0).astype(jnp.uint32)
        size = jnp.minimum(jnp.uint32(self.shape.evaluation.test), jnp.uint32(domain) - first)
        most = min(self.shape.evaluation.test, domain)

        def examples(place: Any) -> tuple[Any, Any]:
            place = jnp.minimum(first + place, jnp.uint32(domain - 1))
            raw = self.shape.task.raw(values["keys"]["example"], self._element(values, place))
            return self.shape.task.inputs(values["task"], raw), self.shape.task.targets(values["task"], raw)

        return self._mean(params, examples, most, size.astype(jnp.float32))

    def _on_sample(self, values: Any, params: Params) -> dict[str, Any]:
        """Metrics on the first ``train`` examples of the run's own sample."""
        size = self.shape.evaluation.train
        limit = jnp.where(values["m"] > 0, jnp.minimum(values["m"], size), size).astype(jnp.float32)
        return self._mean(params, lambda place: self._examples(values, place), size, limit)

    def _mean(self, params: Params, examples: Any, most: int, count: Any) -> dict[str, Any]:
        """Metrics over the first ``count`` (traced, at most ``most``) of the examples at places 0, 1, .."""

        def one(sums: Any, first: Any) -> tuple[Any, None]:
            place = first + jnp.arange(self.block, dtype=jnp.uint32)
            counted = (place.astype(jnp.float32) < count).astype(jnp.float32)
            x, y = examples(place)
            return self._add(sums, params, x, y, counted), None

        starts = jnp.arange(-(-most // self.block), dtype=jnp.uint32) * jnp.uint32(self.block)
        sums, _ = jax.lax.scan(one, self._nothing(), starts)
        return jax.tree.map(lambda sum_: sum_ / count, sums)

    def _nothing(self) -> dict[str, Any]:
        return {name: jnp.float32(0) for name in self.shape.metrics}

    def _add(self, sums: Any, params: Params, x: Any, y: Any, weight: Any) -> dict[str, Any]:
        output = self.shape.network.apply(params, x)
        return {name: sum_ + jnp.sum(weight * METRICS[name].function(output, y)) for name, sum_ in sums.items()}


def _write(records: Records, t: Any, row: dict[str, Any]) -> Records:
    curve = jnp.concatenate([jnp.ravel(row[name]) for name in sorted(row)]).astype(jnp.float32)
    at = records.count
    return Records(records.t.at[at].set(t), records.curves.at[at].set(curve), at + 1)


def step_examples(shape: Run) -> int:
    """Examples a step takes at once: all of a minibatch, and of a full batch so many that activations stay small."""
    if shape.batch != "full":
        return shape.batch_size
    return min(shape.batch_size, max(1024, PIECE // shape.network.widest(shape.task)))


def _block(shape: Run) -> int:
    """Examples examined at once: their hidden activations take about a megabyte, which caches and GPUs both like."""
    widest = shape.network.widest(shape.task)
    block = 1 << max(5, min(10, (2**18 // widest).bit_length() - 1))
    return min(block, 1 << (shape.evaluation.test - 1).bit_length())
