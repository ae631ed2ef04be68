import math

import numpy as np
import pytest

from glassware.models.kernel import relu_ntk
from glassware.theory.boolean import chi, cube
from glassware.theory.leaky.distributions import LeakyParity
from glassware.theory.leaky.fixed_kernels import (
    arc_cosine,
    gaussian,
    kernel_ridge,
    network_tangent,
    polynomial,
    relu_tangent,
)
from glassware.theory.leaky.linear_methods import accuracy, random_fourier
from glassware.theory.leaky.network import Network, gradient, initialise

RNG = np.random.default_rng
A, B = RNG(0).choice([-1.0, 1.0], (5, 7)), RNG(1).choice([-1.0, 1.0], (4, 7))


def test_random_fourier_features_approach_the_gaussian_kernel():
    features = random_fourier(7, 200_000, RNG(2))
    np.testing.assert_allclose(2 * features(A) @ features(B).T / 200_000, gaussian()(A, B), atol=0.02)
    np.testing.assert_allclose(np.diag(gaussian()(A, A)), 1)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("order", [0, 1])
def test_arc_cosine_kernels_are_means_over_gaussian_features(order, bias):
    rng = RNG(3)
    g, b = rng.standard_normal((7, 400_000)), rng.standard_normal(400_000) * bias
    left, right = A / math.sqrt(7) @ g + b, B / math.sqrt(7) @ g + b
    f = (lambda t: t > 0) if order == 0 else (lambda t: np.maximum(t, 0))
    np.testing.assert_allclose(1.0 * f(left) @ (1.0 * f(right)).T / 400_000, arc_cosine(order, bias)(A, B), atol=0.01)


def test_the_tangent_kernel_agrees_with_the_model_of_the_laboratory():
    x, ones = [m / math.sqrt(7) for m in (A, B)], np.ones
    np.testing.assert_allclose(2 * relu_tangent(bias=False)(A, B), relu_ntk(*x), rtol=1e-9)
    with_one = [np.hstack([m, ones((len(m), 1))]) for m in x]
    np.testing.assert_allclose(2 * relu_tangent()(A, B), relu_ntk(*with_one), rtol=1e-9)


def test_the_tangent_kernel_of_the_network_is_that_of_its_gradients():
    network = initialise(7, 3, 4, RNG(4))
    network = Network(network.w, network.b, network.u / 10)

    def flat(z):
        parts = gradient(network, z[None] / math.sqrt(7), -np.ones(1))  # label -1, margin short: dL = dg
        return np.concatenate([part.ravel() for part in parts])

    expected = [[flat(a) @ flat(b) for b in B] for a in A]
    np.testing.assert_allclose(network_tangent(network)(A, B), expected, atol=1e-12)


def test_polynomials_hold_a_parity_from_their_degree_on():
    z = cube(5)
    y = chi(z, (0, 2, 3))
    for degree, right in [(2, False), (3, True)]:
        predict = kernel_ridge(polynomial(degree), z, y, 1e-10)
        assert np.allclose(predict(z), y, atol=1e-3) is right


def test_without_a_bias_the_tangent_kernel_is_blind_to_odd_parities():
    z = cube(7)
    y = chi(z, (0, 2, 3))
    for bias in (False, True):
        energy = y @ relu_tangent(bias)(z, z) @ y / len(z) ** 2
        assert bool(energy > 1e-9) is bias


def test_kernels_fail_where_the_network_learns():
    rng = RNG(5)
    task = LeakyParity.draw(51, 5, rng)
    sample, uniform, leaky = task.sample(1500, rng), task.sample(1000, rng, 1), task.sample(1000, rng, 2)
    network = initialise(51, 5, 200, rng)
    for kernel in (gaussian(), arc_cosine(1), relu_tangent(), network_tangent(network)):
        predict = kernel_ridge(kernel, sample.z, sample.y)
        assert accuracy(predict, uniform.z, uniform.y) <= 0.75
        assert accuracy(predict, leaky.z, leaky.y) >= 0.6
