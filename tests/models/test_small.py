"""Neurons, PolyNets, and MLPs with other activations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from glassware.engine import train
from glassware.foundation.draws import seed_words
from glassware.foundation.errors import GlasswareError
from glassware.models import MLP, Init, Neuron, PolyNet
from glassware.sweeps.validation import build
from glassware.tasks import Parity
from tests.helpers import TINY, findings, tiny

N = 12
SIGNS = np.random.default_rng(0).choice([-1.0, 1.0], (10, N))

BY_HAND = {
    "neuron": (
        Neuron(activation="sinusoid", degree=3),
        lambda p, x: np.sin(np.pi / 2 * (x @ p[0]["w"] + p[0]["b"])[:, 0] - np.pi),
    ),
    "polynet": (
        PolyNet(degree=3),
        lambda p, x: np.prod(x @ p[0]["w"] + p[0]["b"], axis=1),
    ),
    "disjoint polynet": (
        PolyNet(degree=3, disjoint=True),
        lambda p, x: np.prod([x[:, 4 * i : 4 * i + 4] @ p[0]["w"][4 * i : 4 * i + 4, 0] for i in range(3)], axis=0),
    ),
    "width-1 mlp": (
        MLP(width=1, activation="polynomial", degree=2, output_bias=False),
        lambda p, x: (((x @ p[0]["w"] + p[0]["b"]) ** 2 / 2 - 1) @ p[1]["w"])[:, 0],
    ),
    "cubic mlp": (
        MLP(width=5, activation="power", degree=3),
        lambda p, x: ((x @ p[0]["w"] + p[0]["b"]) ** 3 @ p[1]["w"] + p[1]["b"])[:, 0],
    ),
    "deep quadratic mlp": (
        MLP(width=(2, 1), activation="power", degree=2),
        lambda p, x: (
            ((x @ p[0]["w"] + p[0]["b"]) ** 2 @ p[1]["w"] + p[1]["b"]) ** 2 @ p[2]["w"] + p[2]["b"]
        )[:, 0],
    ),
}  # fmt: skip


def started(model, inputs=N, **init):
    """Initial parameters as double-precision NumPy arrays."""
    values = Init(**init).values(seed_words(0), next(iter(model.widths), 1), model.layers)
    params = jax.jit(lambda values: model.init(values, Parity(n=inputs, k=1)))(values)
    return jax.tree.map(lambda a: np.asarray(a, np.float64), params)


@pytest.mark.parametrize("case", BY_HAND)
def test_outputs_are_those_of_the_formula(case):
    model, formula = BY_HAND[case]
    params = started(model)
    assert model.parameters(Parity(n=N, k=1)) == sum(a.size for a in jax.tree.leaves(params))
    assert len(params) == model.layers
    with jax.enable_x64(True):
        np.testing.assert_allclose(model.apply(params, jnp.asarray(SIGNS)), formula(params, SIGNS), atol=1e-10)


@pytest.mark.parametrize("case", BY_HAND)
def test_gradients_are_those_of_finite_differences(case):
    model, formula = BY_HAND[case]
    params = started(model, scheme="kaiming")
    leaves, tree = jax.tree.flatten(params)
    with jax.enable_x64(True):
        gradient = jax.tree.leaves(jax.grad(lambda p: jnp.sum(model.apply(p, jnp.asarray(SIGNS))))(params))
    step = 1e-6
    for leaf, (array, slopes) in enumerate(zip(leaves, gradient, strict=True)):
        for place in np.ndindex(array.shape):
            shifted = []
            for sign in (1, -1):
                changed = [a.copy() for a in leaves]
                changed[leaf][place] += sign * step
                shifted.append(formula(jax.tree.unflatten(tree, changed), SIGNS).sum())
            np.testing.assert_allclose(slopes[place], (shifted[0] - shifted[1]) / (2 * step), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("model", [Neuron(), PolyNet(degree=4)], ids=["neuron", "polynet"])
def test_neurons_and_factors_start_by_the_number_of_inputs(model):
    n = 400
    (dense,) = started(model, inputs=n)
    assert 0.95 < np.abs(dense["w"]).max() * np.sqrt(n) <= 1 + 1e-6
    assert np.abs(dense["b"]).max() * np.sqrt(n) <= 1 + 1e-6
    (sign,) = started(model, inputs=n, scheme="sign")
    np.testing.assert_allclose(np.abs(sign["w"]), 1 / np.sqrt(n), rtol=1e-6)
    (kaiming,) = started(model, inputs=n, scheme="kaiming")
    assert kaiming["w"].var() * n == pytest.approx(2, rel=0.25)
    (glorot,) = started(model, inputs=n, scheme="glorot")
    assert 0.95 < np.abs(glorot["w"]).max() * np.sqrt((n + 1) / 6) <= 1 + 1e-6
    (sparse,) = started(model, inputs=n, scheme="sparse", s=3)
    np.testing.assert_array_equal((sparse["w"] == 1).sum(axis=0), 3)


def test_disjoint_blocks_start_at_unit_scale():
    model, n = PolyNet(degree=2, disjoint=True), 2000
    np.testing.assert_array_equal(np.unique(started(model, inputs=n, scheme="sign")[0]["w"]), [-1, 1])
    assert started(model, inputs=n, scheme="kaiming")[0]["w"].var() == pytest.approx(1, rel=0.15)
    assert 0.99 < np.abs(started(model, inputs=n)[0]["w"]).max() <= 1
    assert started(model, inputs=n, scheme="glorot")[0]["w"].var() == pytest.approx(1, rel=0.15)


def test_without_an_output_bias_the_other_weights_are_the_same():
    whole, bare = started(MLP(width=5)), started(MLP(width=5, output_bias=False))
    assert "b" not in bare[1]
    for name, i in (("w", 0), ("b", 0), ("w", 1)):
        np.testing.assert_array_equal(whole[i][name], bare[i][name])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model": {"name": "polynet", "degree": 3, "disjoint": True}}, "multiple of its degree 3, not 20"),
        (
            {"model": {"name": "polynet", "degree": 4, "disjoint": True}, "init": {"scheme": "sparse"}},
            "'sparse' does not fit a disjoint polynet",
        ),
        ({"model": {"name": "polynet"}}, "model.degree is missing"),
        ({"model": {"name": "neuron", "width": 3}}, "unknown field 'width' of model 'neuron'"),
        (
            {"model": {"name": "neuron"}, "init": {"neurons": [0], "parent_width": 3}},
            "one neuron for each of the model's",
        ),
        (
            {"model": {"name": "neuron"}, "optimiser": {"name": "sgd", "lr": 1, "layer_rates": [1, 2]}},
            "each of the 1 layers, not 2",
        ),
        ({"model": {"name": "perceptron"}}, "must be one of 'mlp', 'kernel-ridge', 'neuron'"),
    ],
)
def test_an_impossible_model_is_refused_in_a_sentence(change, sentence):
    with pytest.raises(GlasswareError) as caught:
        build({**TINY, **change})
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "model",
    [{"name": "neuron", "activation": "zigzag", "degree": 3}, {"name": "polynet", "degree": 3}],
    ids=["neuron", "polynet"],
)
def test_a_run_gives_the_same_row_in_any_company(model):
    runs = [tiny(model=model, seed=seed, m=[None, 30][seed % 2], probes=["movement"]) for seed in range(6)]
    alone = findings(outcome for run in runs for outcome in train([run], lanes=1))
    assert findings(train(runs, lanes=4)) == alone
