"""Movement, trajectories, correlation and the Fourier gap."""

import itertools

import jax
import numpy as np
import pytest

from glassware.engine import train
from glassware.foundation.errors import GlasswareError
from glassware.probes.gap import population_gradient
from glassware.sweeps import grid
from glassware.training import Loop
from tests import reference
from tests.helpers import TINY, tiny

SINUSOID = {"name": "neuron", "activation": "sinusoid", "degree": 3}


@pytest.fixture(scope="module")
def outcome():
    probes = ("movement", "relevant_movement", "irrelevant_movement", "trajectory", "correlation", "first_layer")
    (found,) = train([tiny(m=50, probes=probes, seed=3)])
    return found


@pytest.fixture(scope="module")
def along(outcome):
    """The plain trainer's weights at every evaluation."""
    every = [reference.start(outcome.run), *(list(params) for params in reference.sgd(outcome.run))]
    return [every[t] for t in outcome.curves["step"]]


def test_movement_is_that_of_the_plain_trainer(outcome, along):
    moved = [np.abs(params[0] - along[0][0]) for params in along]
    relevant = list(outcome.run.task.hidden_support(outcome.run.key()))
    others = [i for i in range(20) if i not in relevant]
    expected = {
        "movement": [m.max() for m in moved],
        "relevant_moved": [m[relevant].max() for m in moved],
        "irrelevant_moved": [m[others].max() for m in moved],
        "relevant_weight": [np.abs(params[0][relevant]).max() for params in along],
        "irrelevant_weight": [np.abs(params[0][others]).max() for params in along],
    }
    for column, values in expected.items():
        np.testing.assert_allclose(outcome.curves[column], values, atol=1e-5, err_msg=column)
    assert outcome.curves["movement"][-1] > 0.01


def test_a_trajectory_holds_every_first_layer_weight(outcome, along):
    for j, i in itertools.product(range(8), range(20)):
        np.testing.assert_allclose(outcome.curves[f"weight_{j}_{i}"], [p[0][i, j] for p in along], atol=1e-5)
    np.testing.assert_allclose(outcome.final["first_layer"], along[-1][0].T.ravel(), atol=1e-5)


def test_correlation_is_the_mean_of_label_times_output(outcome, along):
    x = reference.held_out(outcome.run.model_copy(update={"evaluation": tiny(evaluation=PADDED).evaluation}))
    expected = [np.mean(x[1] * reference.forward(params, x[0])) for params in along]
    np.testing.assert_allclose(outcome.curves["correlation"], expected, atol=1e-5)


PADDED = {"every": 10, "test": 128}  # the tiny run's 100 held-out examples fill one block of 128


def gradient_by_enumeration(run, params):
    """d E[y f] / d w by finite differences over the whole cube, in double precision."""
    n = run.task.n
    x = np.array(list(itertools.product([-1.0, 1.0], repeat=n)))
    y = np.prod(x[:, list(run.task.hidden_support(run.key()))], axis=1)
    first, *rest = jax.tree.map(lambda a: np.asarray(a, np.float64), params)
    after = rest[0]["w"][0, 0] if rest else 1.0
    z = (x @ first["w"] + first["b"])[:, 0]
    k, step = run.model.degree, 1e-5
    sigma = {
        "sinusoid": lambda z: np.sin(np.pi / 2 * (z + 1 - k)),
        "power": lambda z: z**k,
    }[run.model.activation]
    slope = after * (sigma(z + step) - sigma(z - step)) / (2 * step)
    return (y * slope) @ x / len(x)


CASES = {
    "sinusoid neuron": SINUSOID,
    "width-1 sinusoid": {"width": 1, "activation": "sinusoid", "degree": 3, "output_bias": False},
    "cubic neuron": {"name": "neuron", "activation": "power", "degree": 3},
}


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("case", CASES)
def test_the_population_gradient_is_exact_on_small_cubes(case, k):
    run = tiny(task={"n": 9, "k": k}, model=CASES[case], init={"scheme": "kaiming"}, seed=k)
    loop = Loop(run.shape())

    @jax.jit
    def measure(values):
        params = loop.init(values).params
        return params, population_gradient(run.shape(), values, params, loop.examination())

    params, found = measure(run.values())
    expected = gradient_by_enumeration(run, params)
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(found, expected, atol=2e-6 * max(1, np.abs(expected).max()) + 1e-6)


def test_the_gap_is_between_relevant_and_irrelevant_gradients():
    evaluation = {"every": 10, "test": 2**16, "stop": False}
    base = {**TINY, "task": {"n": 18, "k": 2}, "evaluation": evaluation, "probes": ["fourier_gap"], "steps": 10}
    wave = {**SINUSOID, "degree": 2}
    zigzag = {"name": "neuron", "activation": "zigzag", "degree": 2}
    exact, sampled = (train([run]) for run in grid(base, {"model": [wave, zigzag]}))
    for (outcome,) in (exact, sampled):
        assert set(outcome.curves) >= {"gap", "gap_min"}
        assert all(least <= most for least, most in zip(outcome.curves["gap_min"], outcome.curves["gap"], strict=True))
        assert outcome.curves["gap"][0] > 0.02  # sampled gradients err by about 1/256 here


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"probes": ["fourier_gap"]}, "'fourier_gap' needs a single first-layer neuron, not 8"),
        ({"probes": ["trajectory"], "model": {"width": 51}}, "keeps every first-layer weight: at most 1000, not 1020"),
        ({"probes": ["movement"], "model": {"name": "transformer"}}, "which the model 'transformer' does not have"),
        ({"probes": ["weight_norms"], "model": {"name": "transformer"}}, "which the model 'transformer' does not have"),
    ],
)
def test_a_probe_that_does_not_fit_is_refused_in_a_sentence(change, sentence):
    with pytest.raises(GlasswareError) as caught:
        tiny(**change)
    assert sentence in str(caught.value)
