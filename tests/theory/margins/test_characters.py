from itertools import permutations

import numpy as np
import pytest

from glassware.theory.margins.characters import (
    character_table,
    frobenius_schur,
    hypothesis,
    powers,
    projectors,
    real_irreps,
)
from glassware.theory.margins.groups import cyclic, from_table, named, symmetric

GROUPS = ["Z_13", "Z_12", "S_4", "D_5", "D_6", "A_4", "A_5", "Q_8", "Q_12", "Z_2 x Z_4", "S_3 x Z_2", "S_3 x Q_8"]


@pytest.mark.parametrize("name", [*GROUPS, "S_6"])
def test_characters_are_orthonormal_and_multiply_like_the_group(name):
    """chi(g) chi(h) = d mean_x chi(g x h x^-1), which only irreducible characters satisfy."""
    group = named(name)
    table = character_table(group)
    np.testing.assert_allclose(
        (table * group.class_sizes) @ table.conj().T / group.order, np.eye(len(table)), atol=1e-10
    )
    g, h = group.class_elements[1], group.class_elements[-1]
    turned = group.table[group.table[:, h], group.inverse]
    mean = table[:, group.classes[group.table[g, turned]]].mean(axis=1)
    np.testing.assert_allclose(table[:, 1] * table[:, -1], table[:, 0] * mean, atol=1e-9)
    np.testing.assert_allclose(table[0], 1.0, atol=1e-10)


def test_the_character_table_of_s5():
    """Table D.1, columns e, (12), (12)(34), (123), (1234), (12345), (12)(345). Two of its rows have each other's name:
    the standard representation (4,1) has fixed points - 1, so +2 at a transposition."""
    printed = {
        "(5)": [1, 1, 1, 1, 1, 1, 1],
        "(1,1,1,1,1)": [1, -1, 1, 1, -1, 1, -1],
        "(2,1,1,1)": [4, -2, 0, 1, 0, -1, 1],
        "(4,1)": [4, 2, 0, 1, 0, -1, -1],
        "(3,2)": [5, 1, 1, -1, -1, 0, 1],
        "(2,2,1)": [5, -1, 1, -1, 1, 0, -1],
        "(3,1,1)": [6, 0, -2, 0, 0, 1, 0],
    }
    group = symmetric(5)
    assert list(group.class_sizes) == [1, 10, 15, 20, 30, 24, 20]
    every = np.array(list(permutations(range(5))))[group.class_elements]
    fixed = np.sum(every == np.arange(5), axis=1)
    found = {irrep.label: irrep for irrep in real_irreps(group)}
    assert set(found) == set(printed)
    for label, row in printed.items():
        np.testing.assert_allclose(found[label].character, row, atol=1e-10)
    np.testing.assert_allclose(found["(4,1)"].character, fixed - 1, atol=1e-10)


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("Z_5", "RCC"),
        ("Z_6", "RCCR"),
        ("A_4", "RCR"),
        ("Q_8", "RRRRH"),
        ("D_4", "RRRRR"),
        ("Q_12", "RRCRH"),
        ("Z_2 x Z_4", "RRRRCC"),
    ],
)
def test_types_and_what_they_span(name, types):
    group = named(name)
    irreps = real_irreps(group)
    assert "".join(irrep.type for irrep in irreps) == types
    assert sum(irrep.multiplicity for irrep in irreps) == group.order
    assert sum(frobenius_schur(group) * character_table(group)[:, 0].real) == pytest.approx(
        1 + np.sum(group.element_orders == 2)
    )


def test_labels():
    assert [irrep.label for irrep in real_irreps(cyclic(6))] == ["0", "1", "2", "3"]
    assert [irrep.label for irrep in real_irreps(symmetric(4))] == ["(4)", "(3,1)", "(2,2)", "(2,1,1)", "(1,1,1,1)"]
    assert [irrep.label for irrep in real_irreps(named("A_5"))] == ["trivial", "3d a", "3d b", "4d", "5d"]
    assert [irrep.label for irrep in real_irreps(from_table(cyclic(3).table))] == ["trivial", "1d"]


@pytest.mark.parametrize("n", [12, 13, 71])
def test_powers_of_a_cyclic_group_are_folded_fourier_powers(n):
    u = np.random.default_rng(n).standard_normal((n, 4))
    unfolded = np.abs(np.fft.fft(u, axis=0)) ** 2
    j = np.arange(n // 2 + 1)
    folded = np.where((j == -j % n)[:, None], unfolded[j], unfolded[j] + unfolded[-j])
    np.testing.assert_allclose(powers(cyclic(n), u), folded / unfolded.sum(axis=0), atol=1e-12)


@pytest.mark.parametrize("name", GROUPS)
def test_projectors_split_the_functions_on_a_group(name):
    group = named(name)
    parts = projectors(group)
    np.testing.assert_allclose(parts.sum(axis=0), np.eye(group.order), atol=1e-10)
    for part, irrep in zip(parts, real_irreps(group), strict=True):
        np.testing.assert_allclose(part @ part, part, atol=1e-10)
        assert np.trace(part) == pytest.approx(irrep.multiplicity)
    u = np.random.default_rng(0).standard_normal((group.order, 3))
    np.testing.assert_allclose(powers(group, u), np.sum((parts @ u) ** 2, axis=1) / np.sum(u**2, axis=0), atol=1e-12)


def test_powers_of_one_vector_of_none_and_of_the_wrong_length():
    group = named("S_3")
    np.testing.assert_allclose(powers(group, np.ones(6)), [1, 0, 0], atol=1e-14)
    assert np.all(np.isnan(powers(group, np.zeros((6, 1)))))
    with pytest.raises(ValueError, match="6 values"):
        powers(group, np.ones(5))


@pytest.mark.parametrize(
    ("name", "value"),
    [("S_2", -1), ("S_3", -1), ("S_4", -1), ("S_5", -0.3031), ("S_6", 11.0), ("A_5", 0.788), ("D_4 x S_3", 0.3726)],
)
def test_the_hypothesis_of_theorem_7_9(name, value):
    assert hypothesis(named(name)) == pytest.approx(value, abs=1e-3)


@pytest.mark.parametrize("name", ["D_3", "D_7", "D_8", "Z_2 x Z_2 x Z_2", "S_3 x S_3", "Z_15", "Z_8", "S_4 x Z_2"])
def test_families_that_satisfy_it(name):
    assert hypothesis(named(name)) < 0


def test_nothing_to_learn():
    with pytest.raises(ValueError, match="nothing to learn"):
        hypothesis(cyclic(1))
