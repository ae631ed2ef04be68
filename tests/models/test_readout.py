"""Solved readouts, and the fixed features they are solved on, against plain NumPy."""

import math
from itertools import combinations

import numpy as np
import pytest

from glassware.engine import solve
from glassware.foundation.errors import GlasswareError
from glassware.models import MLP, Init, Mirrored, Monomials, RandomFeatures, Readout
from glassware.sweeps import Store, run_id, sweep
from glassware.sweeps.identity import spec_json
from glassware.sweeps.validation import build
from glassware.tasks import LeakyParity, Parity
from glassware.training import SGD, Evaluation, Run, Start
from tests import reference

X = np.sign(np.random.default_rng(0).standard_normal((50, 9))).astype(np.float32)


def first_weights(model, task):
    return model.init(Init().values(np.array([1, 2], np.uint32), next(iter(model.widths), 1), model.layers), task)


def ridge(phi, y, penalty):
    """The textbook's normal equations, on features and a constant."""
    phi = np.column_stack([phi, np.ones(len(phi))])
    return np.linalg.solve(phi.T @ phi + penalty * np.mean(np.sum(phi**2, axis=0)) * np.eye(phi.shape[1]), phi.T @ y)


def test_features_that_are_drawn_once():
    task, count = Parity(n=9, k=2), 4000
    for function in ("relu", "gate"):
        model = RandomFeatures(function=function, count=count)
        (fixed, readout), x = first_weights(model, task), X / 3.0
        before = x @ (3.0 * np.asarray(fixed["w"])) + np.asarray(fixed["b"])
        assert np.std(3.0 * fixed["w"]) == pytest.approx(1, abs=0.03)
        assert np.std(fixed["b"]) == pytest.approx(0.5, abs=0.03)
        behind = (before > 0)[:, :, None] * np.column_stack([x, np.ones(len(x))])[:, None, :]
        expected = np.maximum(before, 0) if function == "relu" else behind.reshape(len(x), -1)
        found = np.asarray(model.features((fixed, readout), X))
        np.testing.assert_allclose(found, expected, atol=1e-5)
        assert found.shape[1] == model.feature_count(task)


def test_random_fourier_features_approach_the_gaussian_kernel():
    model = RandomFeatures(function="fourier", count=100_000, gamma=1 / 32)
    phi = np.asarray(model.features(first_weights(model, Parity(n=9, k=2)), X), np.float64)
    square = np.sum((X[:, None] - X[None]) ** 2, axis=-1)
    np.testing.assert_allclose(2 * phi @ phi.T / 100_000, np.exp(-square / 32), atol=0.02)


def test_monomials_are_all_products_up_to_their_degree():
    model, task = Monomials(degree=3), Parity(n=9, k=2)
    found = np.asarray(model.features(first_weights(model, task), X))
    sets = [chosen for size in (1, 2, 3) for chosen in combinations(range(9), size)]
    np.testing.assert_array_equal(found, np.stack([np.prod(X[:, chosen], axis=1) for chosen in sets], axis=1))
    assert model.feature_count(task) == len(sets) == 9 + 36 + 84


def test_no_gradient_reaches_fixed_features(tmp_path):
    run = Run(
        task=Parity(n=9, k=2), model=RandomFeatures(function="relu", count=300), optimiser=SGD(lr=0.1), steps=300,
        evaluation=Evaluation(test=500), keep=("first", "final"),
    )  # fmt: skip
    row = sweep([run], tmp_path).row(0, named=True)
    before, after = (Store(tmp_path).weights(row["id"], step) for step in ("first", "final"))
    np.testing.assert_array_equal(before["0.w"], after["0.w"])
    assert np.abs(after["1.w"]).max() > 0 == np.abs(before["1.w"]).max()
    assert row["test_error"] < 0.2


def test_a_readout_is_ridge_regression_on_the_examples_a_network_would_see():
    run = Run(
        task=Parity(n=12, k=2, noise=0.1), m=3000, model=Readout(network=MLP(width=60), units=40, ridge=1e-3),
        evaluation=Evaluation(test=3000), seed=3,
    )  # fmt: skip
    weight, bias, *_ = reference.start(run)
    features = lambda x: np.maximum(x @ weight + bias, 0)[:, :40]
    x, y = reference.example(run, np.arange(3000, dtype=np.uint32))
    weights = ridge(features(x), y, 1e-3)
    test_x, test_y = reference.held_out(run)
    output = np.column_stack([features(test_x), np.ones(3000)]) @ weights
    found = solve(run).curves
    assert found["test_error"] == [pytest.approx(np.mean(test_y * output <= 0), abs=2e-3)]
    fitted = np.column_stack([features(x), np.ones(3000)]) @ weights
    assert found["loss"] == [pytest.approx(np.mean((fitted - y) ** 2), rel=1e-4)]
    assert found["train_error"] == [pytest.approx(np.mean(y * fitted <= 0), abs=2e-3)]


def test_after_a_step_it_reads_what_the_step_has_left(tmp_path):
    """The kept first layer, the examples of the step, and both components of a leaky parity."""
    task, network = LeakyParity(n=15, k=3), Mirrored(half=60)
    step = Run(task=task, m=4000, model=network, optimiser=SGD(lr=1.0, weight_decay=1.0), batch="full", steps=1,
               evaluation=Evaluation(every=1, test=500), keep=("final",), pairing="both")  # fmt: skip
    after = Run(task=task, m=4000, model=Readout(network=network), start=Start(run=run_id(step), leaves=("0.*",)),
                evaluation=Evaluation(test=4000), probes=("components",), pairing="both")  # fmt: skip
    fixed = after.model_copy(update={"start": None})
    sweep([step], tmp_path)
    stepped, drawn = sweep([after, fixed], tmp_path).rows(named=True)
    assert stepped["support"] == drawn["support"]
    assert stepped["curve_uniform"][0] > 0.97 > 0.6 > drawn["curve_uniform"][0]
    assert stepped["curve_leaking"][0] > 0.97
    parts = (drawn["curve_uniform"][0] + drawn["curve_leaking"][0]) / 2
    assert 1 - drawn["test_error"] == pytest.approx(parts, abs=0.03)
    assert (stepped["model"], stepped["network"], stepped["half"]) == ("readout", "mirrored", 60)
    assert run_id(Run.model_validate_json(stepped["spec"])) == run_id(after) == stepped["id"] != drawn["id"]
    with pytest.raises(GlasswareError, match="give one"):
        sweep([after])


def test_first_weights_name_a_readout_and_steps_do_not():
    run = build({"task": {"n": 20, "k": 3}, "m": 100, "model": {"name": "readout", "network": {"width": 7}}})
    assert run_id(run) == run_id(build({**SPEC, "steps": 500, "optimiser": {"name": "adam", "lr": 1}}))
    assert run_id(run) != run_id(build({**SPEC, "init": {"scheme": "sparse"}}))
    assert '"network":{"name":"mlp","width":7}' in spec_json(run)


SPEC = {"task": {"n": 20, "k": 3}, "m": 100, "model": {"name": "readout", "network": {"width": 7}}}


@pytest.mark.parametrize(
    ("network", "changes", "sentence"),
    [
        ({"name": "transformer"}, {}, "the model 'transformer' has no last layer that a readout could replace"),
        ({"name": "mirrored", "half": 5}, {}, "the model 'mirrored' is drawn for the task 'leaky-parity'"),
        ({"width": 7}, {"units": 8}, "model.units must be at most the 7 features of 'mlp', not 8"),
        ({"width": 200_000}, {}, "a readout is solved from at most 110000 features, not 200000"),
        ({"name": "random-features", "function": "fourier", "count": 3}, {},
         "the function 'fourier' needs a gamma, and no other has one"),
    ],
)  # fmt: skip
def test_readouts_that_cannot_be_solved_get_one_sentence(network, changes, sentence):
    with pytest.raises(GlasswareError, match=sentence):
        build({**SPEC, "model": {"name": "readout", "network": network, **changes}})


def test_the_work_of_a_readout_is_its_gram_matrix():
    run = build(SPEC)
    assert run.model.solve_flops(run.task, 10_000, 0) > 10_000 * 8**2
    assert math.isfinite(solve(run).flops)
