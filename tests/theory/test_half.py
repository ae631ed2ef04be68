import math

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import cube, index, walsh_hadamard
from glassware.theory.half import half, level_weight, level_weight_limit, majority


@pytest.mark.parametrize("n", range(1, 13))
def test_both_are_the_coefficients_of_their_functions(n):
    total = cube(n).sum(axis=1)
    halves = walsh_hadamard((total == 0).astype(float))
    majorities = walsh_hadamard(np.where(total > 0, 1.0, -1.0))
    for level in range(n + 1):
        row = index(range(level))
        assert half(n, level) == pytest.approx(halves[row], abs=1e-12)
        assert majority(n, level) == pytest.approx(majorities[row], abs=1e-12)


def test_the_reference_values():
    assert majority(9, 1) == 0.2734375
    assert majority(9, 3) == -0.0390625
    assert half(4, 2) == -0.125
    assert half(16, 6) == majority(17, 7)


@pytest.mark.parametrize("n", [9, 17, 33, 301])
@pytest.mark.parametrize("level", [1, 3, 5])
def test_two_levels_up_the_coefficient_shrinks_by_a_known_ratio(n, level):
    assert abs(majority(n, level) / majority(n, level + 2)) == pytest.approx((n - level - 1) / level, rel=1e-12)


def test_the_weight_of_a_level_falls_to_its_limit():
    assert level_weight(17, 1) == pytest.approx(0.65561, abs=5e-6)
    assert level_weight(33, 3) == pytest.approx(0.11120, abs=5e-6)
    assert level_weight_limit(1) == pytest.approx(2 / math.pi, rel=1e-12)
    assert level_weight_limit(3) == pytest.approx(0.10610, abs=5e-6)
    weights = [level_weight(n, 5) for n in range(5, 3001, 2)]
    assert np.all(np.diff(weights) < 0)
    assert weights[-1] == pytest.approx(level_weight_limit(5), rel=3e-3)
    assert weights[-1] > level_weight_limit(5)


def test_the_printed_limit_is_too_small_for_the_upper_bound_it_is_used_in():
    assert level_weight(17, 5) == pytest.approx(0.0565, abs=5e-5)
    assert 2 * level_weight_limit(5, printed=True) == pytest.approx(0.0477, abs=5e-5)
    assert level_weight(17, 5) > 2 * level_weight_limit(5, printed=True)
    assert level_weight(17, 5) <= 2 * level_weight_limit(5)
    assert level_weight(17, 5) >= level_weight_limit(5, printed=True)  # the lower bound survives


def test_the_dissertation_lost_a_power_of_two():
    assert half(4, 2, printed=True) == -2.0


def test_sets_that_do_not_exist_are_refused():
    with pytest.raises(GlasswareError, match="between 0 and n = 4"):
        half(4, 5)
    with pytest.raises(GlasswareError, match="odd levels"):
        level_weight_limit(2)


def test_logarithms_agree_with_integers_and_sets_may_be_countless(monkeypatch):
    exact = [half(n, level, printed) for n, level in ((4, 2), (300, 8), (1000, 500)) for printed in (False, True)]
    monkeypatch.setattr("glassware.theory.half.EXACT", 0)
    close = [half(n, level, printed) for n, level in ((4, 2), (300, 8), (1000, 500)) for printed in (False, True)]
    assert close == pytest.approx(exact, rel=1e-10)
    assert sum(level_weight(1301, level) for level in range(1302)) == pytest.approx(1, abs=1e-9)
