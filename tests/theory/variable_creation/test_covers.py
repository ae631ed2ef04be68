"""Sizes of covers: closed forms against searches, growth, and classes small enough to write down."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassware.theory.variable_creation import brute, maurey
from glassware.theory.variable_creation.allocation import allocate
from glassware.theory.variable_creation.covers import (
    HeadNorms,
    cover_heads,
    cover_linear,
    cover_matrix,
    cover_tf_head,
    explicit_tf_head,
)
from glassware.theory.variable_creation.deep import LayerNorms, amplification, cover_deep

POSITIVE = st.lists(st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)), min_size=1, max_size=5)


@given(POSITIVE, st.floats(0.1, 5), st.integers(0, 2**32))
def test_no_other_split_is_better(pairs, total, seed):
    sizes, costs = np.array(pairs).T
    best = allocate(sizes, costs, total)
    assert costs @ best.shares == pytest.approx(total)
    assert np.sum(sizes / best.shares**2) == pytest.approx(best.value)
    other = np.random.default_rng(seed).dirichlet(np.ones(len(sizes))) * total / costs
    assert np.sum(sizes / other**2) >= best.value * (1 - 1e-9)


def test_splits_that_make_no_sense():
    with pytest.raises(ValueError, match="must be positive"):
        allocate(np.ones(2), np.array([1.0, 0.0]), 1.0)


def test_heads_count_cubed_and_longer_tokens_count():
    head, at = HeadNorms(1.0, 2.0, 3.0), {"d": 4, "m": 5, "T": 6, "eps": 0.1}
    assert cover_heads([head] * 7, **at) == pytest.approx(7**3 * cover_tf_head(head, **at))
    # Where values alone matter the bound is (L B_X V21)^2, where scores alone do it is (2 L B_X^3 QK21 V)^2.
    values, scores = HeadNorms(1.0, 1.0, 0.0), HeadNorms(0.0, 1.0, 1.0)
    for one, power in ((values, 2), (scores, 6)):
        assert cover_tf_head(one, B_X=3.0, **at) == pytest.approx(3**power * cover_tf_head(one, **at))


def test_an_error_grows_in_the_layers_after_it():
    layers = [LayerNorms(1, 1, 1, 1, 1, 1), LayerNorms(2, 3, 0, 1, 1, 1), LayerNorms(1, 1, 2, 1, 1, 1)]
    np.testing.assert_allclose(amplification(layers), [6 * 9, 9, 1])
    np.testing.assert_allclose(amplification(layers, printed=True), [1, 5, 5 * 6])
    np.testing.assert_allclose(amplification(layers, residual=True), [7 * 10, 10, 1])


def test_one_layer_is_a_head():
    """With W_C = 1 and a large readout term left out, A.17 is Corollary 4.9 with W_C's cover added."""
    layer = LayerNorms(C=1, V=2.0, QK=1.0, C21=0.0, V21=1.5, QK21=0.7)
    at = {"d": 4, "m": 5, "T": 6, "eps": 0.1, "B_X": 2.0}
    deep = cover_deep([layer], 1.0, k=4, **at) ** (1 / 3)
    readout = (math.log(4 * 5 * 6) / 0.1**2) ** (1 / 3)
    assert deep - readout == pytest.approx(cover_tf_head(HeadNorms(1.5, 2.0, 0.7), **at) ** (1 / 3))


@pytest.mark.parametrize("eps", [0.5, 0.21, 0.1])
def test_a_bound_that_is_too_small_is_found_out(eps):
    """Brute force: the text's last line of Lemma 4.10 fails for one row and one input, the explicit one does not."""
    line = np.linspace(-1, 1, 301)[:, None, None]
    smallest = math.log(brute.smallest_cover(line, eps))
    assert brute.log_packing(line, eps) <= smallest + 1e-12
    assert smallest <= cover_matrix(1.0, 1.0, 1, 1, eps)
    assert smallest > cover_matrix(1.0, 1.0, 1, 1, eps, printed=True)


def test_the_number_and_its_logarithm_are_not_the_same():
    size = 1 / math.sqrt(10)
    packed = brute.log_grid_packing(brute.sign_grid(10, size), size)
    assert packed == pytest.approx(10 * math.log(3))
    at = {"B1": 1.0, "B2": 1.0, "eps": 0.499 * size, "N": 10}
    assert cover_linear(**at, printed=True) < packed < cover_linear(**at)


def test_a_packing_is_apart_and_a_smallest_cover_is_one():
    values = np.random.default_rng(0).uniform(-1, 1, (60, 2, 1))
    kept = brute.packing(values, 0.6)
    apart = brute.distances(values[kept], values[kept])[~np.eye(len(kept), dtype=bool)]
    assert apart.min() > 0.6
    assert brute.uncovered(values, values[kept]) <= 0.6  # nothing could be added
    assert brute.smallest_cover(values, 0.6) <= len(kept)
    with pytest.raises(ValueError, match="at most"):
        brute.smallest_cover(np.zeros((500, 1, 1)), 0.1)


def test_the_cover_of_the_proof_covers_and_the_printed_one_does_not():
    net = maurey.ball_net(1.0, 2, 15)[:, None]
    built = maurey.matrix_cover(1.0, 2.0, 2, 0.2, 0.3)[:, None]
    assert np.abs(built).sum(axis=-1).max() <= 1 + 1e-9  # members of the class
    assert brute.uncovered(2.0 * net, 2.0 * built) <= 0.3 + 2.0 * 0.2  # at the input x = 2
    short = maurey.matrix_cover(1.0, 2.0, 2, 0.2, 0.3, printed=True)[:, None]
    assert brute.uncovered(2.0 * net, 2.0 * short) > 1


def test_maurey():
    v = np.array([0.3, 0.1, 0.4])
    found = maurey.drawn_error(v, 1.0, 5, 100_000, np.random.default_rng(0))
    assert found == pytest.approx(maurey.mean_square_error(v, 1.0, 5), rel=0.02)
    centres = maurey.averages(3, 1.0, maurey.averages_needed(1.0, 0.4))
    assert np.linalg.norm(centres - v, axis=1).min() <= 0.4


def test_explicit_bounds_grow_like_log():
    head = HeadNorms(1.0, 1.0, 1.0)
    bounds = [explicit_tf_head(head, d=4, k=4, m=8, T=2**power, eps=0.1) for power in (4, 5, 20, 21)]
    assert 0.88 < (bounds[3] - bounds[2]) / (bounds[1] - bounds[0]) < 1
