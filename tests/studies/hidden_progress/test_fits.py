import math

import numpy as np
import pytest

from glassware.foundation.statistics import NEVER
from glassware.studies.hidden_progress.shared import fits

SIZES = [10, 15, 20, 30, 40]


def power_law(alpha, scale=3.0, runs=15, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return [list(scale * n**alpha * np.exp(noise * rng.standard_normal(runs))) for n in SIZES]


@pytest.mark.parametrize("runs", [1, 2, 4, 11, 25])
def test_percentiles_are_those_of_numpy(runs):
    times = list(np.random.default_rng(runs).integers(1, 1000, runs) * 10.0)
    for share in (0.1, 0.25, 0.5):
        assert fits.percentile(times, share) == pytest.approx(np.percentile(times, 100 * share))


def test_a_percentile_of_25_runs_is_interpolated_and_needs_four_successes():
    times = [150.0, 150.0, 150.0, 160.0]
    assert fits.percentile([*times, *[900.0] * 21]) == pytest.approx(154.0)
    assert fits.percentile([*times, *[NEVER] * 21]) == pytest.approx(154.0)
    assert fits.percentile([*times[:3], *[NEVER] * 22]) == NEVER
    assert math.isnan(fits.percentile([]))


def test_an_exponent_is_found_again_with_an_interval_around_it():
    exact = fits.median_exponent(SIZES, power_law(1.7))
    assert exact.value == pytest.approx(1.7) == exact.low == exact.high
    rough = fits.median_exponent(SIZES, power_law(1.7, noise=0.3))
    assert rough.low < 1.7 < rough.high
    assert rough.high - rough.low < 1.0


def test_sizes_whose_median_is_infinite_are_left_out_of_a_fit():
    samples = power_law(1.2)
    samples[-1] = [5.0] * 7 + [NEVER] * 8
    assert fits.median_exponent(SIZES, samples).value == pytest.approx(1.2)
    assert math.isnan(fits.median_exponent(SIZES[:2], [samples[0], samples[-1]]).value)


def test_local_slopes_see_an_elbow():
    times = [n if n <= 20 else 20 * (n / 20) ** 3 for n in SIZES]
    assert fits.local_slopes(SIZES, times) == pytest.approx([1, 1, 3, 3])
    assert fits.slope_rise(SIZES, [[t] * 5 for t in times]).value == pytest.approx(2.0)
    assert fits.slope_rise(SIZES, power_law(2.0)).value == pytest.approx(0.0, abs=1e-9)


def test_exponents_are_those_of_medians():
    bent = {n: n if n <= 20 else 20 * (n / 20) ** 3 for n in SIZES}
    law = [[1e-3, 3 * n**1.7, NEVER] for n in SIZES]
    assert fits.median_exponent(SIZES, law).value == pytest.approx(1.7)
    assert fits.slope_rise(SIZES, [[1.0, t, NEVER] for t in bent.values()]).value == pytest.approx(2.0)
    assert fits.median_exponent([10, 20, 40], [[2.0], [4.0], []]).value == pytest.approx(1.0)
    assert math.isnan(fits.median_exponent([10, 20], [[2.0], [NEVER]]).value)


def test_the_factor_between_two_times_has_no_direction():
    assert fits.factor_between(10.0, 40.0) == fits.factor_between(40.0, 10.0) == 4.0
    assert fits.factor_between(7.0, 7.0) == 1.0
    assert {fits.factor_between(*pair) for pair in ((0.0, 1.0), (1.0, 0.0), (NEVER, 1.0), (NEVER, NEVER))} == {NEVER}


def test_the_coarse_exponent_is_the_smallest_that_bounds_all_sizes():
    assert fits.coarse_exponent({10: 30.0, 20: 30.0 * 11**1.5, 30: 30.0 * 21**1.2}) == pytest.approx(1.5)
    assert fits.coarse_exponent({10: 30.0, 20: 20.0, 30: 10.0}) == 0.0
    assert fits.coarse_exponent({10: 30.0, 11: 60.0, 30: 40.0}) == pytest.approx(1.0)
    assert fits.coarse_exponent({10: 30.0, 20: 40.0, 30: NEVER}) == NEVER
    assert fits.coarse_exponent({10: NEVER, 20: 40.0, 30: 50.0}) == NEVER


def test_a_geometric_law_is_early_often():
    assert fits.geometric_share(0.25) == pytest.approx(0.159, abs=5e-4)
    times = np.random.default_rng(0).geometric(1e-4, 40_000)
    assert np.mean(times <= 0.25 * np.median(times)) == pytest.approx(fits.geometric_share(0.25), abs=0.01)


def test_the_intraclass_correlation_is_the_share_of_variance_between_groups():
    rng = np.random.default_rng(0)
    groups = rng.normal(size=(400, 1)) * 2 + rng.normal(size=(400, 8))
    assert fits.intraclass_correlation(groups.tolist()) == pytest.approx(4 / 5, abs=0.04)
    assert fits.intraclass_correlation(rng.normal(size=(400, 8)).tolist()) == pytest.approx(0, abs=0.05)
    assert fits.intraclass_correlation([[1.0, 1.0], [2.0, 2.0]]) == pytest.approx(1.0)
    assert fits.intraclass_correlation([[0.0, 2.0, 1.0], [4.0, 6.0, 5.0]]) == pytest.approx((24 - 1) / (24 + 2))


def test_the_interval_of_a_correlation_covers_it():
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(300):
        groups = 2 * rng.normal(size=(10, 1)) + rng.normal(size=(10, 8))
        found = fits.correlation_estimate(groups.tolist())
        assert found.low < found.value < found.high
        assert found.value == fits.intraclass_correlation(groups.tolist())
        hits += found.low <= 4 / 5 <= found.high
    assert 0.91 <= hits / 300 <= 0.985


@pytest.mark.parametrize(
    "groups",
    [
        [[1.0, 1.0], [1.0, 1.0]],
        [[1.0, 1.0]] * 3 + [[2.0, 2.0]],
        [[1.0, 2.0], [5.0, 7.0]],  # two groups
        [[1.0, 1.0], [2.0, 2.0], [3.0, 3.5]],  # no spread within groups without the last one
        [[0.0, 1.0], [0.0, 1.0], [3.0, 5.0]],  # none between them
    ],
)
def test_an_interval_that_cannot_be_told_is_unknown(groups):
    found = fits.correlation_estimate(groups)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert math.isnan(found.value) == (len({value for group in groups for value in group}) == 1)
