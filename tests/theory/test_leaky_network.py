import math

import numpy as np
import pytest

from glassware.theory.leaky import LeakyParity, majority_agreement
from glassware.theory.leaky_network import (
    Examination,
    Gradient,
    Network,
    first_step,
    first_step_samples,
    gate,
    gradient,
    initialise,
    relu6,
    theorem_decay,
    theorem_rate,
    train,
    update,
)
from glassware.theory.leaky_readout import drift_bounds

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


def test_both_layers_learn_after_the_first_step():
    rng = RNG(0)
    task = LeakyParity.draw(31, 3, rng)
    sample = task.sample(first_step_samples(31), rng)
    network = first_step(initialise(31, 3, 100, rng), sample.x, sample.y)
    records = train(task, network, rng, steps=750, eta=0.3, batch=256, every=150)
    assert records[-1].accuracy.uniform >= 0.99
    assert records[-1].accuracy.leaky >= 0.99
    assert records[-1].accuracy.mixture >= 0.99
    learned = {
        part: next(r.step for r in records if getattr(r.accuracy, part) >= 0.99) for part in ("uniform", "leaky")
    }
    assert learned["leaky"] <= learned["uniform"]


def test_the_schedule_of_the_theorem_stays_at_the_majority_and_obeys_its_drift_bounds():
    rng, (n, k, q, steps) = RNG(1), (31, 3, 100, 300)
    task = LeakyParity.draw(n, k, rng)
    sample = task.sample(first_step_samples(n), rng)
    network = first_step(initialise(n, k, q, rng), sample.x, sample.y)
    eta = theorem_rate(k, q, steps)
    assert eta == pytest.approx(9 / (300 * 10))
    assert theorem_decay(n, k) == 3 / 31
    records = train(task, network, rng, steps=steps, eta=eta, every=20, m_test=4000)
    assert abs(records[-1].accuracy.uniform - majority_agreement(3)) <= 0.03
    assert records[-1].accuracy.leaky >= 0.99
    for record in records[1:]:
        bounds = drift_bounds(record.step + 1, eta, 0.0, n, k)
        assert np.max(np.abs(record.network.u)) <= bounds.u
        assert np.max(np.linalg.norm(record.network.w - network.w, axis=1)) <= bounds.w
        assert np.max(np.abs(record.network.b - network.b)) <= bounds.b


def test_frozen_layers_stay():
    rng = RNG(0)
    task = LeakyParity.draw(15, 3, rng)
    network = initialise(15, 3, 20, rng)
    last = train(task, network, rng, steps=5, eta=0.1, layers="readout", every=5)[-1].network
    np.testing.assert_array_equal(last.w, network.w)
    assert np.any(last.u != network.u)


def test_a_zero_output_is_an_error():
    task = LeakyParity.draw(9, 3, RNG(0))
    nothing = Network(np.zeros((2, 9)), np.zeros(2), np.zeros(2))
    assert Examination.draw(task, 100, RNG(1))(nothing) == (0.0, 0.0, 0.0)
    assert math.isclose(first_step_samples(31), 6200)
