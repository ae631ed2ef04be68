import numpy as np
import pytest

from glassware.theory.leaky.distributions import LeakyParity
from glassware.theory.leaky.network import (
    Gradient,
    Network,
    first_step_samples,
    gate,
    gradient,
    initialise,
    relu6,
    theorem_decay,
    theorem_rate,
    update,
)

RNG = np.random.default_rng


def test_relu6_and_its_gate():
    t = np.array([-1.0, 0.0, 0.5, 5.9, 6.0, 7.0])
    np.testing.assert_array_equal(relu6(t), [0, 0, 0.5, 5.9, 6, 6])
    np.testing.assert_array_equal(gate(t), [0, 0, 1, 1, 0, 0])


def test_the_corrected_pairing_starts_at_zero_and_the_printed_one_does_not():
    x = LeakyParity.draw(101, 5, RNG(0)).sample(300, RNG(1)).x
    scale = 101 / 5
    assert np.max(np.abs(initialise(101, 5, 100, RNG(2))(x))) <= 1e-9 * scale
    assert np.max(np.abs(initialise(101, 5, 100, RNG(2), printed=True)(x))) > 100


def test_the_initial_network():
    network = initialise(40, 5, 1000, RNG(0))
    assert network.w.shape == (2000, 40)
    assert set(np.unique(network.w)) == {-1, 0, 1}
    assert np.mean(network.w == 0) == pytest.approx(1 / 3, abs=0.01)
    assert set(network.b) == {1 / 40}
    assert np.max(np.abs(network.u)) == pytest.approx(8, abs=0.05)


def test_the_gradient_is_that_of_the_loss():
    rng = RNG(0)
    task = LeakyParity.draw(9, 3, rng)
    sample = task.sample(50, rng)
    network = Network(rng.standard_normal((6, 9)), rng.standard_normal(6), rng.standard_normal(6))
    exact, h = gradient(network, sample.x, sample.y), 1e-6

    def loss(w, b, u):
        return np.mean(np.maximum(1 - sample.y * Network(w, b, u)(sample.x), 0))

    for part in range(3):
        arrays = [network.w, network.b, network.u]
        for place in np.ndindex(arrays[part].shape):
            up, down = [a.copy() for a in arrays], [a.copy() for a in arrays]
            up[part][place] += h
            down[part][place] -= h
            assert exact[part][place] == pytest.approx((loss(*up) - loss(*down)) / (2 * h), abs=1e-7)


def test_the_first_step_erases_what_was_there():
    network = initialise(10, 3, 5, RNG(0))
    none = Gradient(np.zeros((10, 10)), np.zeros(10), np.zeros(10))
    erased = update(network, none, 1.0, 0.5)
    assert not np.any(erased.w)
    assert not np.any(erased.u)
    np.testing.assert_array_equal(erased.b, network.b)
    moved = none._replace(b=np.ones(10))
    np.testing.assert_array_equal(update(network, moved, 1.0, 0.5, printed=True).b, network.b)
    np.testing.assert_allclose(update(network, moved, 1.0, 0.5).b, network.b - 1)


def test_the_rates_of_the_theorem():
    assert theorem_rate(3, 100, 300) == pytest.approx(9 / (300 * 10))
    assert theorem_decay(31, 3) == 3 / 31
    assert first_step_samples(31) == 6200
