from itertools import product

import numpy as np
import pytest

from glassware.theory.boolean import (
    chi,
    cube,
    fourier_coefficient,
    index,
    noisy_correlation,
    random_signs,
    walsh_hadamard,
)


def subsets(n):
    return [[i for i in range(n) if bits[i]] for bits in product([0, 1], repeat=n)]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_cube_has_every_point_once(n):
    x = cube(n)
    assert x.shape == (2**n, n)
    assert {tuple(row) for row in x} == set(product([1.0, -1.0], repeat=n))


def test_a_subset_is_the_row_whose_bits_it_is():
    x = cube(4)
    for S in subsets(4):
        assert sorted(np.flatnonzero(x[index(S)] < 0)) == S


def test_characters_are_orthonormal():
    x = cube(6)
    table = np.stack([chi(x, S) for S in subsets(6)])
    np.testing.assert_array_equal(table @ table.T / 64, np.eye(64))


@pytest.mark.parametrize("n", [1, 4, 7, 12])
def test_fast_transform_inverts_and_keeps_the_norm(n):
    f = np.random.default_rng(n).normal(size=2**n)
    spectrum = walsh_hadamard(f)
    np.testing.assert_allclose(walsh_hadamard(spectrum) * 2**n, f, atol=1e-12)
    assert np.sum(spectrum**2) == pytest.approx(np.mean(f**2), rel=1e-12)


def test_fast_transform_agrees_with_the_definition_and_with_inversion():
    f = np.random.default_rng(0).normal(size=2**5)
    spectrum = walsh_hadamard(f)
    rebuilt = np.zeros_like(f)
    for S in subsets(5):
        assert spectrum[index(S)] == pytest.approx(fourier_coefficient(f, S), abs=1e-14)
        rebuilt += spectrum[index(S)] * chi(cube(5), S)
    np.testing.assert_allclose(rebuilt, f, atol=1e-12)


@pytest.mark.parametrize("flip", [0.0, 0.1, 0.49, 0.5, 1.0])
def test_label_noise_shrinks_correlations_by_one_minus_twice_the_flip(flip):
    f = np.random.default_rng(1).normal(size=2**8)
    clean = fourier_coefficient(f, [0, 3, 5])
    assert noisy_correlation(f, [0, 3, 5], flip) == pytest.approx((1 - 2 * flip) * clean, abs=1e-14)


def test_a_table_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"2\*\*n values"):
        walsh_hadamard(np.ones(6))


def test_random_signs_are_fair_and_independent():
    x = random_signs(np.random.default_rng(10), (20_000, 5))
    assert x.dtype == np.float64
    assert set(np.unique(x)) == {-1.0, 1.0}
    np.testing.assert_allclose(x.T @ x / 20_000, np.eye(5), atol=0.04)
    np.testing.assert_allclose(x.mean(0), 0, atol=0.04)
    assert random_signs(np.random.default_rng(0), (3, 2, 7)).shape == (3, 2, 7)
