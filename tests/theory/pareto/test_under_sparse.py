import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi, cube
from glassware.theory.pareto.under_sparse import (
    bias_levels,
    bias_probability,
    population_step,
    precision_claimed,
    readout,
    step,
    stepped_weight,
    subnetwork,
    truncate,
)

CELLS = [(11, 4, 2), (12, 4, 2), (11, 6, 2), (11, 6, 4), (10, 6, 2), (31, 4, 2)]


@pytest.mark.parametrize(("n", "k", "s"), CELLS)
def test_one_population_step_writes_s_into_a_good_neuron(n, k, s):
    eps, support, ones = 0.1 / (n - s), tuple(range(k)), tuple(range(s))
    w = population_step(n, support, ones, eps)
    expected = [stepped_weight(k, eps, missing=i >= s, relevant=i < k) for i in range(n)]
    np.testing.assert_allclose(w, expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize(("n", "k", "s"), CELLS)
def test_the_printed_step_fails(n, k, s):
    """A negative size moves the missing coordinates to the wrong side; off S it leaves half of what is printed."""
    eps, support, ones = 0.1 / (n - s), tuple(range(k)), tuple(range(s))
    w = population_step(n, support, ones, eps, printed=True)
    assert np.all(w[s:k] < 0)
    assert step(n, k, s, eps, printed=True).eta < 0 < step(n, k, s, eps).eta
    assert stepped_weight(k, eps, True, False, printed=True) == pytest.approx(2 * w[-1], rel=1e-9)


@pytest.mark.parametrize("k", [2, 4, 6, 8])
def test_the_readout_is_exact(k):
    x = cube(k)
    eps = 0.01
    w = np.full((k, k), eps / (2 * k))
    np.testing.assert_allclose(subnetwork(w, k, eps, x), chi(x, range(k)), atol=1e-9)
    total = x.sum(axis=1)[:, None] + k - 1 - 2 * np.arange(k)
    np.testing.assert_allclose(1 + np.maximum(total, 0) @ readout(k), chi(x, range(k)), atol=1e-9)
    assert len(bias_levels(k, eps)) == k == 1 / bias_probability(k)
    assert bias_probability(k, printed=True) * k < 1  # printed, the k levels would not add up to 1


def test_the_whole_construction_computes_the_parity():
    n, k, s = 12, 4, 2
    eps, support, x = 0.02 / (n - s), (0, 1, 2, 3), cube(12)
    w = np.stack([population_step(n, support, ones, eps) for ones in [(0, 1), (1, 2), (0, 3), (2, 3)]])
    output = subnetwork(w, k, eps, x)
    assert np.all(output * chi(x, support) > 0.5)


def test_truncation_is_hard():
    np.testing.assert_array_equal(truncate(np.array([-3.0, -1.0, 0.5, 1.5]), 1.0), [-3.0, 0.0, 0.0, 1.5])


def test_the_printed_precision_has_another_order_than_claimed():
    sizes = (101, 401, 1601)
    for printed, order in [(False, -0.5), (True, -1.5)]:  # claimed: -(k - s - 1)/2 = -1/2
        tau = [precision_claimed(n, 4, 2, printed) for n in sizes]
        slope = np.polyfit(np.log(np.array(sizes) - 2), np.log(tau), 1)[0]
        assert slope == pytest.approx(order, abs=0.05)


def test_nonsense_is_refused():
    with pytest.raises(GlasswareError, match="eps"):
        step(11, 4, 2, 0.2)
