import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.markov.chains import equal, flat, point, sample, stationary


def test_the_flat_law_integrates_polynomials_exactly():
    chains = flat(12)
    for power in ((0, 0), (1, 0), (3, 7), (11, 10), (0, 21)):
        value = chains.mean(chains.a ** power[0] * chains.b ** power[1])
        assert value == pytest.approx(1 / (power[0] + 1) / (power[1] + 1), rel=1e-13)


def test_the_flat_law_takes_the_corner():
    """E[pi_1^2 + pi_2^2] = 2 - log 4, though 2 - a - b vanishes at a = b = 1."""
    chains = flat(30)
    assert chains.mean((chains.stationary**2).sum(-1)) == pytest.approx(2 - np.log(4), abs=1e-14)
    crowded = flat(30, graded=True)  # nodes crowd so close to the corner that a and b round to 1
    assert crowded.mean((crowded.stationary**2).sum(-1)) == pytest.approx(2 - np.log(4), abs=1e-12)


def test_equal_chains_have_equally_frequent_states():
    chains = equal(10, 0.2)
    np.testing.assert_allclose(chains.stationary, 0.5)
    assert chains.mean(chains.second**2) == pytest.approx(0.4**2 / 3)
    with pytest.raises(GlasswareError, match="spread"):
        equal(10, 0.6)


def test_stationary_laws_are_stationary():
    rng = np.random.default_rng(0)
    matrix = rng.dirichlet(np.ones(5), (50, 5))
    law = stationary(matrix)
    np.testing.assert_allclose(np.einsum("ci,cij->cj", law, matrix), law, atol=1e-13)
    np.testing.assert_allclose(law.sum(-1), 1)
    chains = sample(50, rng)
    np.testing.assert_allclose(chains.stationary, stationary(chains.matrices), atol=1e-12)
    np.testing.assert_allclose(point(0.9, 0.4).matrices[0], [[0.9, 0.1], [0.6, 0.4]])
