"""The kernel path behind the same interface as the XLA path."""

from __future__ import annotations

from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from glassware.draws import Stream, stream_key
from glassware.engine.kernels import resident
from glassware.engine.kernels.arithmetic import Recipe
from glassware.engine.kernels.layout import NEURONS, WORD, Layout
from glassware.training import Loop, Records, Run, State

CAPACITY = 64
REGISTERS = 64 * 512  # padded weights that one instance holds without spilling
SLICE = (
    64 * 128
)  # padded weights of a slice: several instances then share a multiprocessor and hide each other's waiting

Precision = Literal["fast", "exact"]


def supports(shape: Run) -> bool:
    """Whether the kernels train this shape."""
    optimiser, evaluation = shape.optimiser, shape.evaluation
    plain = optimiser.name == "sgd" and optimiser.momentum is None and optimiser.layer_rates is None
    simple = not shape.probes and not evaluation.train and shape.sampling == "replacement"
    fits = shape.batch in (16, 32, 64) and len(shape.model.widths) == 1
    if not (plain and simple and fits and evaluation.screen % shape.batch == 0):
        return False
    return layout_of(shape).slice_size <= REGISTERS


def layout_of(shape: Run) -> Layout:
    """Whole networks where they fit in one instance; else slices of at most ``SLICE`` weights."""
    n, width = shape.task.input_size, shape.model.widths[0]
    whole = Layout(n, width)
    if whole.slice_size <= REGISTERS:
        return whole
    rows = max(NEURONS, SLICE // (whole.words * WORD))
    rows = 1 << (rows.bit_length() - 1)
    return Layout(n, width, slices=-(-width // rows))


def _warps(layout: Layout) -> int:
    """Warps an instance: enough that its weights fit in their registers, few enough that exchanges between them are quick."""
    return max(1, min(8, layout.slice_rows // 32, -(-layout.slice_size // 4096)))


class KernelProgram:
    """Lanes of one shape, each trained by one program instance of a Pallas kernel."""

    def __init__(self, shape: Run, lanes: int, precision: Precision = "fast", *, interpret: bool = False) -> None:
        self.shape, self.lanes, self.interpret = shape, lanes, interpret
        self.loop = Loop(shape)
        self.columns = self.loop.columns()
        self.layout = layout_of(shape)
        evaluation = shape.evaluation
        self.recipe = Recipe(
            layout=self.layout,
            batch=shape.batch,
            loss=shape.loss,
            noise=bool(shape.task.noise),
            every=evaluation.every,
            test=evaluation.test,
            screen=evaluation.screen,
            exact=precision == "exact",
        )
        self.warps = _warps(self.layout)
        size = -(-evaluation.test // shape.batch) * shape.batch
        raw = shape.task.raw(stream_key(0, Stream.TEST), jnp.arange(size, dtype=jnp.uint32))
        self._test_words = jnp.pad(raw, ((0, 0), (0, self.layout.words - raw.shape[1]))).T.copy()
        self._jit = jax.jit(self._advance, donate_argnums=1)

    def idle(self) -> State:
        """A state in which every lane is done."""
        lanes, never = self.lanes, jnp.full(self.lanes, -1, jnp.int32)
        params = {
            "w": jnp.zeros((lanes, self.layout.rows, 32 * self.layout.words), jnp.float32),
            "v": jnp.zeros((lanes, self.layout.rows), jnp.float32),
            "c": jnp.zeros(lanes, jnp.float32),
        }
        zero = jnp.zeros(lanes, jnp.float32)
        done = jnp.ones(lanes, jnp.int32)
        return State(params, (), jnp.zeros(lanes, jnp.int32), never, never.copy(), done, zero, zero.copy())

    def advance(self, values: Any, state: State, fresh: np.ndarray, evaluations: int) -> tuple[State, Records]:
        """Start the ``fresh`` lanes, then take all through up to ``evaluations`` rounds. Consumes ``state``."""
        return self._jit(values, state, fresh, np.int32(min(evaluations, CAPACITY)))

    def _advance(self, values: Any, state: State, fresh: Any, rounds: Any) -> tuple[State, Records]:
        state = jax.lax.cond(jnp.any(fresh), lambda: self._start(values, state, fresh), lambda: state)
        p = state.params
        held = (p["w"], p["v"], p["c"], state.t, state.success_step, state.diverged_step, state.done)
        held, (times, curves, count) = resident.advance(
            self.recipe,
            CAPACITY,
            self.warps,
            self.interpret,
            _tables(values, fresh, self.layout),
            held,
            self._test_words,
            rounds,
        )
        # Before the first step there is no minibatch to average over (and Triton's lowering has no NaN constant).
        unseen = jnp.asarray(fresh)[:, None] & (jnp.arange(3) != self.columns.index("test_error"))
        curves = curves.at[:, 0].set(jnp.where(unseen, jnp.nan, curves[:, 0]))
        w, v, c, t, success, diverged, done = held
        params = {"w": w, "v": v, "c": c}
        state = state._replace(params=params, t=t, success_step=success, diverged_step=diverged, done=done)
        return state, Records(times, curves, count)

    def _start(self, values: Any, state: State, fresh: Any) -> State:
        def one(values: Any, params: Any, fresh: Any) -> Any:
            new = self.layout.pack(self.shape.model.init(values["init"], self.shape.task.input_size))
            return jax.tree.map(lambda a, b: jnp.where(fresh, a, b), new, params)

        never = jnp.int32(-1)
        return state._replace(
            params=jax.vmap(one)(values, state.params, fresh),
            t=jnp.where(fresh, 0, state.t),
            success_step=jnp.where(fresh, never, state.success_step),
            diverged_step=jnp.where(fresh, never, state.diverged_step),
            done=jnp.where(fresh, 0, state.done),
        )


def _tables(values: Any, fresh: Any, layout: Layout) -> tuple[Any, ...]:
    """The lane values in the kernel's order: keys, masks, floats, ints."""
    optimiser, task, keys = values["optimiser"], values["task"], values["keys"]
    floats = {
        "lr": optimiser["lr"],
        "keep": 1.0 - optimiser["lr"] * optimiser["weight_decay"],
        "noise": task["noise"],
        "success": values["success"],
    }
    ints = {"m": values["m"], "steps": values["steps"], "stop": values["stop"], "fresh": fresh}
    return (
        jnp.concatenate([keys["order"], keys["example"], keys["noise"]], axis=1),
        jnp.pad(task["mask"], ((0, 0), (0, layout.words - task["mask"].shape[1]))),
        jnp.stack([jnp.asarray(floats[name], jnp.float32) for name in resident.FLOATS], axis=1),
        jnp.stack([jnp.asarray(ints[name]).astype(jnp.int32) for name in resident.INTS], axis=1),
    )
