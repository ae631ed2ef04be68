from itertools import pairwise

import jax
import numpy as np
import pytest

from glassware.foundation.draws import seed_words
from glassware.models import MLP, Init
from glassware.tasks import Parity

TASK = Parity(n=6, k=1)


def network(width):
    model = MLP(width=width)
    values = Init().values(seed_words(0), model.widths[0], len(model.widths) + 1)
    return model, jax.tree.map(np.asarray, jax.jit(lambda values: model.init(values, TASK))(values))


@pytest.mark.parametrize("width", [5, (5, 4), (3, 7, 2)])
def test_outputs_are_affine_layers_with_relu_between(width):
    model, params = network(width)
    x = np.random.default_rng(0).choice([-1.0, 1.0], (10, 6)).astype(np.float32)
    h = x.astype(np.float64)
    for layer in params[:-1]:
        h = np.maximum(h @ np.float64(layer["w"]) + np.float64(layer["b"]), 0)
    expected = (h @ np.float64(params[-1]["w"]) + np.float64(params[-1]["b"]))[:, 0]
    np.testing.assert_allclose(model.apply(params, x), expected, atol=1e-5)


@pytest.mark.parametrize("width", [5, (5, 4), (3, 7, 2)])
def test_layers_have_their_sizes_and_are_counted(width):
    model, params = network(width)
    sizes = (6, *model.widths, 1)
    assert [layer["w"].shape for layer in params] == list(pairwise(sizes))
    assert [layer["b"].shape for layer in params] == [(size,) for size in sizes[1:]]
    assert model.parameters(TASK) == sum(layer["w"].size + layer["b"].size for layer in params)


def test_layers_of_one_size_do_not_share_weights():
    _, params = network((6, 6, 6))
    assert len({layer["w"].tobytes() for layer in params[:3]}) == 3


def test_deeper_layers_are_bounded_by_their_own_fan_in():
    _, params = network((50, 200))
    assert 0.9 < np.abs(params[1]["w"]).max() * np.sqrt(50) <= 1 + 1e-6
    assert np.abs(params[2]["w"]).max() * np.sqrt(200) <= 1 + 1e-6


def test_one_layer_may_be_a_number_or_a_list_of_one():
    assert MLP(width=5) == MLP(width=(5,))
    assert MLP(width=(5, 4)).widths == (5, 4)


def test_flops_count_the_matrix_products():
    model, task = MLP(width=100), Parity(n=50, k=1)
    assert model.forward_flops(task, 32) == 2 * 32 * (50 * 100 + 100)
    # Backward: weight gradients of both layers, and the input gradient of the second only.
    assert model.step_flops(task, 32) == 2 * 32 * (2 * 50 * 100 + 3 * 100)
