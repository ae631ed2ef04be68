import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi, cube
from glassware.theory.hidden_progress.one_step import evaluate, one_step, population_step, symmetric_init
from glassware.theory.hidden_progress.one_step_schedule import exact_irrelevant, first_rate, theorem10


def test_the_symmetric_network_is_zero():
    start = symmetric_init(9, 4, 40, np.random.default_rng(0))
    np.testing.assert_allclose(start.features(cube(9)) @ start.u, 0.0, atol=1e-12)
    assert set(np.abs(start.w).ravel()) == {1.0}
    assert set(np.round((start.b + 1) * 4).astype(int)) <= set(range(1, 8))
    assert np.abs(start.b).max() < 1


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("support", [[0, 1], [1, 3, 4, 8]])
def test_the_population_step_is_the_step_on_all_inputs(support, printed):
    n, k = 9, len(support)
    start = symmetric_init(n, k, 20, np.random.default_rng(1))
    x = cube(n)
    y, rate = chi(x, support), first_rate(n, k)
    active = (x @ start.w.T + start.b > 0) * y[:, None] / len(x)
    after = population_step(start, support, printed)
    np.testing.assert_allclose(after.w, rate * start.u[:, None] * (active.T @ x), atol=1e-12)
    np.testing.assert_allclose(after.b, start.b + rate * start.u * active.sum(0), atol=1e-12)
    np.testing.assert_allclose(after.u, rate * (y @ start.features(x)) / len(x) * printed, atol=1e-12)


def test_the_printed_step_leaves_a_second_layer_that_is_not_zero():
    start = symmetric_init(15, 2, 20, np.random.default_rng(2))
    assert not population_step(start, [0, 1]).u.any()
    assert np.abs(population_step(start, [0, 1], printed=True).u).max() > 0.1


def test_four_relevant_coordinates_are_learned_from_the_exact_step():
    result = one_step(61, 4, 512, np.random.default_rng(102), lr=0.02)
    np.testing.assert_allclose(result.relevant, 1 / 8, atol=1e-12)
    np.testing.assert_allclose(result.irrelevant, exact_irrelevant(61, 4), atol=1e-12)
    assert result.irrelevant.max() == pytest.approx(0.0066, abs=5e-5)
    assert result.error == 0.0
    assert result.hinge <= 0.05
    promised = theorem10(61, 4, 0.1)
    assert result.irrelevant.max() <= promised.irrelevant_bound
    assert np.abs(result.relevant - 1 / 8).max() <= promised.relevant_slack


def test_the_default_rate_is_the_theorems_and_slow():
    result = one_step(31, 2, 64, np.random.default_rng(8), steps=200)
    assert 0.5 < result.hinge < 1.0
    assert result.mean_loss > result.hinge


def test_zero_output_counts_as_wrong():
    start = symmetric_init(9, 2, 8, np.random.default_rng(9))
    assert evaluate(population_step(start, [0, 1]), [0, 1], 1000, np.random.default_rng(0)) == (1.0, 1.0)


def test_odd_widths_are_refused():
    with pytest.raises(GlasswareError, match="width is 7"):
        symmetric_init(9, 2, 7, np.random.default_rng(0))
