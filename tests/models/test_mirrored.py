"""The theorem's network and its steps against the NumPy of ``glassware.theory``; gates against their formula."""

import jax
import numpy as np
import pytest

from glassware.models import MLP, Gated, Init, Mirrored
from glassware.tasks import LeakyParity, Parity
from glassware.theory.leaky.network import Network, first_step, gradient, update
from glassware.training import L2, SGD, Evaluation, Loop, Run
from glassware.training import gradient as gradients

N, K, Q = 31, 3, 40


def run_of(**changes):
    evaluation = Evaluation(every=1, test=500, stop=False)
    fields = {
        "task": LeakyParity(n=N, k=K),
        "m": 3000,
        "model": Mirrored(half=Q),
        "optimiser": SGD(lr=1.0),
        "penalty": (L2(weight=0.5, leaves="*.w"),),
        "batch": "full",
        "steps": 1,
        "evaluation": evaluation,
        "seed": 4,
    }
    return Run(**{**fields, **changes})


def in_numpy(params):
    first, last = jax.tree.map(lambda a: np.asarray(a, np.float64), params)
    return Network(first["w"].T, first["b"], last["w"])


def same(network, other, tolerance):
    for name in ("w", "b", "u"):
        np.testing.assert_allclose(getattr(network, name), getattr(other, name), atol=tolerance)


def start(run):
    return run.network.init(run.values()["init"], run.task)


def test_first_weights():
    network = in_numpy(start(run_of(model=Mirrored(half=2000))))
    assert network.w.shape == (4000, N)
    assert set(np.unique(network.w)) == {-1, 0, 1}
    assert np.mean(network.w == 0) == pytest.approx(1 / 3, abs=0.01)
    np.testing.assert_allclose(network.b, 1 / (8 * K), rtol=1e-6)
    assert np.max(np.abs(network.u)) == pytest.approx(N / K, rel=0.01)
    np.testing.assert_array_equal(network.u[:2000], -network.u[2000:])
    usual = in_numpy(start(run_of(model=Mirrored(half=2000, copies="none"))))
    bounds = (1, 1 / np.sqrt(N), 1 / np.sqrt(4000))
    for array, bound in zip((usual.w, usual.b, usual.u), bounds, strict=True):
        assert np.max(np.abs(array)) == pytest.approx(bound, rel=0.01)
        assert np.std(array) == pytest.approx(bound / np.sqrt(3), rel=0.05)


@pytest.mark.parametrize("copies", ["corrected", "printed", "none"])
def test_outputs_are_those_of_the_formula(copies):
    run = run_of(model=Mirrored(half=Q, copies=copies))
    x, _ = Loop(run.shape()).batch(run.values(), 0)
    found = np.asarray(jax.jit(run.network.apply)(start(run), x))
    np.testing.assert_allclose(found, in_numpy(start(run))(np.asarray(x) / np.sqrt(N)), atol=1e-3)
    if copies == "corrected":
        assert np.max(np.abs(found)) == 0  # not only to rounding
    else:
        assert np.max(np.abs(found)) > 0.05


@pytest.mark.parametrize("piece", [2**22, 2**13])
def test_the_first_step_is_that_of_the_theory_in_one_piece_and_in_several(piece, monkeypatch):
    monkeypatch.setattr(gradients, "PIECE", piece)
    run = run_of(model=Mirrored(half=Q, copies="printed"))  # of which both parts of the hinge are seen
    assert gradients.step_examples(run) == (3000 if piece == 2**22 else 1024)
    loop, values = Loop(run.shape()), run.values()
    before = loop.init(values)
    after = jax.jit(loop.step)(values, before)
    x, y = (np.asarray(a, np.float64) for a in loop.batch(values, 0))
    network = in_numpy(before.params)
    same(in_numpy(after.params), first_step(network, x / np.sqrt(N), y), 1e-4)
    output = network(x / np.sqrt(N))
    assert float(after.sums["loss"]) == pytest.approx(np.mean(np.maximum(0, 1 - y * output)), rel=1e-4)
    assert float(after.sums["error"]) == pytest.approx(np.mean(y * output <= 0), abs=1e-3)


@pytest.mark.parametrize(("rates", "lam"), [((1.0, 1.0), 0.0), ((1.0, 1.0), 0.1), ((0.0, 1.0), 0.0)])
def test_later_steps_are_those_of_the_theory(rates, lam):
    run = run_of(
        optimiser=SGD(lr=0.1, layer_rates=rates), penalty=(L2(weight=lam, leaves="*.w"),), batch=64, m=None, steps=5
    )
    loop, values = Loop(run.shape()), run.values()
    state, network = loop.init(values), in_numpy(start(run))
    for t in range(5):
        x, y = (np.asarray(a, np.float64) for a in loop.batch(values, t))
        moved = update(network, gradient(network, x / np.sqrt(N), y), 0.1, lam)
        network = moved if rates[0] else Network(network.w, network.b, moved.u)
        state = jax.jit(loop.step)(values, state)
        same(in_numpy(state.params), network, 1e-4)
    assert np.max(np.abs(network.u - in_numpy(start(run)).u)) > 0.01


def test_where_it_does_not_fit_it_says_so():
    with pytest.raises(ValueError, match="'leaky-parity', not 'parity'"):
        run_of(task=Parity(n=N, k=K))
    with pytest.raises(ValueError, match="first weights of its own"):
        run_of(init=Init(scheme="kaiming"))


def test_gates_are_fixed_and_begin_silent():
    run = run_of(model=Gated(gates=6), penalty=(), optimiser=SGD(lr=0.1), steps=1)
    loop, values = Loop(run.shape()), run.values()
    before = loop.init(values)
    after = jax.jit(loop.step)(values, before).params
    np.testing.assert_array_equal(after[0]["w"], before.params[0]["w"])
    np.testing.assert_allclose(np.mean(after[0]["w"], axis=0), 0, atol=1e-6)
    x, y = (np.asarray(a) for a in loop.batch(values, 0))
    assert not np.any(run.network.apply(before.params, x))
    gates = (x @ np.asarray(after[0]["w"]) > 0).astype(float)
    assert 0.3 < gates.mean() < 0.7
    # at output 0 the hinge has slope -y
    np.testing.assert_allclose(after[1]["w"], 0.1 * (x * y[:, None]).T @ gates / len(y), atol=1e-5)
    expected = np.sum(gates * (x @ np.asarray(after[1]["w"]) + np.asarray(after[1]["b"])), axis=1)
    np.testing.assert_allclose(run.network.apply(after, x), expected, atol=1e-5)


def test_probes_of_leaky_parities():
    run = run_of(probes=("components", "drift", "largest_output"))
    loop, values = Loop(run.shape()), run.values()
    exam = loop.examination()
    moved = loop.step(values, loop.init(values))
    _, row = loop.evaluate(values, moved, exam)
    network, first = in_numpy(moved.params), in_numpy(start(run))
    raw = np.asarray(exam.raw).reshape(-1, exam.raw.shape[-1])
    for name, leaking in (("uniform", False), ("leaking", True)):
        x, y = (np.asarray(a) for a in run.task.component(values["task"], raw, leaking))
        assert float(row[name]) == pytest.approx(np.mean(y * network(x / np.sqrt(N)) > 0), abs=2e-3)
    x = np.asarray(run.task.inputs(values["task"], raw))
    assert float(row["largest_output"]) == pytest.approx(np.max(np.abs(network(x / np.sqrt(N)))), rel=1e-4)
    assert float(row["readout_size"]) == pytest.approx(np.max(np.abs(network.u)), rel=1e-4)
    assert float(row["bias_moved"]) == pytest.approx(np.max(np.abs(network.b - first.b)), rel=1e-3)
    distance = np.max(np.linalg.norm(network.w - first.w, axis=1))
    assert float(row["neuron_moved"]) == pytest.approx(distance, rel=1e-4)
    with pytest.raises(ValueError, match="'components' needs the task 'leaky-parity'"):
        Run(task=Parity(n=9, k=3), model=MLP(width=4), probes=("components",))
    with pytest.raises(ValueError, match="one hidden layer"):
        Run(task=Parity(n=9, k=3), model=MLP(width=(4, 4)), probes=("drift",))
