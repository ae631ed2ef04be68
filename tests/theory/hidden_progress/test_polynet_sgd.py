import math
from dataclasses import replace

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import random_signs
from glassware.theory.hidden_progress.gradients import others_product
from glassware.theory.hidden_progress.polynet_error import error_bounds, exact_error
from glassware.theory.hidden_progress.polynet_sgd import _advance, run_sgd, theorem13


@pytest.mark.parametrize(
    ("block", "k", "steps"), [(3, 2, 125_471), (5, 2, 925_690), (2, 3, 447_759), (3, 3, 8_743_509)]
)
def test_printed_times_solve_their_equation(block, k, steps):
    t = theorem13(block, k, 0.1, 0.1, printed=True)
    assert t.steps == steps
    log = math.log(2 * block * k * steps / 0.1)
    assert steps == pytest.approx(6 * log * math.log(2 * k / 0.1) * (3 * block - 2) ** (2 * k - 1), rel=1e-5)


@pytest.mark.parametrize(("block", "k"), [(2, 2), (3, 2), (5, 2), (3, 3), (8, 4)])
def test_the_corrected_schedule_closes_its_proof_and_the_printed_one_does_not(block, k):
    for printed in (False, True):
        t = theorem13(block, k, 0.1, 0.05, printed)
        assert t.least_size(t.steps) >= t.target
        assert (t.drift_chance() <= 0.05 * (1 + 1e-9)) == (not printed)
        # Irrelevant weights of 3/2, the most they can be, and relevant ones at the target.
        v, u = np.full(k, t.target), np.full((k, block - 1), 1.5)
        assert (error_bounds(v, u)[1] <= 0.1 * (1 + 1e-9)) == (not printed)
        assert error_bounds(v, u, printed=True)[1] <= 0.1 * (1 + 1e-9)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_steps_are_those_of_sgd_on_the_correlation_loss(k):
    rng = np.random.default_rng(k)
    x = random_signs(rng, (5, k, 3, 4))
    path = np.empty((6, k, 3, 4))
    path[0] = rng.normal(size=(k, 3, 4))
    _advance(path, x, 0.01)
    for run in range(4):
        w = path[0, :, :, run].copy()
        for example in x[..., run]:
            y = example[:, 0].prod()
            gradient = -y * others_product((w * example).sum(1))[:, None] * example
            rate = 0.01 / others_product(np.abs(w).sum(1))
            w -= rate[:, None] * gradient
        np.testing.assert_allclose(path[5, :, :, run], w, atol=1e-14)


@pytest.mark.parametrize(("block", "k", "runs"), [(3, 2, 64), (2, 3, 8)])
def test_the_printed_schedule_learns_every_positive_start(block, k, runs):
    t = theorem13(block, k, 0.1, 0.1, printed=True)
    if k == 3:  # a weaker promise, for a shorter run
        t = theorem13(block, k, 0.45, 0.9, printed=True)
    result = run_sgd(t, runs, np.random.default_rng(100))
    promised = result.positive
    assert 0 < promised.sum() < runs
    assert np.all(result.final_error[promised] <= t.eps)
    assert result.drift.max() <= 0.5
    assert np.all(result.undershoot[promised] <= 0)
    assert np.median(result.first_hit[promised]) < t.steps / 5
    np.testing.assert_array_equal(result.final_error, exact_error(result.weights))


def test_the_corrected_schedule_learns_and_drifts_less():
    t = theorem13(2, 2, 0.2, 0.2)
    result = run_sgd(t, 16, np.random.default_rng(101))
    printed = run_sgd(theorem13(2, 2, 0.2, 0.2, printed=True), 16, np.random.default_rng(101))
    assert np.all(result.final_error[result.positive] <= 0.2)
    assert np.all(result.undershoot[result.positive] <= 0)
    assert 0 < result.drift.max() < printed.drift.max() <= 0.5
    assert np.abs(result.weights[:, :, 0]).min() >= t.target


def test_a_step_too_long_drifts_and_undershoots():
    t = replace(theorem13(3, 2, 0.1, 0.1, printed=True), steps=3000, step=0.05)
    result = run_sgd(t, 16, np.random.default_rng(102))
    assert result.drift.max() > 0.5
    short = run_sgd(replace(t, steps=64, step=1e-6), 16, np.random.default_rng(103))
    assert np.isinf(short.first_hit).all()
    assert (short.final_error > 0.1).all()


def test_what_the_theorem_does_not_cover_is_refused():
    with pytest.raises(GlasswareError, match="block is 1"):
        theorem13(1, 2, 0.1, 0.1)
    with pytest.raises(GlasswareError, match=r"eps is 0\.6"):
        theorem13(3, 2, 0.6, 0.1)
