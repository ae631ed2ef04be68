"""First weights, row order and learning rate: what they are, and the same numbers by NumPy and by JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from glassware.foundation.draws import draw
from glassware.tabular.network import layer_keys
from glassware.tabular.rules import XLA, Backend, epoch_order, first_weights, rate_factor
from glassware.tabular.start import NOTHING

KEY = np.array([1, 2], np.uint32)
HOST = Backend(np, draw)
SIZES, FEATURES = (16, 300, 5), 11
KEYS = layer_keys(KEY, 2)
START = {
    "columns": np.array([[3, NOTHING], [10, 0]] * 150, np.int32),
    "weights": np.array([[1.0, -1.0], [-1.0, 1.0]] * 150, np.float32),
    "bias": np.arange(300, dtype=np.float32),
}


def weights(sparsity=0, start=None, sizes=SIZES):
    return first_weights(HOST, sizes, KEYS, FEATURES, sparsity, start)


@pytest.mark.parametrize("start", [None, START])
@pytest.mark.parametrize("sparsity", [0, 2])
def test_numpy_and_jax_draw_the_same_weights(sparsity, start):
    traced = jax.jit(lambda features, sparsity: first_weights(XLA, SIZES, KEYS, features, sparsity, start))
    found = traced(np.int32(FEATURES), np.int32(sparsity))
    for ours, theirs in zip(weights(sparsity, start), found, strict=True):
        for name in ("w", "b"):
            assert ours[name].dtype == theirs[name].dtype == np.float32
            np.testing.assert_allclose(ours[name], theirs[name], rtol=3e-7, atol=0)


def test_dense_weights_are_uniform_up_to_the_root_of_what_comes_in():
    for layer, fan_in in zip(weights(), (FEATURES, 300), strict=True):
        drawn = layer["w"][:FEATURES] if fan_in == FEATURES else layer["w"]
        for values in (drawn, layer["b"]):
            assert np.abs(values).max() <= fan_in**-0.5
        assert np.std(drawn) == pytest.approx((3 * fan_in) ** -0.5, rel=0.05)
    assert not weights()[0]["w"][FEATURES:].any()


@pytest.mark.parametrize("sparsity", [1, 2, 11, 50])
def test_sparse_neurons_start_with_so_many_ones_in_real_columns(sparsity):
    sparse, dense = weights(sparsity)[0], weights()[0]
    assert set(np.unique(sparse["w"])) <= {0.0, 1.0}
    assert not sparse["w"][FEATURES:].any()
    assert (sparse["w"].sum(axis=0) == min(sparsity, FEATURES)).all()
    np.testing.assert_array_equal(sparse["b"], dense["b"])


def test_a_weight_does_not_depend_on_the_padding():
    for sparsity in (0, 2):
        narrow, wide = weights(sparsity)[0], weights(sparsity, sizes=(13, 300, 5))[0]
        np.testing.assert_array_equal(narrow["w"][:FEATURES], wide["w"][:FEATURES])


def test_neurons_that_follow_a_forest_start_where_they_are_told_unless_dense():
    first = weights(2, START)[0]
    wanted = np.zeros((16, 300), np.float32)
    wanted[3, ::2], wanted[10, 1::2], wanted[0, 1::2] = 1.0, -1.0, 1.0
    np.testing.assert_array_equal(first["w"], wanted)
    np.testing.assert_array_equal(first["b"], START["bias"])
    np.testing.assert_array_equal(weights(0, START)[0]["w"], weights()[0]["w"])


def test_every_epoch_shuffles_all_rows_and_leaves_the_padding_behind():
    orders = [epoch_order(XLA, jnp.asarray(KEY), jnp.int32(epoch), jnp.int32(200), 256) for epoch in range(3)]
    for order in orders:
        assert sorted(order[:200].tolist()) == list(range(200))
        assert order[200:].tolist() == list(range(200, 256))
    assert (orders[0] != orders[1]).mean() > 0.7
    for epoch, order in enumerate(orders):
        np.testing.assert_array_equal(epoch_order(HOST, KEY, epoch, 200, 256), order[:200])


@pytest.mark.parametrize("xp", [np, jnp])
def test_a_cosine_rises_for_a_twentieth_and_ends_at_zero(xp):
    factor = lambda step: float(rate_factor(xp, "cosine", xp.float32(step), 1000))
    assert factor(25) == pytest.approx(0.5, rel=0.01)
    assert factor(50) > 0.99
    assert factor(500) == pytest.approx(0.5, rel=1e-5)
    assert factor(1000) == pytest.approx(0.0, abs=1e-6)
    assert rate_factor(xp, "constant", 3, 1000) == 1.0
