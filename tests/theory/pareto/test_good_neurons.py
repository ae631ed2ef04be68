import math
from itertools import combinations

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.pareto.good_neurons import (
    bad_start_bound,
    chance_of_any,
    expected_neurons,
    good_per_bias,
    good_probability,
    good_probability_bound,
    lucky_probability,
    width_needed,
    width_threshold,
)
from glassware.theory.pareto.sparse_gradients import sparse_gradient


def test_the_quoted_probabilities():
    assert good_probability(100, 4, 33) == pytest.approx(0.010436, abs=5e-7)
    assert good_probability_bound(100, 4, 33) == pytest.approx(0.000741, abs=5e-7)
    assert good_probability(100, 4, 2) == pytest.approx(0.0012121, abs=5e-8)
    assert good_probability(100, 6, 4) == pytest.approx(3.825e-6, abs=5e-10)


@pytest.mark.parametrize(("n", "k", "s"), [(30, 4, 15), (20, 4, 2), (40, 3, 2)])
def test_the_probabilities_are_those_of_a_million_draws(n, k, s):
    rng, draws, good = np.random.default_rng(0), 1_000_000, 0
    for _ in range(10):
        inside = rng.hypergeometric(k, n - k, s, draws // 10)  # ones that fall on S
        good += int(np.sum(inside == min(k, s)))
    p = good_probability(n, k, s)
    assert abs(good / draws - p) <= 4 * math.sqrt(p * (1 - p) / draws)


@pytest.mark.parametrize("n", [7, 9])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("s", [1, 2, 3, 4, 5, 6])
def test_lucky_neurons_are_those_with_a_gradient(n, k, s):
    lucky, good = 0, 0
    for ones in combinations(range(n), s):
        gradient = sparse_gradient(n, range(k), ones, bias=0.1)
        lucky += bool(np.any(gradient[:k]))
        assert np.any(gradient[:k]) or not np.any(gradient)
        good += set(range(k)) <= set(ones) or set(ones) <= set(range(k))
    assert lucky_probability(n, k, s) == pytest.approx(lucky / math.comb(n, s), rel=1e-12)
    assert good_probability(n, k, s) == pytest.approx(good / math.comb(n, s), rel=1e-12)


@pytest.mark.parametrize(("n", "width"), [(50, 408), (100, 1650), (200, 6633), (300, 14950)])
def test_two_hot_neurons_need_a_width_of_n_squared_over_six(n, width):
    probability = lucky_probability(n, 3, 2)
    assert probability == pytest.approx(3 / math.comb(n, 2), rel=1e-12)
    assert math.floor(width_threshold(probability)) == width
    assert width_threshold(probability) == pytest.approx(n**2 / 6, rel=1.01 / n)
    assert expected_neurons(probability, width) == pytest.approx(1, rel=2e-3)
    assert chance_of_any(probability, width) == pytest.approx(1 - math.exp(-1), rel=2e-3)


def test_two_hot_neurons_never_see_larger_parities():
    assert lucky_probability(50, 4, 2) == lucky_probability(50, 5, 2) == 0
    assert width_threshold(0.0) == math.inf


@pytest.mark.parametrize(("n", "k", "s"), [(100, 4, 33), (61, 2, 9), (61, 4, 41)])
def test_the_printed_count_of_good_neurons_is_exceeded(n, k, s):
    width = width_needed(n, k, s, 0.1)
    true, printed = good_per_bias(n, k, s, width), good_per_bias(n, k, s, width, printed=True)
    assert printed == pytest.approx(10 * math.log(2 * k / 0.1), rel=0.01)
    assert true > 2 * printed  # what is expected already breaks "at most 2 r'"
    assert true <= 2 ** (k + 1) * printed
    assert bad_start_bound(true, k) < 0.1


def test_the_chernoff_bound_holds_where_the_swapped_events_are_certain():
    rng, (n, k, s, width) = np.random.default_rng(1), (30, 4, 15, 4000)
    expected = good_per_bias(n, k, s, width)
    counts = rng.binomial(width // 2, good_probability(n, k, s) / (k / 2), (5000, k // 2))
    outside = np.mean(np.any((counts < expected / 2) | (counts > 2 * expected), axis=1))
    assert outside <= bad_start_bound(expected, k) < 5e-3
    swapped = np.mean(np.any((counts > expected / 2) | (counts < 1.5 * expected), axis=1))
    assert swapped == 1


def test_nonsense_is_refused():
    with pytest.raises(GlasswareError, match="needs 0 < k <= n"):
        good_probability(5, 6, 2)
