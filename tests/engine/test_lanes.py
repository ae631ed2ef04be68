import functools
import random

import jax
import numpy as np
import pytest

from glassware.engine import devices
from glassware.engine import lanes as lanes_module
from glassware.engine import program as program_module
from glassware.engine import train as train_on_any
from glassware.engine.choice import program
from glassware.engine.lanes import CHUNK_SECONDS
from glassware.engine.program import Program
from glassware.foundation.errors import GlasswareError
from glassware.training import Run
from tests.helpers import TINY, findings, tiny

# The XLA path, which trains everything; the CPU kernel has a file of its own.
train = functools.partial(train_on_any, engine="xla")

SGD = {"name": "sgd", "lr": 0.1, "weight_decay": 0.01}

# Runs that differ in everything a lane can differ in.
VARIED: list[Run] = [
    tiny(
        seed=seed,
        m=[None, 1, 30, 1000][seed % 4],
        steps=[20, 60, 40][seed % 3],
        task=[{"n": 20, "k": 3}, {"n": 20, "k": 2, "support": [3, 17]}][seed % 2],
        init=[{"scheme": s} for s in ("dense", "sparse", "kaiming", "sign")][seed // 2 % 4],
        optimiser={**SGD, "lr": [0.1, 0.5, 0.01][seed // 4 % 3], "weight_decay": [0.0, 0.1][seed // 3 % 2]},
        evaluation={**TINY["evaluation"], "success": [0.1, 0.45][seed // 5 % 2], "stop": seed % 5 != 0},
    )
    for seed in range(24)
]


@pytest.fixture(scope="module")
def alone():
    """Each run trained with no other beside it."""
    return findings(outcome for run in VARIED for outcome in train([run], lanes=1))


@pytest.mark.parametrize("lanes", [1, 7, 64])
def test_a_run_gives_the_same_row_bit_for_bit_in_any_company(alone, lanes):
    assert findings(train(VARIED, lanes=lanes)) == alone


def test_the_order_of_runs_does_not_matter(alone):
    shuffled = random.Random(0).sample(VARIED, len(VARIED))
    assert findings(train(shuffled, lanes=7)) == alone


@pytest.mark.parametrize("engine", ["xla", "kernels"])
def test_whoever_watches_sees_every_run_as_it_is(engine):
    runs = [
        tiny(seed=seed, probes=["first_layer"], evaluation={**TINY["evaluation"], "stop": False}) for seed in (0, 1)
    ]
    seen = {0: [], 1: []}

    def on_chunk(chunk):
        for glance in chunk.look():
            seen[glance.run.seed].append((glance.curves, np.asarray(glance.params()[0]["w"])))

    for outcome in train_on_any(runs, engine=engine, on_chunk=on_chunk, chunk_seconds=0.0):
        steps = [list(curves["step"]) for curves, _ in seen[outcome.run.seed]]
        assert steps == [list(range(0, 10 * i + 1, 10)) for i in range(1, 7)]  # one evaluation per chunk
        curves, weights = seen[outcome.run.seed][-1]
        assert all(np.array_equal(curves[name], outcome.curves[name], equal_nan=True) for name in outcome.curves)
        assert np.array_equal(weights.T.ravel(), outcome.final["first_layer"])
    assert not np.array_equal(seen[0][0][1], seen[0][-1][1])


def test_the_length_of_chunks_does_not_matter(alone, monkeypatch):
    monkeypatch.setattr(lanes_module, "CHUNK_SECONDS", 0.0)  # one round a chunk
    chunks = []
    assert findings(train(VARIED, lanes=7, on_chunk=chunks.append)) == alone
    assert len(chunks) > 6
    assert CHUNK_SECONDS > 0


def test_every_run_comes_out_once_whatever_its_shape():
    runs = [*VARIED[:6], tiny(batch=4, seed=1), tiny(batch=4, seed=2)]
    chunks = []
    outcomes = list(train(iter(runs), lanes=2, on_chunk=chunks.append))
    assert sorted(o.run.model_dump_json() for o in outcomes) == sorted(r.model_dump_json() for r in runs)
    assert sum(chunk.steps for chunk in chunks) == sum(o.steps_taken for o in outcomes)
    assert sum(chunk.seconds for chunk in chunks) == pytest.approx(sum(o.seconds for o in outcomes))


def test_a_diverged_lane_is_recorded_and_its_neighbours_do_not_notice():
    calm = [tiny(loss="square", seed=seed) for seed in range(6)]
    wild = [tiny(loss="square", seed=seed, optimiser={**SGD, "lr": lr}) for seed, lr in ((0, 1e30), (1, 30.0))]
    undisturbed = findings(train(calm, lanes=8))
    outcomes = list(train([wild[0], *calm, wild[1]], lanes=8))
    together = findings(outcomes)
    assert {key: together[key] for key in undisturbed} == undisturbed
    diverged = {o.run.optimiser.lr: o for o in outcomes if o.diverged_step is not None}
    assert set(diverged) == {1e30, 30.0}
    # Weights of size 1e30 after the first step overflow float32 in the second.
    assert (diverged[1e30].diverged_step, diverged[1e30].steps_taken) == (2, 10)
    assert 2 < diverged[30.0].diverged_step <= diverged[30.0].steps_taken < 60
    assert all(o.success_step is None for o in diverged.values())


def test_what_is_traced_shares_a_shape_and_what_is_compiled_does_not():
    assert len({run.shape() for run in VARIED}) == 1
    compiled = [
        tiny(), tiny(task={"n": 21, "k": 3}), tiny(model={"width": 9}), tiny(batch=9), tiny(loss="square"),
        tiny(optimiser={"name": "adam", "lr": 0.1}), tiny(m=9, sampling="epochs"), tiny(probes=["neuron_norms"]),
        tiny(evaluation={"every": 5, "test": 100}), tiny(evaluation={"every": 10, "test": 101}),
    ]  # fmt: skip
    assert len({run.shape() for run in compiled}) == len(compiled)


def out_of_memory():
    return jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 9 bytes.")


def test_a_program_too_large_to_make_is_made_with_fewer_lanes(alone, monkeypatch):
    asked = []

    def small_device(shape, lanes, *more):
        asked.append(lanes)
        if lanes > 8:
            raise out_of_memory()
        return program(shape, lanes, *more)

    monkeypatch.setattr(lanes_module, "program", small_device)
    assert findings(train(VARIED, lanes=64)) == alone
    assert asked == [64, 32, 16, 8]


@pytest.mark.parametrize("method", ["advance", "final", "idle"])
def test_running_out_of_memory_midway_loses_and_repeats_no_run(alone, monkeypatch, method):
    calls, whole = [], getattr(Program, method)

    def sometimes(self, *args):
        calls.append(self.lanes)
        if len(calls) in (2, 5):
            raise out_of_memory()
        return whole(self, *args)

    monkeypatch.setattr(lanes_module, "CHUNK_SECONDS", 0.0)
    monkeypatch.setattr(Program, method, sometimes)
    outcomes = []
    for group in (VARIED[:12], VARIED[12:]):  # ``idle`` is called once a pool
        outcomes += train(group, lanes=8)
    assert len(outcomes) == len(VARIED)
    assert findings(outcomes) == alone
    assert min(calls) < 8


def test_a_network_that_does_not_fit_at_all_is_a_sentence(monkeypatch):
    def nothing_fits(*shape_and_lanes):
        raise out_of_memory()

    monkeypatch.setattr(lanes_module, "program", nothing_fits)
    with pytest.raises(GlasswareError, match="width 8 on parity with 20 inputs does not fit"):
        list(train(VARIED, lanes=8))


def test_other_device_errors_are_not_swallowed(monkeypatch):
    def broken(*shape_and_lanes):
        raise jax.errors.JaxRuntimeError("INTERNAL: no such device")

    monkeypatch.setattr(lanes_module, "program", broken)
    with pytest.raises(GlasswareError, match="no such device"):
        list(train(VARIED, lanes=8))


# Stepping together (vmap, as on a GPU) multiplies matrices in another order: rounding only.
LOSS_TOLERANCE = 1e-4
ERROR_TOLERANCE = 0.02  # two of the hundred held-out examples


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    program.cache_clear()
    monkeypatch.setattr(program_module, "on_cpu", lambda: False)
    yield
    program.cache_clear()


def compile_in(monkeypatch, seconds):
    """Programs say that they took so long to compile; returns the lanes of those that are used."""
    used = []

    def timed(*given):
        used.append(given[1])
        made = program(*given)
        made.compile_seconds = seconds
        return made

    monkeypatch.setattr(lanes_module, "program", timed)
    return used


@pytest.mark.slow
def test_stepping_together_and_compacting_gives_the_rows_of_stepping_each(as_on_a_gpu, monkeypatch):
    used = compile_in(monkeypatch, 0.0)
    monkeypatch.setattr(lanes_module, "CHUNK_SECONDS", 0.0)  # look at the lanes after every round
    # Every run takes all its steps, and the last ones take long: the tail is thin.
    whole = tiny(evaluation={**TINY["evaluation"], "stop": False}).evaluation
    runs = [run.model_copy(update={"evaluation": whole, "steps": 10 * i**2}) for i, run in enumerate(VARIED[:12], 1)]
    together = {o.run: o for o in train(runs, lanes=3 * len(devices()))}
    assert len(together) == len(runs)
    assert used == [n * len(devices()) for n in (3, 2, 1)]
    used = compile_in(monkeypatch, 1e6)
    assert len(list(train(runs, lanes=3 * len(devices())))) == len(runs)
    assert used == [3 * len(devices())]  # another program would cost more than idle lanes do
    monkeypatch.undo()
    program.cache_clear()
    for each in train(runs, lanes=7):
        other = together[each.run]
        assert other.steps_taken == each.steps_taken == each.run.steps
        assert other.curves["step"].tolist() == each.curves["step"].tolist()
        np.testing.assert_allclose(other.curves["loss"], each.curves["loss"], atol=LOSS_TOLERANCE)
        np.testing.assert_allclose(other.curves["test_error"], each.curves["test_error"], atol=ERROR_TOLERANCE)
