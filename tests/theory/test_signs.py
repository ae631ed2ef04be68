import numpy as np

from glassware.theory.signs import signs


def test_signs_are_fair_and_independent():
    drawn = signs(np.random.default_rng(0), 40_000, 3)
    assert drawn.dtype == np.float64
    assert set(np.unique(drawn)) == {-1.0, 1.0}
    np.testing.assert_allclose(drawn.mean(axis=0), 0, atol=4 / 200)
    np.testing.assert_allclose(drawn.T @ drawn / 40_000, np.eye(3), atol=4 / 200)
