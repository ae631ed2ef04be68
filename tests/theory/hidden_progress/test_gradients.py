import math

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi, cube, fourier_coefficient
from glassware.theory.hidden_progress.gradients import (
    others_product,
    population_gradient,
    sign_neuron_gradient,
    sinusoid_coefficient,
    sinusoid_correlations,
    sinusoid_gradient,
)


def step(z):
    return (z > 0).astype(float)


@pytest.mark.parametrize(
    ("n", "support"), [(9, [0, 1]), (9, [2, 3, 5, 8]), (11, [0, 1, 2, 3]), (7, [4]), (9, [1, 2, 6])]
)
def test_lemma_two_is_the_enumerated_gradient(n, support):
    rng = np.random.default_rng(n)
    w, u, b = rng.choice([-1.0, 1.0], (6, n)), rng.normal(size=6), rng.uniform(-0.99, 0.99, 6)
    for closed, summed in zip(
        sign_neuron_gradient(w, u, support), population_gradient(w, b, u, support, step), strict=True
    ):
        np.testing.assert_allclose(closed, summed, atol=1e-13)


def test_odd_parities_leave_no_trace_in_sign_weights_and_even_ones_none_in_the_bias():
    w = np.random.default_rng(0).choice([-1.0, 1.0], (4, 11))
    odd, even = sign_neuron_gradient(w, 1.0, [0, 1, 2]), sign_neuron_gradient(w, 1.0, [0, 1])
    assert not odd[0].any()
    assert odd[1].all()
    assert even[0].all()
    assert not even[1].any()


def test_the_printed_bias_gradient_is_twice_too_large_where_it_does_not_vanish():
    w = np.ones((1, 9))
    printed = sign_neuron_gradient(w, 1.0, [0, 1, 2], printed=True)[1]
    summed = population_gradient(w, 0.0, 1.0, [0, 1, 2], step)[1]
    np.testing.assert_allclose(printed, 2 * summed, atol=1e-14)
    assert sign_neuron_gradient(w, 1.0, [0, 1], printed=True)[1] == 0.0


def test_the_enumerated_gradient_is_the_slope_of_the_correlation_loss():
    rng = np.random.default_rng(3)
    w, b, u, x = rng.normal(size=6), 0.3, 1.7, cube(6)
    loss = lambda w, b: -np.mean(chi(x, [0, 2]) * u * np.tanh(x @ w + b))
    in_w, in_b = population_gradient(w, b, u, [0, 2], lambda z: 1 - np.tanh(z) ** 2)
    h = 1e-6
    for i, e in enumerate(np.eye(6)):
        assert in_w[i] == pytest.approx((loss(w + h * e, b) - loss(w - h * e, b)) / (2 * h), abs=1e-8)
    assert in_b == pytest.approx((loss(w, b + h) - loss(w, b - h)) / (2 * h), abs=1e-8)


@pytest.mark.parametrize("subset", [[], [3], [0, 1], [0, 4, 7], [1, 2, 3, 9]])
def test_sinusoid_coefficients_are_those_of_enumeration(subset):
    rng = np.random.default_rng(len(subset))
    w = rng.normal(size=10)
    values = np.sin(0.7 * cube(10) @ w + 0.4)
    assert sinusoid_coefficient(w, subset, 0.7, 0.4) == pytest.approx(fourier_coefficient(values, subset), abs=1e-14)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_sinusoid_gradients_of_many_neurons_are_those_of_enumeration(k):
    rng = np.random.default_rng(k)
    w, b, u = rng.normal(size=(5, 10)), rng.normal(size=5), rng.normal(size=5)
    support, a, shift = list(range(2, 2 + k)), math.pi / 2, (1 - k) * math.pi / 2
    slope = lambda z: a * np.cos(a * z + shift)
    for closed, summed in zip(
        sinusoid_gradient(w, b, u, support, a, shift), population_gradient(w, b, u, support, slope), strict=True
    ):
        np.testing.assert_allclose(closed, summed, atol=1e-13)


def test_sinusoid_correlations_survive_zero_weights_and_large_n():
    w = np.zeros((2, 10))
    w[:, 0] = 0.3
    x = cube(10)
    summed = np.array([np.mean(chi(x, [0, 1]) * x[:, i] * np.sin(x @ w[0] + 0.1)) for i in range(10)])
    np.testing.assert_allclose(sinusoid_correlations(w, [0, 1], 1.0, 0.1)[0][0], summed, atol=1e-14)
    wide = np.random.default_rng(0).normal(size=(3, 1000)) / math.sqrt(1000)
    entries, whole = sinusoid_correlations(wide, [0, 1])
    assert entries.shape == (3, 1000)
    assert entries[1, 0] == pytest.approx(float(sinusoid_coefficient(wide[1], [1])), rel=1e-10)
    assert entries[2, 9] == pytest.approx(float(sinusoid_coefficient(wide[2], [0, 1, 9])), rel=1e-10)
    assert whole.shape == (3,)


def test_others_product_leaves_each_entry_out():
    np.testing.assert_array_equal(others_product(np.array([[2.0, 3.0, 0.0, 5.0]])), [[0, 0, 30, 0]])
    np.testing.assert_array_equal(others_product(np.array([7.0])), [1])


def test_even_n_is_refused_for_sign_weights():
    with pytest.raises(GlasswareError, match="odd"):
        sign_neuron_gradient(np.ones(8), 1.0, [0, 1])
