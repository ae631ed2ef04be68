import math

import numpy as np
import pytest

from glassware.theory.markov.chains import equal, flat, point
from glassware.theory.markov.first_steps import grad_w_init
from glassware.theory.markov.signal import expected_signal
from glassware.theory.markov.special import (
    equal_growth_v,
    equal_growth_w,
    equal_signal,
    even_odd_moment,
    stationary_spread,
)

RNG = np.random.default_rng


@pytest.mark.parametrize(("t", "spread"), [(6, 0.5), (33, 0.5), (33, 0.15)])
def test_rational_sums_are_the_integrals(t, spread):
    tensor = expected_signal(equal(40, spread), t)
    np.testing.assert_allclose(equal_signal(t, spread), tensor, atol=1e-12)
    assert equal_growth_w(t, spread) == pytest.approx(tensor.sum(0)[0, 0], abs=1e-12)
    np.testing.assert_allclose(equal_growth_v(t, spread), tensor.sum((1, 2)), atol=1e-12)


@pytest.mark.parametrize("a", [0.1, 0.37, 0.8, 0.99])
def test_no_growth_off_the_diagonal_for_any_single_chain(a):
    W = grad_w_init(point(a, a), 80)[0]
    assert abs(W[0, 1]) < 1e-13 * abs(W[0, 0])


def test_growth_without_unigram_signal():
    """Corollary E.2, corrected: finite at every t, log t in both blocks, and v grows, not shrinks."""
    assert [equal_growth_w(t) / t for t in (80, 300)] == pytest.approx([0.1483, 0.2221], abs=5e-5)
    assert [equal_growth_v(t)[0] for t in (80, 300)] == pytest.approx([0.692, 1.003], abs=5e-4)
    steps = np.diff([equal_growth_w(t) / t for t in (1000, 2000, 4000)])
    assert steps[0] == pytest.approx(steps[1], rel=0.05)  # every doubling of t adds the same: a logarithm
    assert np.all(equal_growth_v(50)[:-1] > 0)
    assert np.all(equal_growth_v(50, printed=True) < 0)
    # No heavy preference for v_1: under the flat prior it grows many times as fast.
    assert expected_signal(flat(60), 100).sum((1, 2))[0] > 7 * equal_growth_v(100)[0]


@pytest.mark.parametrize("j", [1, 2, 3, 4, 6])
def test_moments_of_even_coordinates(j):
    chains = equal(20, 0.3)
    exact = chains.mean((chains.a - 0.5) * chains.second ** (j - 1))
    assert even_odd_moment(j, 0.3) == pytest.approx(float(exact), abs=1e-14)
    if j % 2 == 0:
        assert even_odd_moment(j, 0.3, printed=True) == pytest.approx(0.6 * float(exact))


def test_stationary_laws_flatten_as_states_are_added():
    """Means over chains of the spread within a chain, at k = 8 and 32."""
    for k, value in ((8, 0.320), (32, 0.173)):
        spread = stationary_spread(RNG(k).dirichlet(np.ones(k), (2000, k)))
        assert abs(spread.mean() - value) < 0.0005 + 4 * spread.std() / math.sqrt(2000)
