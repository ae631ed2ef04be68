"""The kernel path behind the same interface as the XLA path."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias, cast

import jax
import jax.numpy as jnp

from glassware.engine.device import devices, on_cpu
from glassware.engine.kernels import life
from glassware.engine.kernels.arithmetic import Recipe
from glassware.engine.kernels.blocks import Blocks
from glassware.engine.kernels.form import Form, form_of
from glassware.engine.kernels.layout import NEURONS, WORD, Layout
from glassware.engine.kernels.resident import Resident
from glassware.engine.kernels.streaming import Streaming
from glassware.engine.program import CAPACITY, Chunk, Held, Program, plain_loop
from glassware.foundation.arrays import Array, Bool, LaneValues, Params, RunValues
from glassware.foundation.draws import held_out_key
from glassware.probes import PROBES
from glassware.tasks import Parity
from glassware.training import SGD, Records, Run, State
from glassware.training.objective import SIGN_LOSSES
from glassware.training.state import Examination

REGISTERS = 64 * 512  # padded weights that one instance of eight warps holds without spilling
SLICE = 64 * 320  # and one of four warps: two such share a multiprocessor and hide each other's waiting
STREAMED = 32 * 320  # padded weights of a tile that passes by
SLICE_ROWS = 128  # the most neurons of a slice or a tile
BLOCKED = 32 * 256  # padded weights of a slice that also holds their gradients
BLOCKED_ROWS = 256  # and its most neurons
MOST_WORDS = 11  # words of an example for which kernels compile in less than a minute (measured)
H200 = 132  # multiprocessors; what layouts are made for where there is no GPU to ask

Precision: TypeAlias = Literal["fast", "exact"]


def supports(shape: Run) -> bool:
    """Whether the kernels train this shape."""
    form, optimiser, evaluation = form_of(shape.network), shape.optimiser, shape.evaluation
    if form is None or not plain_loop(shape) or shape.loss not in ("hinge", "square", "logistic"):
        return False
    plain = type(optimiser) is SGD and optimiser.momentum is None and optimiser.truncation is None
    plain = plain and optimiser.layer_rates is None
    curves = any(PROBES[name].when == "curve" for name in shape.probes)
    if not plain or curves or evaluation.train or shape.sampling != "replacement":
        return False
    layout = layout_of(shape)
    block = block_of(shape, form, layout)
    if evaluation.screen % block:
        return False
    if layout.slices == 1:
        return layout.held <= REGISTERS
    added_up = 0 if _one_block(shape, form) else block
    return layout.words <= MOST_WORDS and 0 < layout.slices <= _resident(layout, added_up)


def family(shape: Run) -> Run:
    """What shapes have in common that one kernel trains side by side: they differ in loss and degree alone.

    Only a key: it need not be a run that makes sense.
    """
    form = _form(shape)
    if _one_block(shape, form):
        return shape  # compiled for its loss, which is faster
    model = shape.network.model_copy(update={"degree": 1}) if form.degrees else shape.network
    return shape.model_copy(update={"loss": SIGN_LOSSES[0], "model": model})


def layout_of(shape: Run) -> Layout:
    """Whole networks where they fit in one instance's registers, else slices that do, else slices that stream.

    The numbers are the fastest of those tried on an H200.
    """
    form = _form(shape)
    n, width = shape.task.input_size, form.units
    whole = Layout(n, width)
    if not _one_block(shape, form):
        slices = -(-width // _rows(whole.words, BLOCKED, BLOCKED_ROWS))
        return Layout(n, width, slices=slices, undivided=True)
    if whole.held <= REGISTERS:
        return whole
    sliced = Layout(n, width, slices=-(-width // _rows(whole.words, SLICE)))
    most = _resident(sliced)
    half = Layout(n, width, slices=max(1, most // 2))
    if half.slices < sliced.slices <= most and half.held <= SLICE and 4 * half.slice_rows <= 5 * sliced.slice_rows:
        return half  # slightly larger slices, and two networks at a time instead of one
    if sliced.slices <= most:
        return sliced
    few = whole.words <= 2
    slices = most if few else max(1, most // 4)  # with more words a pass takes long: better several networks at a time
    return Layout(n, width, slices=slices, tile_rows=_rows(whole.words, STREAMED), span=1 if few else 2)


def block_of(shape: Run, form: Form, layout: Layout) -> int:
    """Examples taken at once."""
    if _one_block(shape, form):
        return shape.batch_size
    most = 64 if layout.slice_rows <= 2 * NEURONS else 32
    return next(size for size in (16, 32, 64) if size >= min(shape.batch_size, most))


def _one_block(shape: Run, form: Form) -> bool:
    """Whether the kernels for plain networks and batches of one block can do it."""
    return form.plain and shape.batch_size in (16, 32, 64)


def _form(shape: Run) -> Form:
    form = form_of(shape.network)
    assert form is not None, "only shapes that the kernels know have a layout"
    return form


def _rows(words: int, weights: int, most: int = SLICE_ROWS) -> int:
    """The most neurons, a power of two, whose incoming weights are no more than so many."""
    rows = most
    while rows > NEURONS and rows * words * WORD > weights:
        rows //= 2
    return rows


def _resident(layout: Layout, block: int = 0) -> int:
    """Instances the device holds at once. A lane with more would wait for ever for those that never start.

    An instance may take 255 registers per thread: a multiprocessor has room for two of four warps, or one of eight.
    """
    processors = H200 if on_cpu() else int(getattr(devices()[0], "core_count", 0))
    return processors * (2 if _warps(layout, block) <= 4 else 1)


def _warps(layout: Layout, block: int = 0) -> int:
    """Warps an instance: enough to hold its weights in their registers, few enough to meet quickly (measured).

    With a ``block`` there are gradients, too, and about four matrices of a number a unit and example.
    """
    if block:
        held = 2 * layout.held + 4 * layout.slice_rows * block
        return next((warps for warps in (1, 2, 4) if held <= warps * 32 * 200), 8)
    four = SLICE if layout.slices > 1 else 16_384
    return next((warps for most, warps in ((2048, 1), (4096, 2), (four, 4)) if layout.held <= most), 8)


class KernelProgram(Program):
    """Lanes of one shape, each trained by one program instance, or by a few, of a Pallas kernel.

    There may be many more lanes than fit on the device at once: the hardware takes the next as one ends its chunk.
    """

    def __init__(
        self,
        shape: Run,
        lanes: int,
        precision: Precision = "fast",
        *,
        relatives: tuple[Run, ...] = (),
        layout: Layout | None = None,
        interpret: bool = False,
    ) -> None:
        """``relatives`` are other shapes of the family whose runs the lanes may hold."""
        self.layout, self.interpret = layout or layout_of(shape), interpret
        everybody = (shape, *relatives)
        degrees = {degree for one in everybody for degree in _form(one).degrees}
        evaluation, form = shape.evaluation, replace(_form(shape), degrees=tuple(sorted(degrees)))
        block = block_of(shape, form, self.layout)
        self.recipe = Recipe(
            layout=self.layout,
            form=form,
            batch=shape.batch_size,
            block=block,
            losses=tuple(name for name in SIGN_LOSSES if any(one.loss == name for one in everybody)),
            noise=bool(cast(Parity, shape.task).noise),
            every=evaluation.every,
            test=evaluation.test,
            screen=evaluation.screen,
            exact=precision == "exact",
            warps=_warps(self.layout, 0 if _one_block(shape, form) else block),
            threads=not interpret,
        )
        super().__init__(shape, lanes)

    @property
    def skips_idle(self) -> bool:
        return True

    def _initial(self, values: RunValues) -> State:
        state = self.loop.init(values)
        return state._replace(
            params=self.recipe.form.pack(self.layout, state.params), done=state.done.astype(jnp.int32)
        )

    def _examination(self) -> Examination:
        """Words of the test examples, (words, examples)."""
        size = -(-self.recipe.test // self.recipe.block) * self.recipe.block
        raw = self.shape.task.raw(held_out_key(), jnp.arange(size, dtype=jnp.uint32))
        return Examination(jnp.pad(raw, ((0, 0), (0, self.layout.words - raw.shape[1]))).T, None)

    def _network(self, held: Held) -> Params:
        return self.recipe.form.unpack(self.layout, cast(LaneValues, held))

    def _holding(self) -> type[Resident | Streaming | Blocks]:
        if not _one_block(self.shape, self.recipe.form):
            return Blocks
        return Streaming if self.layout.tile_rows else Resident

    def _body(self, chunk: Chunk) -> tuple[State, Records]:
        values, state, fresh, exam, evaluations = chunk
        assert exam is not None, "the kernels' tasks have a held-out sample"

        def begin() -> State:
            new = jax.vmap(self._initial)(values)
            chosen = lambda a, b: jnp.where(fresh.reshape(-1, *[1] * (a.ndim - 1)), a, b)
            return jax.tree.map(chosen, new, state)

        state = jax.lax.cond(jnp.any(fresh), begin, lambda: state)
        p = state.params
        held = (p["w"], p["v"], p["c"], state.t, state.success_step, state.diverged_step, state.done)
        tables = _tables(values, fresh, self.layout)
        make = self._holding()
        moved, (times, curves, count) = life.advance(
            self.recipe, make, CAPACITY, self.interpret, tables, held, exam.raw, jnp.asarray(evaluations)
        )
        # Before the first step there is no minibatch to average over (and Triton's lowering has no NaN constant).
        unseen = fresh[:, None] & (jnp.arange(3) != list(self.columns).index("test_error"))
        curves = curves.at[:, 0].set(jnp.where(unseen, jnp.nan, curves[:, 0]))
        w, v, c, t, success, diverged, done = moved
        state = state._replace(
            params={"w": w, "v": v, "c": c}, t=t, success_step=success, diverged_step=diverged, done=done
        )
        return state, Records(times, curves, count)


def _tables(values: RunValues, fresh: Bool[Array, " lanes"], layout: Layout) -> life.Arrays:
    """The lane values in the kernel's order: keys, masks, floats, ints."""
    optimiser, task, keys = values["optimiser"], values["task"], values["keys"]
    floats = {
        "lr": optimiser["lr"],
        "keep": 1.0 - optimiser["lr"] * optimiser["weight_decay"],
        "noise": task["noise"],
        "success": values["success"],
    }
    ints = {
        "m": values["m"],
        "steps": values["steps"],
        "stop": values["stop"],
        "fresh": fresh,
        "loss": values["loss"],
        "degree": values["degree"],
    }
    return (
        jnp.concatenate([keys["order"], keys["example"], keys["noise"]], axis=1),
        jnp.pad(task["mask"], ((0, 0), (0, layout.words - task["mask"].shape[1]))),
        jnp.stack([jnp.asarray(floats[name], jnp.float32) for name in life.FLOATS], axis=1),
        jnp.stack([jnp.asarray(ints[name]).astype(jnp.int32) for name in life.INTS], axis=1),
    )
