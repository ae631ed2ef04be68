"""The law by which a threshold grows, on trials that follow a known one."""

import math

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit

from glassware.luck.curve import offset
from glassware.luck.growth import Likelihood, Trials, box_cox, fit_growth

SIZES = [25 * 2**k for k in range(9)]


def simulated(exponent, rng, sizes=SIZES, trials=40, a=70.0, b=15.0):
    """Six sample sizes around the threshold of every problem size; the width grows with the size, 2% always fail."""
    cells = []
    for size in sizes:
        middle = a + b * box_cox(np.array([math.log(size / 300)]), exponent)[0][0]
        width = 0.2 * (size / 300) ** 0.05
        for m in middle * np.exp(width * np.linspace(-2.7, 1.3, 6)):
            p = 0.98 * expit(np.log(m / middle) / width + offset(0.8, 0.02))
            cells.append(Trials(size, m, int(rng.binomial(trials, p)), trials))
    return cells


@pytest.mark.parametrize(("exponent", "b"), [(0.0, 15.0), (0.3, 15.0), (1.0, 60.0)])
def test_the_exponent_is_found_with_its_interval(exponent, b):
    found = fit_growth(simulated(exponent, np.random.default_rng(3), b=b))
    value, low, high = found.exponent
    assert low < exponent < high
    assert high - low < 0.3
    assert low < value < high
    assert found.slope.low < b < found.slope.high
    assert found.at_reference.low < 70 < found.at_reference.high
    assert found.threshold([300.0]) == pytest.approx([found.at_reference.value])


def test_few_sizes_and_few_trials_leave_the_exponent_open_but_not_the_growth():
    found = fit_growth(simulated(0.0, np.random.default_rng(0), sizes=SIZES[:5], trials=10))
    assert found.exponent.high - found.exponent.low > 0.5
    assert found.slope.low > 0


def test_no_growth_is_seen_as_such():
    found = fit_growth(simulated(0.0, np.random.default_rng(2), b=0.0))
    assert found.slope.low < 0 < found.slope.high


def test_rows_that_tell_nothing_give_no_numbers():
    few = simulated(0.0, np.random.default_rng(0), sizes=SIZES[:2])
    lost = [cell._replace(won=0) for cell in simulated(0.0, np.random.default_rng(0))]
    for cells in (few, lost, []):
        assert math.isnan(fit_growth(cells).exponent.value)


def test_the_gradient_is_that_of_the_loss():
    law = Likelihood(simulated(0.3, np.random.default_rng(1)), 0.8, 300.0)
    for exponent in (0.0, 1e-5, 0.4, -0.7):
        theta = np.array([4.1, 0.2, exponent, math.log(0.25), 0.1, 0.03])
        numeric = approx_fprime(theta, lambda t: law(t)[0], 1e-6)
        np.testing.assert_allclose(law(theta)[1], numeric, rtol=1e-3, atol=0.02)


def test_the_ends_of_an_interval_lie_on_the_profile_whatever_valleys_are_beyond():
    for seed in range(3):
        cells = simulated(0.0, np.random.default_rng(seed), sizes=SIZES[:5], trials=6)
        law, (value, low, high) = Likelihood(cells, 0.8, 300.0), fit_growth(cells).exponent
        best = law.fit()
        for end in (low, high):
            if math.isfinite(end):
                assert abs(end - value) > 0.05
                assert law(law._at(best, 2, end))[0] - law(best)[0] == pytest.approx(1.92, abs=0.1)
