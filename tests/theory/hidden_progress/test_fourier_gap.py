import math

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi, cube
from glassware.theory.hidden_progress.fourier_gap import (
    gap_difference,
    gap_two_sided,
    gradient_gap,
    gradient_gap_all,
    majority_gap,
    majority_gap_bound,
    majority_two_sided_holds,
    recover_by_threshold,
    recover_largest,
    recovery_samples,
)
from glassware.theory.hidden_progress.gradients import population_gradient, sign_neuron_gradient
from glassware.theory.hidden_progress.majority import majority_coefficient


def step(z):
    return (z > 0).astype(float)


def majority(n):
    return np.sign(cube(n).sum(-1))


@pytest.mark.parametrize(("n", "k"), [(9, 2), (11, 2), (11, 4), (13, 4), (13, 6)])
def test_both_gaps_of_majority_are_closed_forms(n, k):
    values, S = majority(n), list(range(k))
    assert gap_difference(values, S) == pytest.approx(majority_gap(n, k), abs=1e-12)
    two_sided = gap_two_sided(step(cube(n).sum(-1)), S)
    expected = abs(majority_coefficient(n, k - 1)) / 2 if n >= 3 * k - 2 else 0.0
    assert two_sided == pytest.approx(expected, abs=1e-12)
    assert majority_two_sided_holds(n, k) == (two_sided > 0)


def test_the_two_definitions_differ_far_from_the_parity():
    # A coefficient of size k + 1 that does not contain S spoils the paper's gap and not the dissertation's.
    x = cube(6)
    f = chi(x, [0]) + chi(x, [1]) + 0.8 * chi(x, [3, 4, 5])
    assert gap_difference(f, [0, 1]) == pytest.approx(1.0)
    assert gap_two_sided(f, [0, 1]) == 0.0
    assert gap_two_sided(f - 0.4 * chi(x, [3, 4, 5]), [0, 1]) == pytest.approx(1.0)


def test_known_gaps_at_fifteen_bits():
    assert majority_gap(15, 2) / 2 == pytest.approx(0.0967, abs=5e-5)
    assert majority_gap(15, 4) / 2 == pytest.approx(0.00586, abs=5e-6)
    w = np.random.default_rng(0).choice([-1.0, 1.0], (3, 15))
    for k in (2, 4):
        gradient = population_gradient(w, 0.0, 1.0, list(range(k)), step)[0]
        np.testing.assert_allclose(gradient_gap(gradient, list(range(k))), majority_gap(15, k) / 2, atol=1e-12)


@pytest.mark.parametrize("n", [17, 33, 101, 1001])
@pytest.mark.parametrize("k", [2, 4])
def test_the_lower_bound_holds_loosely(n, k):
    ratio = majority_gap(n, k) / (n - 1) ** (-(k - 1) / 2)
    assert majority_gap(n, k) > majority_gap_bound(n, k)
    assert 0.6 < ratio < 12


def test_the_printed_binomial_overstates_the_gap():
    exact = gap_difference(majority(11), [0, 1, 2, 3])
    assert majority_gap(11, 4, printed=True) > 1.3 * exact
    assert majority_gap(11, 4) == pytest.approx(exact, abs=1e-12)


def test_gamma_min_is_the_difference_gap_of_the_derivative():
    rng = np.random.default_rng(1)
    for w in rng.normal(size=(5, 9)):
        for S in ([0, 1], [0, 1, 2, 3]):
            gradient = population_gradient(w, 0.0, 1.0, S, step)[0]
            assert gradient_gap_all(gradient, S) == pytest.approx(gap_difference(step(cube(9) @ w), S), abs=1e-13)
            assert gradient_gap(gradient, S) >= gradient_gap_all(gradient, S)


def test_odd_parities_show_no_gap_without_bias():
    w = np.random.default_rng(2).normal(size=(4, 9))
    gradient = population_gradient(w, 0.0, 1.0, [0, 1, 2], step)[0]
    np.testing.assert_allclose(gradient, 0.0, atol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_both_recoveries_stand_perturbations_up_to_their_bound(seed):
    rng = np.random.default_rng(seed)
    S = [1, 4, 6, 9]
    gradient = sign_neuron_gradient(rng.choice([-1.0, 1.0], 11), 1.0, S)[0]
    size = np.abs(gradient)
    inside = np.isin(np.arange(11), S)
    worst = np.where(inside, -1.0, 1.0) * np.sign(gradient)  # push both groups towards each other

    two_sided, gap = size[inside].min(), float(gradient_gap_all(gradient, S))
    assert recover_by_threshold(gradient + worst * two_sided / 4 * (1 - 1e-9), two_sided) == S
    assert recover_largest(gradient + worst * gap / 2 * (1 - 1e-9), 4) == S
    assert recover_largest(gradient + worst * gap / 2 * (1 + 1e-6), 4) != S
    tight = np.where(inside, two_sided, two_sided / 2) * np.sign(gradient)  # Definition 1 with equality
    assert recover_by_threshold(tight + worst * two_sided / 4 * (1 - 1e-9), two_sided) == S
    assert recover_by_threshold(tight + worst * two_sided / 4 * (1 + 1e-6), two_sided) != S


def failures(samples, trials, n, gap, rng):
    """How often the top two of n mean entries are not the two of mean gap, all entries +-1."""
    means = np.where(np.arange(n) < 2, gap, 0.0)
    drawn = rng.binomial(samples, (1 + means) / 2, (trials, n)) * 2 / samples - 1
    return np.mean([recover_largest(row, 2) != [0, 1] for row in drawn])


def test_the_sample_size_suffices_and_the_one_without_logarithm_does_not():
    rng = np.random.default_rng(3)
    n, gap, failure = 500, 0.2, 0.05
    assert failures(recovery_samples(gap, n, failure), 300, n, gap, rng) <= failure
    assert failures(recovery_samples(gap, n, failure, printed=True), 300, n, gap, rng) > 10 * failure


def test_majority_gradients_recover_the_parity_from_that_many_examples():
    rng = np.random.default_rng(4)
    n, S = 15, [3, 8]
    samples = recovery_samples(majority_gap(n, 2) / 2, n, 0.1)
    wrong = 0
    for _ in range(40):
        x = rng.choice([-1.0, 1.0], (samples, n))
        gradient = -(chi(x, S) * step(x.sum(-1))) @ x / samples
        wrong += recover_largest(gradient, 2) != S
    assert wrong <= 4
    assert samples == math.ceil(8 / (majority_gap(n, 2) / 2) ** 2 * math.log(300))


def test_what_has_no_meaning_is_refused():
    with pytest.raises(GlasswareError, match="even k"):
        majority_gap(9, 3)
    with pytest.raises(GlasswareError, match="4k"):
        majority_gap_bound(9, 4)
