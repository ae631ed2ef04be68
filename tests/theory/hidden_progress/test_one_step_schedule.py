import math

import numpy as np
import pytest
from scipy.optimize import linprog

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi, cube
from glassware.theory.hidden_progress.convex_sgd import bound_excess
from glassware.theory.hidden_progress.majority import majority_coefficient
from glassware.theory.hidden_progress.one_step import Network, symmetric_init
from glassware.theory.hidden_progress.one_step_schedule import (
    exact_irrelevant,
    neuron_chance,
    parity_readout,
    readout_rate,
    theorem10,
)


def readout(k, printed):
    biases, u = parity_readout(k, printed)
    return Network(np.full((len(biases), k), 1 / (2 * k)), biases, u)


@pytest.mark.parametrize("k", [2, 4, 6, 8])
def test_the_read_out_is_twice_the_parity(k):
    network, x = readout(k, False), cube(k)
    np.testing.assert_allclose(network.features(x) @ network.u, 2 * chi(x, range(k)), atol=1e-12)
    assert np.abs(network.u).max() <= 8 * k
    assert len(network.b) == k + 1
    if k > 2:  # all biases but that of k = 2 are among those of the initialisation
        assert np.abs(network.b).max() < 1


@pytest.mark.parametrize("k", [2, 4, 6, 8])
def test_the_printed_read_out_fails_whatever_its_weights(k):
    network, x = readout(k, True), cube(k)
    y, h = 2 * chi(x, range(k)), network.features(x)
    assert np.abs(h @ network.u - y).max() >= 2
    # The least largest residual over all second layers, as a linear program in (u, t).
    r = h.shape[1]
    bounded = np.block([[h, -np.ones((len(x), 1))], [-h, -np.ones((len(x), 1))]])
    best = linprog(np.r_[np.zeros(r), 1.0], bounded, np.r_[y, -y], bounds=[(None, None)] * r + [(0, None)])
    assert best.fun >= 2 - 1e-9


@pytest.mark.parametrize(("n", "k"), [(31, 2), (61, 4)])
def test_every_quantity_is_what_its_proof_needs(n, k):
    t = theorem10(n, k, 0.1)
    xi, log = abs(majority_coefficient(n, k - 1)), math.log(128 * k**3 * n / 0.1)
    assert t.batch == pytest.approx(2**12 * k**2 * n * log * math.log(32 * n * t.width / 0.1) / xi**2, rel=1e-9)
    excess = bound_excess(8 * k**1.5, 2 * math.sqrt(t.width) * n, t.steps - 1)
    assert excess <= 0.1 / 4
    assert (1 - neuron_chance(k)) ** (t.width / 2) * (k + 1) <= t.inner_delta
    assert t.width % 2 == 0
    assert t.readout_rate == readout_rate(n, k, t.width, t.steps)


def test_claim_four_holds_from_the_smallest_n_on():
    for k in (2, 4):
        n = theorem10(31, k, 0.1).smallest_n
        t = theorem10(n, k, 0.1)
        xi, log = abs(majority_coefficient(n, k - 1)), math.log(2 * k / t.inner_eps)
        assert n >= 128 * k**4 * log > n - 3
        assert t.irrelevant_bound * math.sqrt(2 * n * log) + k * t.relevant_slack + t.tau / (k * xi) <= 1 / (8 * k**2)
    assert 10**4 < theorem10(31, 2, 0.1).smallest_n < 10**5


def test_the_printed_parameters_miss_what_their_proof_needs():
    n, k, eps = 31, 2, 0.1
    t = theorem10(n, k, eps, printed=True)
    assert t.batch < 2 / t.tau**2 * math.log(4 * n * t.width / t.inner_delta) / 10
    assert bound_excess(8 * k**1.5, 2 * math.sqrt(t.width) * n, t.steps) == pytest.approx(eps / math.sqrt(2), rel=1e-6)
    assert (1 - neuron_chance(k)) ** (t.width / 2) * (k + 1) > t.inner_delta
    corrected = theorem10(n, k, eps)
    assert corrected.tau == pytest.approx(t.tau / 2)
    assert corrected.batch > 4 * t.batch
    wide = theorem10(n, k, eps, printed=True, constants=(0.5, 1.0))
    assert wide.batch == pytest.approx(2 * t.batch, rel=1e-6)
    assert wide.smallest_n > 4 * t.smallest_n


def test_the_chance_of_a_useful_pair_is_that_of_the_initialisation():
    k = 2
    start = symmetric_init(5, k, 200_000, np.random.default_rng(0))
    half = len(start.b) // 2
    useful = (start.w[:half, 0] == start.w[:half, 1]) & (start.b[:half] == 0.5)
    assert useful.mean() == pytest.approx(neuron_chance(k), rel=0.02)
    assert useful.mean() < 0.7 * neuron_chance(k, printed=True)


def test_hoeffding_with_the_printed_width_is_violated():
    # Claim 4 takes a sum of n variables in [-1, 1] to stay below sqrt(n log(2/p) / 2) but for a chance p.
    x, p = cube(16).sum(-1), 0.1
    assert np.mean(np.abs(x) >= math.sqrt(16 * math.log(2 / p) / 2)) > p
    assert np.mean(np.abs(x) >= math.sqrt(2 * 16 * math.log(2 / p))) <= p


def test_what_the_theorem_does_not_cover_is_refused():
    with pytest.raises(GlasswareError, match="even k"):
        theorem10(31, 3, 0.1)
    with pytest.raises(GlasswareError, match="eps"):
        theorem10(31, 2, 0.7)
    with pytest.raises(GlasswareError, match="even k"):
        parity_readout(3)
    assert exact_irrelevant(61, 4) == pytest.approx(0.0065789, abs=1e-6)
