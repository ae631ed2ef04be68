import numpy as np
import pytest

from glassware.theory.margins.groups import Group, cyclic, from_table, named, product, quaternion, symmetric

# A loop of order 5: Latin square with identity and two-sided inverses (every element squares to 0), not associative.
LOOP = np.array([[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1], [4, 3, 1, 2, 0]])
# Another whose element 1 has different inverses on the left and on the right.
ONE_SIDED = np.array([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0], [2, 4, 0, 1, 3], [3, 0, 4, 2, 1], [4, 3, 1, 0, 2]])


@pytest.mark.parametrize(
    ("name", "order", "sizes"),
    [
        ("Z_9", 9, [1] * 9),
        ("S_4", 24, [1, 3, 6, 8, 6]),
        ("S_5", 120, [1, 10, 15, 20, 30, 24, 20]),
        ("D_5", 10, [1, 5, 2, 2]),
        ("D_4", 8, [1, 1, 2, 2, 2]),
        ("A_5", 60, [1, 15, 20, 12, 12]),
        ("Q_8", 8, [1, 1, 2, 2, 2]),
        ("S_3 x Z_2", 12, [1, 1, 3, 3, 2, 2]),
    ],
)
def test_orders_and_classes(name, order, sizes):
    group = named(name)
    every = np.arange(order)
    assert (group.order, group.name) == (order, name)
    assert list(group.class_sizes) == sizes
    assert np.all(group.table[every, group.inverse] == group.identity)
    assert group.classes[group.identity] == 0
    g, h = np.random.default_rng(0).integers(0, order, (2, 50))
    conjugate = group.table[group.table[h, g], group.inverse[h]]
    assert np.all(group.classes[conjugate] == group.classes[g])
    assert np.all(group.quotients[group.table[g, h], h] == g)


def test_permutations_compose_from_the_right():
    """In lexicographic order 021 is element 1 and 102 element 2: 021 after 102 sends 0, 1, 2 to 2, 0, 1."""
    assert symmetric(3).table[1, 2] == [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].index(
        [2, 0, 1]
    )


def test_quaternions_have_one_involution_and_dihedral_groups_many():
    assert np.sum(quaternion().element_orders == 2) == 1
    assert np.sum(named("D_4").element_orders == 2) == 5
    assert np.sum(named("Q_12").element_orders == 2) == 1


def test_a_relabelled_group_is_a_group_with_another_identity():
    group = named("S_3")
    new = np.random.default_rng(1).permutation(6)
    table = np.empty((6, 6), int)
    table[np.ix_(new, new)] = new[group.table]
    other = from_table(table, "mine")
    assert (other.identity, other.name) == (new[0], "mine")
    assert list(other.class_sizes) == list(group.class_sizes)
    assert other.family == ""


def test_products_are_pairs():
    left, right = named("S_3"), cyclic(4)
    table = product(left, right).table
    assert table[2 * 4 + 3, 5 * 4 + 2] == left.table[2, 5] * 4 + right.table[3, 2]


def changed(table, *places):
    table = np.array(table)
    for a, b, value in places:
        table[a, b] = value
    return table


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((2, 3), int), "square"),
        (np.zeros((0, 0), int), "at least one element"),
        (np.full((2, 2), 2), "from 0 to 1"),
        (np.array([[0.0, 1.0], [1.0, 0.0]]), "whole numbers"),
        (changed(cyclic(3).table, (1, 2, 1)), "row 1"),
        (np.array([[0, 1], [0, 1]]), "column 0"),
        ((np.arange(3)[:, None] - np.arange(3)) % 3, "no identity"),
        (ONE_SIDED, "no inverse"),
        (LOOP, "not associative"),
        (np.zeros((5041, 5041), np.int8), "at most 5,040"),
    ],
)
def test_what_is_no_group_is_refused(table, message):
    with pytest.raises(ValueError, match=message):
        Group("bad", table)


def test_one_wrong_square_in_a_large_table_is_found():
    """Two rows of Z_2^8 exchange a 2 x 2 square: still Latin, and wrong in 4 of 65,536 entries."""
    table = np.bitwise_xor.outer(np.arange(256), np.arange(256))
    for a, b, value in [(100, 7, 101 ^ 7), (100, 6, 100 ^ 7), (101, 7, 100 ^ 7), (101, 6, 101 ^ 7)]:
        table[a, b] = value
    with pytest.raises(ValueError, match=r"not associative|no inverse"):
        from_table(table)


@pytest.mark.parametrize(
    "name", ["", "Z", "Z_0", "S_8", "A_9", "Q_6", "D_0", "Z_5041", "S_3 x", "S_3xS_4", "M_11", "S_5 x S_5"]
)
def test_unknown_names_are_refused(name):
    with pytest.raises(ValueError, match=r"no known group|not available|does not exist|at most 5,040"):
        named(name)
