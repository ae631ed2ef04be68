import math

import numpy as np
import pytest

from glassware.foundation.statistics import Estimate, difference, mean
from glassware.studies.pareto.intervals import joint_mean, joint_z, largest, mean_gain, smallest


def test_the_gain_of_one_pair_has_newcombes_interval():
    assert mean_gain([((7, 10), (4, 10))]) == pytest.approx(difference(7, 10, 4, 10))
    assert mean_gain([((7, 10), (4, 10))]).value == 0.3


def test_cells_that_are_decided_add_little_to_the_interval():
    decided = mean_gain([((40, 40), (40, 40)), ((0, 40), (0, 40))])
    pooled = difference(40, 80, 40, 80)
    assert decided.value == pooled.value == 0
    assert decided.high < pooled.high / 2


def test_a_cell_without_runs_leaves_the_gain_unknown():
    assert math.isnan(mean_gain([((1, 2), (0, 0))]).value)
    assert math.isnan(mean_gain([]).value)


@pytest.mark.parametrize("rates", [(0.5, 0.5, 0.5), (0.02, 0.5, 0.98)])
def test_the_interval_of_a_mean_gain_contains_the_truth_in_95_of_100_cases(rates):
    rng = np.random.default_rng(0)
    draws = rng.binomial(40, rates, size=(2000, 2, len(rates)))
    found = [mean_gain([((a, 40), (b, 40)) for a, b in zip(*draw.tolist(), strict=True)]) for draw in draws]
    assert 0.94 <= np.mean([low <= 0 <= high for _, low, high in found]) <= 0.99


def test_many_intervals_at_once_are_wider():
    assert joint_z(1) == pytest.approx(1.96, abs=1e-3)
    assert joint_z(10) == pytest.approx(2.807, abs=1e-3)
    values = [1.0, 2.0, 4.0]
    assert joint_mean(values) == pytest.approx(mean(values))
    assert joint_mean(values, 5).low < mean(values).low
    assert math.isnan(joint_mean([1.0]).low)
    assert math.isnan(joint_mean([]).value)


def test_the_largest_and_smallest_of_several_estimates():
    several = [Estimate(1, 0, 5), Estimate(2, 1, 3), Estimate(math.nan)]
    assert largest(several) == (2, 1, 5)
    assert smallest(several) == (1, 0, 3)
    assert math.isnan(largest([Estimate(math.nan)]).value)
