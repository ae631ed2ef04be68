from itertools import permutations

import numpy as np
import pytest

from glassware.theory.margins.characters import powers, real_irreps
from glassware.theory.margins.groups import dihedral, from_table, named, product, symmetric
from glassware.theory.margins.representations import (
    chaining_defect,
    coefficients,
    irreps_symmetric,
    kronecker,
    matrices,
    rank1_defect,
    unitarize,
)

RNG = np.random.default_rng


def characters(found, group):
    return np.trace(found[group.class_elements], axis1=1, axis2=2)


def assert_representation(group, found, rng):
    a, b = rng.integers(0, group.order, (2, 60))
    np.testing.assert_allclose(found[a] @ found[b], found[group.table[a, b]], atol=1e-9)
    products = found @ np.conj(np.swapaxes(found, 1, 2))
    assert np.abs(products - np.eye(found.shape[1])).max() < 1e-9


@pytest.mark.parametrize("name", ["S_4", "S_5", "D_5", "D_4", "A_4", "A_5", "Q_8", "Q_12", "Z_6", "S_3 x Z_2", "Z_13"])
def test_matrices_multiply_like_the_group_and_have_its_characters(name):
    group = named(name)
    for irrep, found in zip(real_irreps(group), matrices(group), strict=True):
        assert_representation(group, found, RNG(0))
        assert np.isrealobj(found) == (irrep.type == "R")
        trace = characters(found, group)
        np.testing.assert_allclose(trace.real, irrep.character, atol=1e-9)


def test_youngs_form_and_the_regular_representation_agree_on_s4():
    """The same irreps by two methods: equal characters are asserted above; here one conjugates into the other."""
    group = symmetric(4)
    other = from_table(group.table)
    for irrep, found in zip(real_irreps(other), matrices(other), strict=True):
        young = next(m for m in irreps_symmetric(4).values() if np.allclose(characters(m, group), irrep.character))
        between = np.mean(young @ RNG(1).standard_normal(young.shape[1:]) @ np.swapaxes(found, 1, 2), axis=0)
        np.testing.assert_allclose(young @ between, between @ found, atol=1e-10)
        assert np.linalg.cond(between) < 1 + 1e-8  # Schur: a multiple of an orthogonal matrix


def test_entries_are_orthogonal_and_sum_to_the_character_on_classes():
    """Proposition D.7 (inner products there are means) and Lemma D.10."""
    group = symmetric(4)
    basis = np.concatenate([np.sqrt(m.shape[1]) * m.reshape(24, -1) for m in matrices(group)], axis=1)
    np.testing.assert_allclose(basis.T @ basis / 24, np.eye(24), atol=1e-12)
    for irrep, found in zip(real_irreps(group), matrices(group), strict=True):
        for place, size in enumerate(group.class_sizes):
            total = found[group.classes == place].sum(axis=0)
            expected = size * irrep.character[place] / irrep.dimension * np.eye(irrep.dimension)
            np.testing.assert_allclose(total, expected, atol=1e-12)


def test_permutation_matrices_are_trivial_plus_standard():
    """D.8.1: dimension n - 1, character fixed points - 1; times the sign it is the partition (2,1,...,1)."""
    every = np.array(list(permutations(range(5))))
    fixed = np.sum(every == np.arange(5), axis=1)
    sign = np.array([np.linalg.det(np.eye(5)[p]) for p in every])
    irreps = irreps_symmetric(5)
    np.testing.assert_allclose(np.trace(irreps["(4,1)"], axis1=1, axis2=2), fixed - 1, atol=1e-12)
    np.testing.assert_allclose(np.trace(irreps["(2,1,1,1)"], axis1=1, axis2=2), sign * (fixed - 1), atol=1e-12)
    np.testing.assert_allclose(irreps["(1,1,1,1,1)"][:, 0, 0], sign, atol=1e-12)


def test_rotations_and_reflections_are_the_two_dimensional_irreps_of_d5():
    group = dihedral(5)
    for frequency in (1, 2):
        turn = 2 * np.pi * frequency * np.arange(5) / 5
        rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]).transpose(2, 0, 1)
        explicit = np.concatenate([rotate, rotate @ np.diag([1.0, -1.0])])
        assert_representation(group, explicit, RNG(0))
        character = characters(explicit, group)
        assert sum(np.allclose(character, irrep.character) for irrep in real_irreps(group)) == 1


def test_kronecker_products_are_the_irreps_of_a_product():
    left, right = named("S_3"), named("D_5")
    group = product(left, right)
    for a in matrices(left):
        for b in matrices(right):
            both = kronecker(a, b)
            assert_representation(group, both, RNG(0))
            character = characters(both, group)
            assert sum(np.allclose(character, irrep.character) for irrep in real_irreps(group)) == 1


def test_unitarize():
    irrep = irreps_symmetric(4)["(3,1)"]
    change = RNG(0).standard_normal((3, 3))
    skewed = change @ irrep @ np.linalg.inv(change)
    assert np.abs(skewed @ np.swapaxes(skewed, 1, 2) - np.eye(3)).max() > 1
    assert_representation(symmetric(4), unitarize(skewed), RNG(1))


@pytest.mark.parametrize("name", ["S_4", "A_5"])
def test_coefficients_give_the_powers_and_the_norm(name):
    """Lemma D.12: |u|^2 = sum |G|/d |alpha|_F^2."""
    group = named(name)
    u = RNG(0).standard_normal(group.order)
    shares = [np.sum(coefficients(m, u) ** 2) * group.order / m.shape[1] / np.sum(u**2) for m in matrices(group)]
    np.testing.assert_allclose(shares, powers(group, u), atol=1e-12)


@pytest.mark.parametrize("name", ["A_4", "Q_8", "Z_6"])
def test_vectors_come_back_from_their_coefficients(name):
    """The conjugate of a pair of type C adds the complex conjugate."""
    group = named(name)
    u = RNG(0).standard_normal(group.order)
    parts = [
        irrep.copies * np.einsum("ij,gij->g", coefficients(m, u), m).real
        for irrep, m in zip(real_irreps(group), matrices(group), strict=True)
    ]
    np.testing.assert_allclose(np.sum(parts, axis=0), u, atol=1e-10)


def test_rank_and_chaining():
    x, y, z = RNG(0).standard_normal((3, 4))
    alpha, beta, gamma = np.outer(x, y), np.outer(y, z), np.outer(x, z)
    assert rank1_defect(alpha) == pytest.approx(0, abs=1e-12)
    assert chaining_defect(alpha, beta, gamma) == pytest.approx(0, abs=1e-12)
    assert chaining_defect(alpha, beta, -gamma) == pytest.approx(2)
    assert rank1_defect(np.eye(4)) == pytest.approx(0.75)
    assert rank1_defect(np.eye(4), "H") == pytest.approx(0.5)
    assert chaining_defect(alpha, beta, np.outer(z, x)) > 0.1
    assert np.isnan(rank1_defect(np.zeros((2, 2))))
    assert np.isnan(chaining_defect(alpha, beta, np.zeros((4, 4))))


def test_type_h_forces_singular_values_in_pairs():
    group = named("Q_8")
    u = RNG(0).standard_normal(8)
    alpha = coefficients(matrices(group)[-1], u)
    assert real_irreps(group)[-1].type == "H"
    values = np.linalg.svd(alpha, compute_uv=False)
    assert values[0] == pytest.approx(values[1])
