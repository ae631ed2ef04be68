"""One run as a pure function: draw a minibatch, step, examine; no Python inside."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from glassware.draws import Stream, stream_key
from glassware.probes import PROBES
from glassware.tasks import minibatch
from glassware.training.objective import LOSSES, wrong
from glassware.training.run import Run

NEVER = -1  # a step that has not happened


class State(NamedTuple):
    """A run in flight. Scalars are traced; under lanes each gets a leading axis."""

    params: Any
    optimiser: Any
    t: Any  # steps taken
    success_step: Any  # first evaluation that met the success test, or NEVER
    diverged_step: Any  # first step whose loss was not finite, or NEVER
    done: Any
    loss: Any  # minibatch loss and error since the last evaluation, summed
    error: Any


class Examination(NamedTuple):
    """The held-out sample, shared by all lanes: compact form, and inputs unpacked once."""

    raw: Any
    inputs: Any  # (blocks, block, n)


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

    def examination(self) -> Examination:
        """Draw the held-out sample: ``test`` examples of a stream that no run trains on, padded to whole blocks."""
        blocks = -(-self.shape.evaluation.test // self.block)
        index = jnp.arange(blocks * self.block, dtype=jnp.uint32)
        raw = self.shape.task.raw(stream_key(0, Stream.TEST), index)
        raw = jax.tree.map(lambda a: a.reshape(blocks, self.block, *a.shape[1:]), raw)
        return Examination(raw, self.shape.task.inputs(raw))

    def init(self, values: Any) -> State:
        params = self.shape.network.init(values["init"], self.shape.task.input_size)
        optimiser = self.shape.optimiser.transform(values["optimiser"]).init(params)
        never = jnp.int32(NEVER)
        return State(params, optimiser, jnp.int32(0), never, never, jnp.bool_(False), jnp.float32(0), jnp.float32(0))

    def batch(self, values: Any, t: Any) -> tuple[Any, Any]:
        """Inputs and labels of the minibatch of step ``t``."""
        index = minibatch(self.shape.sampling, values["keys"]["order"], t, self.shape.batch, values["m"])
        return self._examples(values, index)

    def _examples(self, values: Any, index: Any) -> tuple[Any, Any]:
        task, keys = self.shape.task, values["keys"]
        raw = task.raw(keys["example"], index)
        return task.inputs(raw), task.train_targets(values["task"], keys["noise"], index, raw)

    def step(self, values: Any, state: State) -> State:
        """One minibatch step."""
        x, y = self.batch(values, state.t)

        def objective(params: Any) -> tuple[Any, Any]:
            output = self.shape.network.apply(params, x)
            return jnp.mean(LOSSES[self.shape.loss](output, y)), jnp.mean(wrong(output, y))

        (loss, error), gradient = jax.value_and_grad(objective, has_aux=True)(state.params)
        transform = self.shape.optimiser.transform(values["optimiser"])
        updates, optimiser = transform.update(gradient, state.optimiser, state.params)
        broken = (state.diverged_step == NEVER) & ~jnp.isfinite(loss)
        return state._replace(
            params=optax.apply_updates(state.params, updates),
            optimiser=optimiser,
            t=state.t + 1,
            diverged_step=jnp.where(broken, state.t + 1, state.diverged_step),
            loss=state.loss + loss,
            error=state.error + error,
        )

    def evaluate(self, values: Any, state: State, exam: Examination) -> tuple[State, dict[str, Any]]:
        """Examine a run between steps: its curves' next point, and whether it has succeeded, diverged or ended."""
        shape = self.shape
        test_error = self._test_error(values, state.params, exam)
        steps = jnp.float32(shape.evaluation.every)
        fresh = state.t == 0  # no minibatch seen yet: averages over them do not exist
        row = {
            "test_error": test_error,
            "train_error": jnp.where(fresh, jnp.nan, state.error / steps),
            "loss": jnp.where(fresh, jnp.nan, state.loss / steps),
        }
        if shape.evaluation.train:
            row["train_error"] = self._sample_error(values, state.params)
        for probe in self._curve_probes:
            sample = (exam,) if probe.sample else ()
            row.update(probe.measure(shape, values, state.params, *sample))
        finite = jnp.isfinite(sum(jnp.sum(leaf) for leaf in jax.tree.leaves(state.params)))
        broken = (state.diverged_step == NEVER) & ~finite
        diverged_step = jnp.where(broken, state.t, state.diverged_step)
        passed = (test_error <= values["success"]) & (diverged_step == NEVER)
        success_step = jnp.where(passed & (state.success_step == NEVER), state.t, state.success_step)
        stopped = values["stop"] & (success_step != NEVER)
        done = stopped | (diverged_step != NEVER) | (state.t >= values["steps"])
        zero = jnp.float32(0)
        state = state._replace(success_step=success_step, diverged_step=diverged_step, done=done, loss=zero, error=zero)
        return state, row

    def columns(self) -> list[str]:
        """Names of the curve columns, in the order of ``Records.curves``."""
        values = jax.tree.map(jnp.asarray, self.shape.values())
        row = jax.eval_shape(lambda v: self.evaluate(v, self.init(v), self.examination())[1], values)
        return sorted(row)

    def blank(self, capacity: int) -> Records:
        """Empty records with room for the examination at step 0 and ``capacity`` more."""
        rows = capacity + 1
        return Records(jnp.zeros(rows, jnp.int32), jnp.zeros((rows, len(self.columns())), jnp.float32), jnp.int32(0))

    def begin(self, values: Any, exam: Examination, capacity: int) -> tuple[State, Records]:
        """A new run, examined at step 0."""
        state, row = self.evaluate(values, self.init(values), exam)
        return state, _write(self.blank(capacity), state.t, row)

    def advance(
        self, values: Any, state: State, records: Records, exam: Examination, evaluations: Any
    ) -> tuple[State, Records]:
        """Take a run through up to ``evaluations`` (traced) rounds of steps and examination; finished, it stays put."""
        every = self.shape.evaluation.every

        def unfinished(carry: Any) -> Any:
            i, state, _ = carry
            return (i < evaluations) & ~state.done

        def round_(carry: Any) -> Any:
            i, state, records = carry
            state = jax.lax.fori_loop(0, every, lambda _, s: self.step(values, s), state)
            state, row = self.evaluate(values, state, exam)
            return i + 1, state, _write(records, state.t, row)

        _, state, records = jax.lax.while_loop(unfinished, round_, (jnp.int32(0), state, records))
        return state, records

    def final(self, values: Any, params: Any) -> dict[str, Any]:
        """The final probes of a finished run."""
        found: dict[str, Any] = {}
        for probe in self._final_probes:
            found.update(probe.measure(self.shape, values, params))
        return found

    def _test_error(self, values: Any, params: Any, exam: Examination) -> Any:
        """Error on the held-out sample, a block at a time so that hidden activations stay small."""
        size, screen, block = self.shape.evaluation.test, self.shape.evaluation.screen, self.block

        def count(first: int, last: int) -> Any:
            """Misses among examples first..last-1."""
            blocks = slice(first // block, -(-last // block))
            places = jnp.arange(exam.inputs.shape[0] * block).reshape(-1, block)[blocks]
            counted = ((places >= first) & (places < last)).astype(jnp.float32)

            def one(total: Any, item: Any) -> tuple[Any, None]:
                raw, x, weight = item
                y = self.shape.task.targets(values["task"], raw)
                return total + jnp.sum(weight * wrong(self.shape.network.apply(params, x), y)), None

            return jax.lax.scan(one, jnp.float32(0), (exam.raw[blocks], exam.inputs[blocks], counted))[0]

        if not screen:
            return count(0, size) / size
        screened = count(0, screen)
        promising = screened / screen <= 2.0 * values["success"]
        return jax.lax.cond(promising, lambda: (screened + count(screen, size)) / size, lambda: screened / screen)

    def _sample_error(self, values: Any, params: Any) -> Any:
        """Error on the first ``train`` examples of the run's own sample."""
        size, block = self.shape.evaluation.train, self.block
        blocks = -(-size // block)
        limit = jnp.where(values["m"] > 0, jnp.minimum(values["m"], size), size).astype(jnp.float32)

        def one(total: Any, first: Any) -> tuple[Any, None]:
            index = first + jnp.arange(block, dtype=jnp.uint32)
            x, y = self._examples(values, index)
            counted = (index.astype(jnp.float32) < limit).astype(jnp.float32)
            return total + jnp.sum(counted * wrong(self.shape.network.apply(params, x), y)), None

        total, _ = jax.lax.scan(one, jnp.float32(0), jnp.arange(blocks, dtype=jnp.uint32) * jnp.uint32(block))
        return total / limit


def _write(records: Records, t: Any, row: dict[str, Any]) -> Records:
    curve = jnp.stack([row[name] for name in sorted(row)]).astype(jnp.float32)
    at = records.count
    return Records(records.t.at[at].set(t), records.curves.at[at].set(curve), at + 1)


def _block(shape: Run) -> int:
    """Examples examined at once: their hidden activations take about a megabyte, which caches and GPUs both like."""
    widest = shape.network.widest(shape.task.input_size)
    block = 1 << max(5, min(10, (2**18 // widest).bit_length() - 1))
    return min(block, 1 << (shape.evaluation.test - 1).bit_length())
