"""One shape compiled: all lanes advance by a chunk of steps inside one device program."""

from __future__ import annotations

import warnings
from typing import NamedTuple, Protocol, TypeAlias, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from glassware.engine import attention
from glassware.engine.device import full_float32, mesh, on_cpu
from glassware.foundation.arrays import Array, Bool, Int, LaneValues, Params, RunValues, Shaped, Whole
from glassware.tasks import Parity
from glassware.training import Constant, Loop, Records, Run, State
from glassware.training.state import Examination

CAPACITY = 64  # evaluations a chunk can hold

LANES, SHARED = PartitionSpec("lanes"), PartitionSpec()

Held: TypeAlias = Params | LaneValues  # a network as a path holds it
Tree = TypeVar("Tree")  # arrays in any nesting


def plain_loop(shape: Run) -> bool:
    """Whether a shape asks for nothing that only the XLA path knows."""
    evaluation = shape.evaluation
    return (
        type(shape.task) is Parity
        and not shape.task.skewed
        and shape.batch != "full"
        and shape.start is None
        and not shape.penalty
        and not shape.keep
        and type(shape.optimiser.schedule) is Constant
        and shape.optimiser.decayed == ("*",)
        and shape.optimiser.clip is None
        and evaluation.growth is None
        and shape.metrics == ("error",)
        and shape.measure == "error"
        and shape.succeeds_below
    )


class Chunk(NamedTuple):
    """What a device program gets to take its lanes through a chunk.

    Attributes:
        values: the lane values.
        state: of every lane.
        fresh: which lanes have a new run.
        exam: the held-out sample, shared by all lanes.
        evaluations: how many rounds to take at most.
    """

    values: RunValues
    state: State
    fresh: Bool[Array, " lanes"]
    exam: Examination | None
    evaluations: Whole


class LaneProgram(Protocol):
    """What lanes are trained by, whatever the path."""

    shape: Run
    lanes: int
    columns: dict[str, tuple[int, ...]]  # of the curves, in the order of ``Records.curves``, with a point's shape
    compile_seconds: float  # what it took to make: about what another number of lanes would take

    @property
    def skips_idle(self) -> bool:
        """Whether a lane without a run costs nothing; if not, idle lanes are worth compacting away."""

    def compile(self, values: RunValues) -> None:
        """Compile now, so that later calls can be timed."""

    def idle(self) -> State:
        """A state in which every lane is done: nothing runs until lanes are filled."""

    def advance(
        self, values: RunValues, state: State, fresh: Bool[np.ndarray, " lanes"], evaluations: int
    ) -> tuple[State, Records]:
        """Start the ``fresh`` lanes, then take all through up to ``evaluations`` rounds. Consumes ``state``."""

    def gather(self, state: State, order: Int[np.ndarray, " kept"]) -> State:
        """Lanes in a new order (possibly fewer), for a program of that many lanes."""

    def final(self, values: RunValues, state: State, lane: int) -> dict[str, Shaped[np.ndarray, "..."]]:
        """The final probes of one lane."""

    def params(self, state: State, lane: int) -> Params:
        """The network of one lane."""

    def first(self, values: RunValues) -> Params:
        """The network that a lane with these values begins with."""


class Program:
    """The XLA path: ``lanes`` runs of one shape, spread over the devices.

    On a CPU every core takes its lanes one after another, each through the whole chunk: a lane's weights stay in the
    core's cache, a finished lane costs nothing, and a run's arithmetic does not depend on its neighbours at all, so its
    row is the same bit for bit in any company. On a GPU all lanes step together (vmap), which is what fills it.
    """

    compile_seconds = 0.0

    def __init__(self, shape: Run, lanes: int) -> None:
        attention.offer()
        self.shape, self.lanes = shape, lanes
        self.loop = Loop(shape)
        self.columns = self.loop.columns()
        self._mesh = mesh()
        self._spread = NamedSharding(self._mesh, LANES)
        self._exam = jax.device_put(jax.jit(self._examination)(), NamedSharding(self._mesh, SHARED))
        sharded = jax.shard_map(
            lambda *given: self._body(Chunk(*given)),
            mesh=self._mesh,
            in_specs=(LANES, LANES, LANES, SHARED, SHARED),
            out_specs=(LANES, LANES),
            check_vma=False,
        )
        self._advance = jax.jit(sharded, donate_argnums=1)
        self._final = jax.jit(full_float32(self.loop.final))
        self._first = jax.jit(lambda values: self.loop.init(values).params)

    @property
    def skips_idle(self) -> bool:
        return on_cpu()

    def compile(self, values: RunValues) -> None:
        arguments = (self._put(values), self.idle(), np.zeros(self.lanes, bool), self._exam, np.int32(1))
        with warnings.catch_warnings():
            # JAX announces the end of Pallas' Triton backend at every kernel: for whoever maintains the kernels, not
            # for whoever trains with them. Where warnings are errors it would keep every kernel from being built.
            warnings.filterwarnings("ignore", "The Pallas Triton backend is deprecated", DeprecationWarning)
            self._compiled = self._advance.lower(*arguments).compile()

    def idle(self) -> State:
        blank = jax.eval_shape(self._initial, jax.tree.map(jnp.asarray, self.shape.values()))
        state = jax.tree.map(lambda a: np.zeros((self.lanes, *a.shape), a.dtype), blank)
        return jax.device_put(state._replace(done=np.ones_like(state.done)), self._spread)

    def advance(
        self, values: RunValues, state: State, fresh: Bool[np.ndarray, " lanes"], evaluations: int
    ) -> tuple[State, Records]:
        state, records = self._compiled(
            self._put(values), state, self._put(fresh), self._exam, np.int32(min(evaluations, CAPACITY))
        )
        return state, records

    def gather(self, state: State, order: Int[np.ndarray, " kept"]) -> State:
        return jax.device_put(jax.tree.map(lambda a: a[order], state), self._spread)

    def final(self, values: RunValues, state: State, lane: int) -> dict[str, Shaped[np.ndarray, "..."]]:
        if not self.shape.probes:
            return {}  # fetching a lane's weights costs milliseconds, which short runs would feel
        kept = jax.tree.map(lambda a: np.asarray(a[lane]), state.kept)
        return {name: np.asarray(a) for name, a in self._final(values, self.params(state, lane), kept).items()}

    def first(self, values: RunValues) -> Params:
        return jax.tree.map(np.asarray, self._first(values))

    def params(self, state: State, lane: int) -> Params:
        return jax.tree.map(np.asarray, self._network(jax.tree.map(lambda a: a[lane], state.params)))

    def _put(self, values: Tree) -> Tree:
        return jax.device_put(values, self._spread)

    # What another path changes: how a lane begins, what it is examined on, how it advances, and its parameters' form.

    def _initial(self, values: RunValues) -> State:
        return self.loop.init(values)

    def _examination(self) -> Examination | None:
        return self.loop.examination()

    def _network(self, held: Held) -> Params:
        return cast(Params, held)

    def _body(self, chunk: Chunk) -> tuple[State, Records]:
        return self._each(chunk) if on_cpu() else full_float32(self._together)(chunk)

    def _each(self, chunk: Chunk) -> tuple[State, Records]:
        def one(lane: tuple[RunValues, State, Bool[Array, ""]]) -> tuple[State, Records]:
            values, state, fresh = lane
            state = jax.lax.cond(fresh, lambda: self.loop.init(values), lambda: state)
            records = self.loop.blank(CAPACITY)
            return self.loop.advance(values, state, records, chunk.exam, chunk.evaluations, fresh)

        return jax.lax.map(one, (chunk.values, chunk.state, chunk.fresh))

    def _together(self, chunk: Chunk) -> tuple[State, Records]:
        values, state, fresh, exam, evaluations = chunk

        def begin() -> tuple[State, Records]:
            def one(values: RunValues, state: State, fresh: Bool[Array, ""]) -> tuple[State, Records]:
                new = self.loop.begin(values, exam, CAPACITY)
                return jax.tree.map(lambda a, b: jnp.where(fresh, a, b), new, (state, self.loop.blank(CAPACITY)))

            return jax.vmap(one)(values, state, fresh)

        def keep() -> tuple[State, Records]:
            return state, jax.vmap(lambda _: self.loop.blank(CAPACITY))(fresh)

        # Initialising costs as much as an evaluation: only in chunks that have new lanes.
        state, records = jax.lax.cond(jnp.any(fresh), begin, keep)
        return jax.vmap(lambda v, s, r: self.loop.advance(v, s, r, exam, evaluations))(values, state, records)
