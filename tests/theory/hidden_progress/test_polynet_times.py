import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.hidden_progress.polynet_error import (
    error_without_ties,
    exact_error,
    inside_binomial,
    inside_enumerated,
)
from glassware.theory.hidden_progress.polynet_flow import flow_weights
from glassware.theory.hidden_progress.polynet_times import (
    corollary11_bound,
    corollary11_reach,
    ones_plateau,
    plateau_gaussian,
    time_to_error,
    time_to_zero_error,
)

BLOCKS = [81, 161, 321, 641, 1281, 2561, 5121, 10241]


def draws(rng, count, k, block):
    v0 = rng.normal(size=(count, k))
    v0[:, 0] *= np.sign(v0.prod(-1))
    return v0, rng.normal(size=(count, k, block - 1))


@pytest.mark.parametrize("alpha", [0.4, 0.2, 0.05])
def test_the_error_crosses_at_that_time(alpha):
    v0, u = draws(np.random.default_rng(0), 4, 3, 5)
    times = time_to_error(v0, alpha, lambda v: inside_enumerated(u, v))

    def error(i, t):
        return exact_error(np.concatenate([flow_weights(v0[i], t)[:, None], u[i]], axis=1))

    for i, t in enumerate(times):
        assert error(i, t * (1 + 1e-7)) <= alpha
        assert t == 0 or error(i, t * (1 - 1e-7)) > alpha


def test_zero_error_comes_when_every_weight_outweighs_its_block():
    v0, u = draws(np.random.default_rng(1), 5, 3, 5)
    for v, other, t in zip(v0, u, time_to_zero_error(v0, u), strict=True):
        at = lambda t, v=v, other=other: exact_error(np.concatenate([flow_weights(v, t)[:, None], other], axis=1))
        assert at(t * (1 + 1e-9)) == 0.0
        assert at(t * (1 - 1e-9)) > 0.0
    assert not time_to_zero_error(np.full((1, 3), 9.0), np.ones((1, 3, 4))).any()


def test_a_network_that_starts_below_the_error_takes_no_time():
    assert time_to_error(np.full(3, 50.0), 0.1, lambda v: inside_binomial(10, v)) == 0.0


@pytest.mark.parametrize(("k", "slope"), [(3, -0.477), (4, -1.044), (5, -1.471)])
def test_the_share_after_the_plateau_falls_as_corollary_eleven_says(k, slope):
    after = [1 - ones_plateau(block, k) for block in BLOCKS]
    fitted = np.polyfit(np.log(BLOCKS), np.log(after), 1)[0]
    assert fitted == pytest.approx(slope, abs=2e-3)
    assert fitted == pytest.approx(1 - k / 2, abs=0.15)
    for block, share in zip(BLOCKS, after, strict=True):
        assert 1 - share >= corollary11_bound(block, k, 0.01)


def test_the_printed_reach_claims_too_much():
    def error_at(b, block, k):
        return float(error_without_ties(np.repeat(inside_binomial(block - 1, np.array(b)), k)))

    for block, k, gamma in [(20, 3, 0.01), (21, 4, 0.03), (100, 5, 0.001)]:
        b = corollary11_reach(block, k, gamma, printed=True)
        assert b > 1
        assert error_at(b, block, k) < 0.5 - gamma
    checked = 0
    for block in (10, 51, 500, 5001, 100_000):
        for k in (3, 4, 5):
            for gamma in (0.4, 0.1, 0.01, 1e-3):
                b = corollary11_reach(block, k, gamma)
                if b > 0:
                    checked += 1
                    assert error_at(b, block, k) >= 0.5 - gamma
    assert checked > 30
    assert corollary11_bound(81, 4, 0.01, printed=True) > corollary11_bound(81, 4, 0.01)


@pytest.mark.parametrize(("k", "block", "median"), [(3, 30, 0.65), (3, 100, 0.81), (4, 30, 0.93), (5, 30, 0.99)])
def test_normal_weights_spend_most_of_their_time_near_chance(k, block, median):
    v0, u = draws(np.random.default_rng(2), 400, k, block)
    shares = plateau_gaussian(v0, u)
    assert np.median(shares) == pytest.approx(median, abs=0.05)
    assert np.all((shares >= 0) & (shares < 1))


def test_what_has_no_time_is_refused():
    with pytest.raises(GlasswareError, match="alpha"):
        time_to_error(np.ones(3), 0.5, lambda v: inside_binomial(10, v))
    with pytest.raises(GlasswareError, match="k > 2"):
        corollary11_bound(10, 2, 0.1)
