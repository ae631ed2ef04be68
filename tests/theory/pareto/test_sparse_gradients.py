from itertools import combinations

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.pareto.sparse_gradients import (
    enumerated_gradient,
    gate_coefficient,
    kappa,
    over_sparse_ratio,
    over_sparse_ratio_bound,
    over_sparse_signal,
    perturbed_gradient,
    signal_floor,
    sparse_gradient,
    under_sparse_ratio,
    under_sparse_signal,
)


def hot(n, ones, low=0.0):
    weights = np.full(n, low)
    weights[list(ones)] = 1.0
    return weights


def one_of_each_overlap(n, k, s):
    """All supports are alike up to a permutation that fixes S = {0..k-1}: one for every overlap with S."""
    for inside in range(max(0, s - (n - k)), min(k, s) + 1):
        yield (*range(k - inside, k), *range(k, k + s - inside))


@pytest.mark.parametrize(("n", "k", "s"), [(11, 2, 9), (12, 2, 9), (12, 4, 7), (12, 4, 9), (12, 4, 11)])
def test_over_sparse_gradients_are_exact_for_every_support(n, k, s):
    relevant, signal = range(k), over_sparse_signal(k, s)
    for ones in one_of_each_overlap(n, k, s):
        closed = sparse_gradient(n, relevant, ones)
        np.testing.assert_allclose(closed, enumerated_gradient(hot(n, ones), 0.0, relevant), atol=1e-12)
    for ones in combinations(range(n), s):
        closed = sparse_gradient(n, relevant, ones)
        if set(relevant) <= set(ones):
            expected = np.where(np.arange(n) < k, signal.relevant, signal.irrelevant * hot(n, ones))
            np.testing.assert_allclose(closed, expected, atol=1e-12)
        else:
            norm = np.abs(closed).sum()
            assert min(norm, abs(norm - abs(signal.relevant))) < 1e-12


def test_the_quoted_over_sparse_numbers():
    assert over_sparse_signal(2, 9) == (0.13671875, -0.01953125)


@pytest.mark.parametrize(("k", "s"), [(2, 9), (4, 17), (4, 33), (6, 25), (6, 201)])
def test_the_over_sparse_signal_obeys_its_bounds(k, s):
    signal = over_sparse_signal(k, s)
    assert signal.ratio == pytest.approx(over_sparse_ratio(k, s), rel=1e-12)
    assert 1 / signal.ratio <= over_sparse_ratio_bound(k, s) <= 4 * k / s
    assert abs(signal.relevant) >= signal_floor(k, s)
    assert over_sparse_ratio_bound(k, s, printed=True) > 4 * k / s  # upside down it proves nothing
    assert kappa(k) < 1


@pytest.mark.parametrize(("n", "k", "s"), [(11, 4, 2), (12, 4, 2), (11, 6, 2), (11, 6, 4), (10, 6, 2)])
@pytest.mark.parametrize("share", [0.0, 1.0, -1.0])
def test_under_sparse_gradients_are_exact_whatever_the_bias(n, k, s, share):
    eps = 0.5 / (n - s)
    bias = share * eps * (k - 1) / (2 * k)
    for ones in one_of_each_overlap(n, k, s):
        expected = enumerated_gradient(hot(n, ones, eps), bias, range(k))
        np.testing.assert_allclose(perturbed_gradient(n, range(k), ones), expected, atol=1e-12)


@pytest.mark.parametrize(("n", "k", "s"), [(11, 4, 2), (12, 4, 2), (11, 6, 4), (31, 4, 2), (61, 6, 2)])
def test_a_good_under_sparse_neuron_has_two_numbers(n, k, s):
    signal, gradient = under_sparse_signal(n, k, s), perturbed_gradient(n, range(k), range(s))
    np.testing.assert_allclose(gradient[:s], 0, atol=1e-15)
    np.testing.assert_allclose(gradient[s:k], signal.relevant, rtol=1e-12)
    np.testing.assert_allclose(gradient[k:], signal.irrelevant, rtol=1e-12)
    assert signal.ratio == pytest.approx(under_sparse_ratio(n, k, s), rel=1e-12)


def test_the_printed_ratio_is_wrong():
    assert under_sparse_ratio(11, 4, 2) == 7
    assert under_sparse_ratio(11, 4, 2, printed=True) == 9
    assert under_sparse_signal(11, 4, 2).ratio == pytest.approx(7, rel=1e-12)


def test_the_quoted_under_sparse_numbers():
    signal = under_sparse_signal(31, 4, 2)
    assert signal.relevant == pytest.approx(-0.03736, abs=5e-6)
    assert signal.irrelevant == pytest.approx(0.001384, abs=5e-7)
    assert signal.ratio == pytest.approx(27, rel=1e-12)


@pytest.mark.parametrize(("bias", "third"), [(0.3, -0.25), (1.9, -0.25), (-0.3, 0.25)])
def test_a_two_hot_neuron_inside_s_points_at_the_third_coordinate(bias, third):
    expected = np.where(np.arange(12) == 7, third, 0.0)
    np.testing.assert_allclose(sparse_gradient(12, (1, 4, 7), (1, 4), bias), expected, atol=1e-15)
    np.testing.assert_allclose(enumerated_gradient(hot(12, (1, 4)), bias, (1, 4, 7)), expected, atol=1e-12)
    np.testing.assert_allclose(sparse_gradient(12, (1, 4, 7), (1, 5), bias), 0, atol=1e-15)


@pytest.mark.parametrize("k", [4, 5])
@pytest.mark.parametrize("bias", [-0.3, 0.3])
def test_two_hot_neurons_see_nothing_of_larger_parities(k, bias):
    for ones in combinations(range(8), 2):
        assert not np.any(sparse_gradient(8, range(k), ones, bias))
        np.testing.assert_allclose(enumerated_gradient(hot(8, ones), bias, range(k)), 0, atol=1e-12)


@pytest.mark.parametrize("bias", [-2.0, -1.5, 0.0, 0.4, 2.5])
@pytest.mark.parametrize("s", [4, 5])
@pytest.mark.parametrize("k", [3, 4])
def test_any_bias_is_counted_and_a_tie_is_closed(bias, s, k):
    for ones in one_of_each_overlap(9, k, s):
        expected = enumerated_gradient(hot(9, ones), bias, range(k))
        np.testing.assert_allclose(sparse_gradient(9, range(k), ones, bias), expected, atol=1e-12)
    assert gate_coefficient(3, 0, 4.0) == 1


def test_the_perturbed_form_refuses_what_it_does_not_cover():
    with pytest.raises(GlasswareError, match="both even"):
        perturbed_gradient(10, (0, 1, 2), (0, 1))
