from itertools import permutations

import numpy as np
import pytest

from glassware.theory.margins.groups import named, symmetric
from glassware.theory.margins.kappa import kappa_search, kappa_solution
from glassware.theory.margins.optimum import gains, max_margin
from glassware.theory.margins.partitions import cycle_type


def classes_of_s6(*cycles):
    group, every = symmetric(6), list(permutations(range(6)))
    types = [cycle_type(every[g]) for g in group.class_elements]
    return [types.index(c) for c in cycles]


CHOSEN = [(3, 1, 1, 1), (2, 2, 1, 1), (3, 3)]


@pytest.mark.parametrize(("large", "tie"), [("(4,1,1)", (6,)), ("(3,1,1,1)", (3, 2, 1))])
def test_a_choice_of_three_irreps_and_classes_solves_s6(large, tie):
    """And another class ties, so "no other class can be on the margin" would need a strict inequality."""
    group, classes = symmetric(6), classes_of_s6(*CHOSEN)
    found = kappa_solution(group, [large, "(3,3)", "(2,1,1,1,1)"], classes)
    assert found.accepted
    assert not found.strict
    assert found.margin == pytest.approx(max_margin(group).margin, rel=1e-9)
    np.testing.assert_allclose((found.tau * group.class_sizes)[classes], [0.0777, 0.8445, 0.0777], atol=1e-4)
    np.testing.assert_allclose(sorted(found.weights)[-3:], [1 / 7, 3 / 7, 3 / 7], atol=1e-9)
    gaps = found.shares @ gains(group)
    assert gaps[1:].min() == pytest.approx(found.margin, rel=1e-9)
    assert set(np.flatnonzero(np.abs(gaps / found.margin - 1) < 1e-9)) == set(classes_of_s6(*CHOSEN, tie))


def test_the_printed_normalisation_of_tau_solves_nothing():
    """D.9.2 lets tau add up to 1 where tau times the class sizes must: for S_6 a weight turns negative."""
    group = symmetric(6)
    found = kappa_solution(group, ["(4,1,1)", "(3,3)", "(2,1,1,1,1)"], classes_of_s6(*CHOSEN), printed=True)
    assert not found.accepted
    assert found.margin < 0
    assert abs(found.tau @ group.class_sizes - 1) > 1


def test_searching_finds_the_unique_choice_of_a5_and_everything_where_the_theorem_holds():
    (found,) = kappa_search(named("A_5"), 3)
    assert found.irreps == ("3d a", "3d b", "4d")
    assert found.strict
    assert found.margin == pytest.approx(max_margin(named("A_5")).margin, rel=1e-9)
    (full,) = kappa_search(named("S_4"), 4)
    np.testing.assert_allclose(full.shares, max_margin(named("S_4")).shares, atol=1e-9)
    assert not list(kappa_search(named("S_4"), 3))


def test_bad_input():
    with pytest.raises(ValueError, match="no irrep"):
        kappa_solution(named("S_3"), ["(3)"], [1])
    with pytest.raises(ValueError, match="no class 0"):
        kappa_solution(named("S_3"), ["(2,1)"], [0])
    with pytest.raises(ValueError, match="as many"):
        kappa_solution(named("S_3"), ["(2,1)"], [1, 2])
