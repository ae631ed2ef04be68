import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi, cube
from glassware.theory.leaky.distributions import LeakyParity, majority_agreement

RNG = np.random.default_rng


@pytest.mark.parametrize("leak", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize(("n", "support"), [(11, (1, 4, 9)), (9, (0, 1, 2, 3, 8)), (6, (2,))])
def test_probabilities_and_moments(n, support, leak):
    task, z = LeakyParity(n, support, leak), cube(n)
    for component in (None, 1, 2):
        assert task.probability(z, component).sum() == pytest.approx(1, abs=1e-12)
    mean, correlations = task.moments()
    assert mean == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(correlations, task.correlations(), atol=1e-12)


def test_the_leak_is_one_half_on_the_relevant_bits():
    task = LeakyParity(11, (1, 4, 9))
    np.testing.assert_allclose(task.moments()[1][[1, 4, 9]], 0.5, atol=1e-12)
    np.testing.assert_allclose(task.moments(component=1)[1], 0, atol=1e-12)


def test_with_even_k_nothing_leaks():
    task = LeakyParity(8, (0, 1, 2, 3))
    mean, correlations = task.moments(component=2)
    assert mean == pytest.approx(1, abs=1e-12)  # the label is constant
    np.testing.assert_allclose(correlations, 0, atol=1e-12)
    np.testing.assert_allclose(task.correlations(), 0)
    with pytest.raises(GlasswareError, match="does not leak"):
        LeakyParity.draw(8, 4, RNG(0))


@pytest.mark.parametrize("component", [None, 1, 2])
def test_samples_have_the_exact_frequencies(component):
    task, m = LeakyParity(5, (0, 2, 3), 0.3), 200_000
    drawn = task.sample(m, RNG(0), component)
    rows = ((drawn.z < 0) @ (2 ** np.arange(5))).astype(int)
    expected = task.probability(cube(5), component)
    assert np.max(np.abs(np.bincount(rows, minlength=32) / m - expected)) <= 4 * np.sqrt(0.25 / m)
    np.testing.assert_array_equal(drawn.y, chi(drawn.z, task.support))
    assert drawn.leaky.mean() == pytest.approx({None: 0.3, 1: 0, 2: 1}[component], abs=0.005)
    np.testing.assert_allclose(np.linalg.norm(drawn.x, axis=1), 1)


@pytest.mark.parametrize(("k", "agreement"), [(3, 0.25), (5, 0.6875), (7, 0.34375), (9, 0.63671875), (11, 0.376953125)])
def test_what_a_linear_rule_scores_on_the_uniform_part(k, agreement):
    assert majority_agreement(k) == agreement
    z = cube(k)
    assert np.mean(np.sign(z.sum(axis=1)) == chi(z, range(k))) == agreement


def test_bad_tasks_are_refused():
    with pytest.raises(GlasswareError, match="different coordinates"):
        LeakyParity(4, (1, 1, 2))
    with pytest.raises(GlasswareError, match="probability"):
        LeakyParity(4, (1, 2, 3), 1.5)
