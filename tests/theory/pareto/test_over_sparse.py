import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi, cube
from glassware.theory.pareto.over_sparse import (
    first_step,
    good_feature,
    initialise,
    least_squares,
    population_step,
    step_size,
    train,
)
from glassware.theory.pareto.over_sparse_readout import PRINTED_OFFSET

RNG = np.random.default_rng


def test_the_network_starts_at_zero_with_s_ones_a_neuron():
    network = initialise(30, 4, 9, 200, RNG(0))
    x = RNG(1).choice([-1.0, 1.0], (50, 30))
    np.testing.assert_allclose(network(x), 0, atol=1e-12)
    assert set(network.w.sum(axis=1)) == {9}
    assert set(network.b) == {-3 / 8, -1 / 8}
    assert len({tuple(row) for row in network.w[:100]}) > 95


@pytest.mark.parametrize(("n", "k", "s"), [(12, 2, 9), (12, 4, 7), (11, 4, 9)])
def test_one_step_on_the_whole_cube_is_the_population_step(n, k, s):
    support, x, eta = tuple(range(1, k + 1)), cube(n), step_size(k, s)
    network = initialise(n, k, s, 200, RNG(0))
    stepped = population_step(network, support, eta)
    np.testing.assert_allclose(first_step(network, x, chi(x, support), eta).w, stepped.w, atol=1e-12)
    good = np.all(network.w[:, support] == 1, axis=1)
    assert 0 < good.sum() < 200
    np.testing.assert_allclose(np.abs(stepped.w[good][:, support]), 1 / (2 * k), rtol=1e-12)
    assert np.all(np.abs(stepped.w[~good]).sum(axis=1) <= 1 / (2 * k) + 1e-12)
    rest = network.w[good] * ~np.isin(np.arange(n), support)
    expected = rest * (k - 1) / (2 * k * (s - k))
    np.testing.assert_allclose(np.abs(stepped.w[good]) * rest, expected, atol=1e-12)


def test_bad_neurons_are_silent_behind_the_printed_offset():
    support, x = (0, 1, 2, 3), cube(11)
    network = initialise(11, 4, 7, 60, RNG(0), offset=PRINTED_OFFSET, printed=True)
    stepped = population_step(network, support, step_size(4, 7))
    good = np.all(network.w[:, support] == 1, axis=1)
    assert not np.any(stepped.features(x)[:, 1:][:, ~good])


def test_both_copies_turn_the_rest_of_a_good_neuron():
    support, x, (k, s) = (0, 1, 2, 3), cube(12), (4, 9)
    network = initialise(12, k, s, 60, RNG(0))
    features = population_step(network, support, step_size(k, s)).features(x)[:, 1:]
    printed_is_right = set()
    for i in np.flatnonzero(np.all(network.w[:, support] == 1, axis=1)):
        relevant = x[:, support].sum(axis=1)
        rest = x @ network.w[i] - relevant
        arguments = (k, s, network.b[i], network.u[i], relevant, rest)
        np.testing.assert_allclose(good_feature(*arguments), features[:, i], atol=1e-12)
        right = np.allclose(good_feature(*arguments, printed=True), features[:, i], atol=1e-12)
        printed_is_right.add((network.u[i], right))
    assert printed_is_right == {(1.0, True), (-1.0, False)}


def test_least_squares_fits():
    features = RNG(0).standard_normal((50, 4))
    np.testing.assert_allclose(least_squares(features, features @ [1, 2, 3, 4.0]), [1, 2, 3, 4], rtol=1e-6)


def test_theorem_four_trains_end_to_end():
    trained = train(21, 2, 9, 100, 20_000, RNG(0), m_readout=3000)
    assert trained.good > 0
    assert trained.test_error <= 0.03
    assert trained.test_loss <= 0.2


def test_width_can_be_traded_for_data():
    """At 3000 examples the sparse wide network beats the dense narrow one; with enough examples both learn."""
    few = {
        (s, width): np.median([train(61, 2, s, width, 3000, RNG(seed)).test_error for seed in range(3)])
        for s, width in [(9, 400), (41, 60)]
    }
    assert few[9, 400] <= few[41, 60] / 3
    many = train(61, 2, 41, 60, 100_000, RNG(0), m_readout=10_000)
    assert many.test_error <= 0.005


def test_only_the_larger_offset_survives_the_other_coordinates():
    def error(k, n, s, offset):
        network = initialise(n, k, s, 2000, RNG(0), offset)
        keep = np.flatnonzero(np.all(network.w[:1000, :k] == 1, axis=1))[: 20 * k]  # bad neurons are silent
        both = np.concatenate([keep, keep + 1000])
        small = type(network)(network.w[both], network.b[both], network.u[both])
        stepped = population_step(small, tuple(range(k)), step_size(k, s))
        x, fresh = RNG(1).choice([-1.0, 1.0], (2, 8000, n))
        u = least_squares(stepped.features(x), chi(x, range(k)))
        return np.mean(chi(fresh, range(k)) * (stepped.features(fresh) @ u) <= 0)

    assert error(2, 401, 301, PRINTED_OFFSET) == pytest.approx(0.13, abs=0.03)
    assert error(2, 401, 301, 1.0) <= 0.002
    assert error(4, 301, 201, PRINTED_OFFSET) >= 0.35
    assert error(4, 301, 201, 1.0) == pytest.approx(0.011, abs=0.006)


def test_what_the_construction_cannot_be_built_for_is_refused():
    with pytest.raises(GlasswareError, match="odd s"):
        initialise(20, 2, 8, 10, RNG(0))
    with pytest.raises(GlasswareError, match="empty"):
        initialise(20, 2, 9, 10, RNG(0), printed=True)
    with pytest.raises(GlasswareError, match="m_readout"):
        train(20, 2, 9, 10, None, RNG(0))
