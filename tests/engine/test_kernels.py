"""The Pallas kernels in interpret mode against the XLA path: same data, same initial weights, same minibatches."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from glassware.engine import devices, lanes
from glassware.engine.choice import KernelError
from glassware.engine.kernels.exchange import places
from glassware.engine.kernels.layout import Layout
from glassware.engine.kernels.program import KernelProgram, family, layout_of, supports
from glassware.engine.program import LaneProgram, Program
from glassware.foundation.errors import GlasswareError
from glassware.models import MLP, Init, Neuron, PolyNet
from glassware.tasks import Parity
from glassware.training import SGD, Adam, Evaluation, Run

EXACT = 1e-5  # float32 to rounding: 200 steps of differences in the last bits


def run(**changes: Any) -> Run:
    fields: dict[str, Any] = {
        "task": Parity(n=50, k=3),
        "m": 300,
        "model": MLP(width=10),
        "steps": 1000,
        "evaluation": Evaluation(test=300, screen=64, every=100),
    }
    return Run(**(fields | changes))


def advance(program: Program, runs: list[Run], chunks: tuple[int, ...]) -> tuple[Any, Any, list[np.ndarray]]:
    """Parameters of every lane, final state and the curves of all chunks."""
    values = jax.tree.map(lambda *a: np.stack(a), *(one.values() for one in runs))
    program.compile(values)
    state, fresh, curves = program.idle(), np.ones(len(runs), bool), []
    for rounds in chunks:
        state, records = program.advance(values, state, fresh, rounds)
        fresh = np.zeros(len(runs), bool)
        curves.append(np.asarray(records.curves)[:, : int(np.max(records.count))])
    params = [program._network(jax.tree.map(lambda a, i=i: a[i], state.params)) for i in range(len(runs))]
    return params, state, curves


def compare(
    runs: list[Run], precision: Any, chunks: tuple[int, ...] = (2,), layout: Layout | None = None
) -> tuple[float, Any, Any]:
    shape, lanes = runs[0].shape(), len(devices())
    runs = [runs[i % len(runs)] for i in range(lanes)]
    assert supports(shape)
    kernel = KernelProgram(shape, lanes, precision, layout=layout, interpret=True)
    ours, state, curves = advance(kernel, runs, chunks)
    theirs, reference, expected = advance(Program(shape, lanes), runs, chunks)
    gaps = jax.tree.map(lambda a, b: float(np.max(np.abs(a - b))), ours, theirs)
    np.testing.assert_array_equal(state.t, reference.t)
    for a, b in zip(curves, expected, strict=True):
        np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
    return max(jax.tree.leaves(gaps)), (state, curves), (reference, expected)


@pytest.mark.parametrize(
    "changes",
    [
        {"task": Parity(n=33, k=4), "model": MLP(width=24), "init": Init(scheme="sparse"), "m": None},
        {"loss": "square", "optimiser": SGD(lr=0.02, weight_decay=0.01), "model": MLP(width=40), "m": 1},
        {"loss": "logistic", "task": Parity(n=70, k=3, noise=0.1)},
    ],
    ids=["hinge-even-k-online-sparse-two-tiles", "square-width-40-one-example", "logistic-noise-n-70"],
)
def test_exact_kernel_trains_like_xla(changes: dict[str, Any]) -> None:
    base = run(**changes)
    gap, (state, curves), (_, expected) = compare([base, base.model_copy(update={"seed": 1})], "exact")
    assert gap < EXACT
    assert int(state.t[0]) == 200
    np.testing.assert_allclose(curves[0], expected[0], atol=1e-4)


@pytest.mark.parametrize(("n", "tile_rows", "span"), [(70, 16, 2), (127, 0, 1)])
def test_every_layout_trains_like_xla(n: int, tile_rows: int, span: int) -> None:
    base = run(task=Parity(n=n, k=3), model=MLP(width=40), evaluation=Evaluation(test=96, every=50))
    gap, _, _ = compare([base], "exact", chunks=(1, 1), layout=Layout(n, 40, tile_rows=tile_rows, span=span))
    assert gap < EXACT


@pytest.mark.parametrize(
    "changes",
    [
        {"model": MLP(width=10, activation="power", degree=3), "loss": "square", "batch": 4, "m": None},
        {
            "model": MLP(width=3, activation="sinusoid", degree=2, output_bias=False),
            "task": Parity(n=33, k=2),
            "batch": 70,
        },
        {"model": Neuron(activation="triangle", degree=4), "loss": "square", "batch": 1},
        {"model": PolyNet(degree=3), "loss": "logistic", "batch": 16, "m": None},
    ],
    ids=["power-batch-4", "sinusoid-two-words-batch-70", "neuron-batch-1", "polynet"],
)
def test_every_form_and_batch_size_trains_like_xla(changes: dict[str, Any]) -> None:
    """Width 3 has padded units whose activation is not zero, a batch of 70 a block that is not full."""
    fields = {"task": Parity(n=20, k=3), "optimiser": SGD(lr=0.02, weight_decay=0.1)} | changes
    base = run(**fields, evaluation=Evaluation(test=96, every=40), steps=80)
    gap, _, (_, expected) = compare([base, base.model_copy(update={"seed": 1})], "exact", chunks=(1, 1))
    assert gap < EXACT
    assert expected[0].shape[1] == 2


def test_fast_kernel_follows_xla_until_chaos_sets_in_under_strong_weight_decay_too() -> None:
    base = run(evaluation=Evaluation(test=96, every=20))
    decaying = base.model_copy(update={"optimiser": SGD(lr=0.1, weight_decay=2.0)})
    gap, _, _ = compare([base, decaying], "fast", chunks=(1,))
    assert 0 < gap < 5e-3


def test_success_and_divergence_are_seen_by_the_kernel() -> None:
    easy = run(task=Parity(n=12, k=1), m=None, model=MLP(width=16), evaluation=Evaluation(test=96, every=100))
    _, (state, _), (reference, _) = compare([easy], "exact", chunks=(10,))
    np.testing.assert_array_equal(state.success_step, reference.success_step)
    assert int(state.success_step[0]) > 0
    wild = run(loss="square", optimiser=SGD(lr=1e4), evaluation=Evaluation(test=96, every=100))
    _, (state, _), (reference, _) = compare([wild], "exact")
    # Held weights overflow half precision beyond 255, so a kernel may see the end of a runaway a step or two earlier.
    assert 0 < int(state.diverged_step[0]) <= int(reference.diverged_step[0]) <= int(state.diverged_step[0]) + 2
    assert int(state.done[0]) == 1


def test_tiles_cover_the_network_with_little_waste() -> None:
    for width in (1, 10, 16, 100, 300, 500):
        layout = Layout(50, width)
        assert width <= layout.rows <= max(16, 1.34 * width)
        starts = [start for start, _ in layout.tiles]
        assert starts == [0, *np.cumsum([size for _, size in layout.tiles])[:-1]]


def test_wide_networks_are_dealt_to_slices() -> None:
    layout = layout_of(run(model=MLP(width=10_000)).shape())
    assert layout.slices == 79
    assert layout.rows >= 10_000
    streaming = layout_of(run(model=MLP(width=100_000)).shape())
    assert streaming.tile_rows > 0
    assert streaming.rows >= 100_000


def test_no_lane_has_more_slices_than_the_device_holds_at_once() -> None:
    """Such a lane would wait for ever for instances that never start; XLA takes it."""
    assert supports(run(model=MLP(width=1000), batch=128).shape())
    assert not supports(run(model=MLP(width=50_000), batch=128).shape())


@pytest.mark.parametrize("batch", [16, 20, 32, 64, 512])
@pytest.mark.parametrize("n", [20, 50, 200])
def test_a_look_at_the_other_slices_has_an_entry_for_every_thread(n: int, batch: int) -> None:
    """With fewer, threads that look at the same place could see different numbers, and a lane would wait for ever."""
    for width in (150, 600, 1000, 3000):
        shape = run(
            task=Parity(n=n, k=3), model=MLP(width=width), batch=batch, evaluation=Evaluation(screen=64)
        ).shape()
        recipe = KernelProgram(shape, 2, interpret=True).recipe
        slices = recipe.layout.slices
        assert places(slices, recipe.rows_of_a_look) * recipe.block >= 32 * recipe.warps
        assert places(slices, recipe.rows_of_a_look) >= slices


def test_a_kernel_that_fails_gives_way_to_xla(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = lanes.program

    def failing(shape: Run, count: int, engine: Any, relatives: tuple[Run, ...]) -> LaneProgram:
        if engine != "xla":
            raise KernelError("unknown GPU\nand a long story")
        assert not relatives
        return real(shape, count, engine, ())

    monkeypatch.setattr(lanes, "choose", lambda shape, engine: "kernels")
    monkeypatch.setattr(lanes, "program", failing)
    runs = [run(task=Parity(n=20, k=2), steps=200, seed=seed) for seed in range(3)]
    outcomes = list(lanes.train(runs))
    assert {outcome.run for outcome in outcomes} == set(runs)
    assert {outcome.engine for outcome in outcomes} == {"xla"}
    assert [record.getMessage() for record in caplog.records] == [
        "the kernel failed for mlp of width 10 on parity with 20 inputs, batch 32 (unknown GPU); using XLA for it"
    ]
    with pytest.raises(GlasswareError, match="try the engine xla"):
        list(lanes.train(runs, engine="kernels"))
    # Shapes that shared the kernel are trained one by one.
    monkeypatch.setattr(lanes, "choose", lambda shape, engine: "xla" if engine == "xla" else "kernels")
    monkeypatch.setattr(lanes, "family", lambda shape, engine: 0)
    runs += [one.model_copy(update={"loss": "square"}) for one in runs]
    assert {outcome.run for outcome in lanes.train(runs)} == set(runs)


def test_losses_and_degrees_share_a_kernel() -> None:
    """Lanes of one program with their own loss and degree train as each does alone on the XLA path."""
    fields = {"task": Parity(n=20, k=3), "m": None, "batch": 8, "optimiser": SGD(lr=0.02), "steps": 40}
    neuron = lambda degree, **more: run(
        **fields, model=Neuron(activation="sinusoid", degree=degree), evaluation=Evaluation(test=96, every=40), **more
    )
    runs = [neuron(2, loss="logistic"), neuron(4, loss="square"), neuron(3), neuron(2, seed=1)]
    shapes = list({one.shape(): None for one in runs})
    assert len(shapes) == 4
    assert len({family(shape) for shape in shapes}) == 1
    assert family(run().shape()) != family(run(loss="square").shape())  # what has a faster kernel of its own keeps it
    assert family(run(batch=8).shape()) == family(run(batch=8, loss="square").shape())
    count = len(runs) * len(devices())
    kernel = KernelProgram(shapes[0], count, "exact", relatives=tuple(shapes[1:]), interpret=True)
    ours, _, _ = advance(kernel, runs * len(devices()), (1,))
    for i, one in enumerate(runs):
        (theirs, *_), _, _ = advance(Program(one.shape(), len(devices())), [one] * len(devices()), (1,))
        gaps = jax.tree.map(lambda a, b: float(np.max(np.abs(a - b))), ours[i], theirs)
        assert max(jax.tree.leaves(gaps)) < EXACT


def test_kernels_say_what_they_cannot_do() -> None:
    assert not supports(run(optimiser=Adam(lr=0.1)).shape())
    assert not supports(run(optimiser=SGD(lr=0.1, truncation=0.1)).shape())
    assert not supports(run(optimiser=SGD(lr=0.1, decayed=("0.*",))).shape())
    assert not supports(run(model=MLP(width=(8, 8))).shape())
    assert not supports(run(sampling="epochs").shape())
