import math

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.luck import optimal_restart
from glassware.luck.lives import Lives

INF = math.inf


def draw_geometric(rng, runs):
    """A success every step with probability 1/10: no memory, so all cut-offs cost the same."""
    return rng.geometric(0.1, runs).astype(float)


def draw_mixture(rng, runs):
    """A fifth of the runs is lucky and quick, the others never succeed."""
    return np.where(rng.random(runs) < 0.2, np.ceil(rng.gamma(20, 0.5, runs)), INF)


def draw_heavy(rng, runs):
    return np.ceil(np.exp(rng.normal(3, 1, runs)))


def draw_sure(rng, runs):
    """Hardly a matter of luck: all succeed at about the same time."""
    return np.ceil(rng.gamma(10, 2, runs))


def censored(times, budget):
    times = np.asarray(times, float)
    return np.where(times <= budget, times, INF), np.full(len(times), float(budget))


# -- closed forms -----------------------------------------------------------------------------------------------------


def test_luck_without_memory_makes_all_cutoffs_equal():
    times, budgets = censored(draw_geometric(np.random.default_rng(0), 20_000), 30)
    lives = Lives.of(times, budgets)
    cutoffs = lives.cutoffs()
    spent, won = lives.until(cutoffs, np.ones((1, lives.runs)))
    assert cutoffs.tolist() == list(range(1, 31))
    np.testing.assert_allclose((spent / won)[0], 10, rtol=0.06)
    found = optimal_restart(times[:2000], budgets[:2000])
    assert found.expected_steps.value == pytest.approx(10, rel=0.1)
    assert found.observed_steps < found.expected_steps.value  # the best of thirty equal ones looks better than it is


def test_without_luck_nothing_is_cut_off():
    found = optimal_restart([500.0] * 40, [1000.0] * 40, start=20)
    assert (found.cutoff, found.observed_steps) == (500, pytest.approx(520))
    assert (found.success_probability.value, found.tries, found.tries_for_95) == (1, 1, 1)
    assert found.expected_steps.value == pytest.approx(520, rel=0.03)
    assert found.expected_steps.high > 1.05 * 520  # forty have succeeded, the next may not


@pytest.mark.parametrize(
    ("late", "start", "cutoff", "cost"),
    [
        (1000, 0, 10, 10 / 0.25),  # (10/4 + 3/4 10) / (1/4)
        (21, 0, 21, 0.25 * 10 + 0.75 * 21),  # to wait costs 18.25, to restart 40
        (41, 0, 41, 0.25 * 10 + 0.75 * 41),  # 33.25 against 40
        (51, 0, 10, 40),  # 40.75 against 40
        (51, 5, 51, 5 + 0.25 * 10 + 0.75 * 51),  # a start costs five steps: 45.75 against 60
    ],
)
def test_two_points(late, start, cutoff, cost):
    """A quarter of the runs needs 10 steps, the others ``late``: restart exactly when waiting is dearer."""
    found = optimal_restart([10.0] * 25 + [float(late)] * 75, [1e9] * 100, start=start)
    assert found.cutoff == cutoff
    assert found.observed_steps == pytest.approx(cost)
    assert found.expected_steps.low < cost < found.expected_steps.high


def test_failures_cost_the_cutoff_not_their_budget():
    """Four of forty succeed at 100; a budget of 10,000 does not matter when one gives up at 100."""
    short = optimal_restart([100.0] * 4 + [INF] * 36, [1000.0] * 40)
    long = optimal_restart([100.0] * 4 + [INF] * 36, [10_000.0] * 40)
    assert short.cutoff == long.cutoff == 100
    assert short.observed_steps == pytest.approx(long.observed_steps) == pytest.approx(1000)
    assert (short.tries, short.tries_for_95) == (pytest.approx(10), 29)


# -- censoring --------------------------------------------------------------------------------------------------------


def test_runs_stopped_early_say_nothing_about_later():
    """Half of the budgets end at 15, before most successes: counting them as failures would double the price."""
    times = draw_geometric(np.random.default_rng(1), 4000) + 10
    budgets = np.where(np.arange(4000) % 2, 15.0, 60.0)
    seen = np.where(times <= budgets, times, INF)
    spent, won = Lives.of(seen, budgets).until(np.array([30.0]), np.ones((1, 4000)))
    assert won[0, 0] == pytest.approx(np.mean(times <= 30), abs=0.02)
    assert spent[0, 0] == pytest.approx(np.mean(np.minimum(times, 30)), rel=0.02)
    assert np.mean(seen <= 30) < 0.75 * won[0, 0]


def test_a_diverged_run_is_a_failure_that_costs_less():
    """It is not censored: it could not have succeeded later."""
    times, ends = [20.0] * 10 + [INF] * 10, [50.0] * 10 + [5.0] * 10
    found = optimal_restart(times, ends, diverged=[False] * 10 + [True] * 10)
    assert found.success_probability.value == pytest.approx(0.5)
    assert found.observed_steps == pytest.approx((10 * 20 + 10 * 5) / 10)
    assert optimal_restart(times, ends).success_probability.value == pytest.approx(1)  # stopped at 5: who knows


def test_before_between_and_at_the_ends():
    spent, won = Lives.of([4.0, INF], [0.0, 10.0]).until(np.array([0.0, 2.0, 4.0, 7.0]), np.ones((1, 2)))
    assert spent[0].tolist() == [0, 2, 4, 5.5]
    assert won[0].tolist() == [0, 0, 0.5, 0.5]


# -- what cannot be told ----------------------------------------------------------------------------------------------


def test_no_success_gives_a_lower_bound_only():
    found = optimal_restart([INF] * 40, [6000.0] * 40, start=10)
    assert (found.tells, found.cutoff, found.tries, found.tries_for_95) == ("no success", INF, INF, INF)
    assert found.expected_steps.high == INF
    assert found.expected_steps.low == pytest.approx(6010 / 0.0876, rel=0.01)  # Wilson's upper end of 0 of 40


@pytest.mark.parametrize(
    ("won", "lost", "tells"),
    [(5, 4, "too few runs"), (5, 5, "price"), (3, 7, "price"), (2, 38, "too few successes"), (0, 9, "too few runs")],
)
def test_what_the_runs_can_tell(won, lost, tells):
    assert optimal_restart([10.0] * won + [INF] * lost, [100.0] * (won + lost)).tells == tells


def test_nothing_and_nonsense():
    assert optimal_restart([], []).tells == "too few runs"
    assert optimal_restart([0.0] * 20, [100.0] * 20).cutoff == 1  # succeeds before its first step
    with pytest.raises(GlasswareError, match="as many"):
        optimal_restart([1.0], [1.0, 2.0])
    with pytest.raises(GlasswareError, match="0 or more"):
        optimal_restart([INF], [INF])


# -- intervals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", [draw_geometric, draw_mixture, draw_heavy, draw_sure])
def test_intervals_cover_the_true_price(draw):
    """Of the policy that 40 runs choose, in about 95% of 150 made stores; the mean is right on average."""
    rng, budget = np.random.default_rng(2), 60
    truth = draw(rng, 200_000)
    covered, errors = 0, []
    for seed in range(150):
        found = optimal_restart(*censored(draw(rng, 40), budget), seed=seed)
        price = np.minimum(truth, found.cutoff).mean() / np.mean(truth <= found.cutoff)
        covered += found.expected_steps.low <= price <= found.expected_steps.high
        errors.append(math.log(found.expected_steps.value / price))
    assert 0.88 <= covered / 150 <= 0.995
    assert abs(np.mean(errors)) < 0.12
