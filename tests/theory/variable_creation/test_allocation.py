import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassware.theory.variable_creation.allocation import allocate, allocate_numerically

POSITIVE = st.lists(st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)), min_size=1, max_size=5)


@given(POSITIVE, st.floats(0.1, 5), st.integers(0, 2**32))
def test_no_other_split_is_better(pairs, total, seed):
    sizes, costs = np.array(pairs).T
    best = allocate(sizes, costs, total)
    assert costs @ best.shares == pytest.approx(total)
    assert np.sum(sizes / best.shares**2) == pytest.approx(best.value)
    other = np.random.default_rng(seed).dirichlet(np.ones(len(sizes))) * total / costs
    assert np.sum(sizes / other**2) >= best.value * (1 - 1e-9)


def test_a_search_finds_the_same():
    sizes, costs = np.array([2.0, 0.3, 1.1]), np.array([0.5, 4.0, 1.0])
    found = allocate_numerically(sizes, costs, 0.7, np.zeros(3))
    assert allocate(sizes, costs, 0.7).value == pytest.approx(found, rel=1e-9)


def test_splits_that_make_no_sense():
    with pytest.raises(ValueError, match="must be positive"):
        allocate(np.ones(2), np.array([1.0, 0.0]), 1.0)
