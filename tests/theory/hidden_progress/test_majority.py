import math
from fractions import Fraction

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import cube, index, walsh_hadamard
from glassware.theory.half import level_weight
from glassware.theory.hidden_progress.majority import (
    asymptotic_level_weight,
    coefficient_ratio,
    majority_coefficient,
    threshold_coefficient,
    threshold_spectrum,
)


@pytest.mark.parametrize("n", [1, 3, 5, 7, 9, 11, 13])
def test_coefficients_are_those_of_enumeration(n):
    spectrum = walsh_hadamard(np.sign(cube(n).sum(-1)))
    for k in range(n + 1):
        assert majority_coefficient(n, k) == pytest.approx(spectrum[index(range(k))], abs=1e-13)
    indicator = threshold_spectrum(np.ones(n), 0.3)
    for k in range(n + 1):
        assert threshold_coefficient(n, k) == pytest.approx(indicator[index(range(k))], abs=1e-13)


@pytest.mark.parametrize(("k", "value"), [(1, 0.209473), (2, 0.0), (3, -0.016113), (5, 0.0043945)])
def test_known_values_at_fifteen_bits(k, value):
    assert majority_coefficient(15, k) == pytest.approx(value, abs=5e-7)


@pytest.mark.parametrize(("n", "k"), [(1001, 3), (4001, 51), (10001, 9), (30001, 9)])
def test_large_n_agrees_with_integers(n, k):
    half = (n - 1) // 2
    top = math.comb(half, (k - 1) // 2) * math.comb(n - 1, half)
    exact = float(Fraction(top, math.comb(n - 1, k - 1) * 2 ** (n - 1)))
    assert majority_coefficient(n, k) == pytest.approx((-1) ** ((k - 1) // 2) * exact, rel=1e-9)


@pytest.mark.parametrize("n", [5, 13, 101, 1001])
def test_level_weights_add_up_to_one(n):
    assert sum(level_weight(n, k) for k in range(n + 1)) == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize(("n", "k"), [(9, 2), (11, 4), (15, 6), (201, 8)])
def test_neighbouring_levels_have_the_exact_ratio(n, k):
    ratio = abs(majority_coefficient(n, k - 1) / majority_coefficient(n, k + 1))
    assert ratio == pytest.approx(coefficient_ratio(n, k), rel=1e-11)


@pytest.mark.parametrize(("k", "scaled"), [(3, 0.551), (9, 0.522), (51, 0.512)])
def test_level_weight_falls_like_the_three_halves_power(k, scaled):
    assert level_weight(10001, k) * k**1.5 == pytest.approx(scaled, abs=6e-4)
    assert level_weight(10001, k) == pytest.approx(asymptotic_level_weight(k), rel=0.09)


def test_the_printed_exponent_is_off_by_more_and_more():
    def off(k):
        return asymptotic_level_weight(k, printed=True) / level_weight(10001, k)

    assert off(3) > 2
    assert off(9) > 5
    assert off(51) > 20


def test_threshold_spectrum_of_random_weights_obeys_parseval():
    w = np.random.default_rng(0).normal(size=10)
    spectrum = threshold_spectrum(w, 0.2)
    assert np.sum(spectrum**2) == pytest.approx(spectrum[0], abs=1e-12)  # an indicator equals its square


def test_even_n_and_impossible_sizes_are_refused():
    with pytest.raises(GlasswareError, match="odd"):
        majority_coefficient(4, 1)
    with pytest.raises(GlasswareError, match="between 0 and n = 5, not 6"):
        majority_coefficient(5, 6)
    with pytest.raises(GlasswareError, match="even k"):
        coefficient_ratio(9, 3)
