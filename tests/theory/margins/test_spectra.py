import math

import numpy as np
import pytest

from glassware.theory.margins.characters import real_irreps
from glassware.theory.margins.finite import finite_lambda
from glassware.theory.margins.groups import cyclic, named
from glassware.theory.margins.margins import ascend, normalised_margin
from glassware.theory.margins.networks import (
    GroupNetwork,
    joined,
    maxmargin_cyclic,
    maxmargin_group,
    memorising,
    some_frequencies,
)
from glassware.theory.margins.optimum import max_margin
from glassware.theory.margins.spectra import (
    alive,
    all_present,
    dominant,
    fourier_power,
    interpolate_real,
    irrep_dft3,
    logit_decomposition,
    mass_shares,
    maxpow,
    mean_margin_ratio,
    network_dft3,
    neuron_counts,
    norm_balance,
    phase_defect,
    present,
    weighted_maxpow,
    weights_of,
)

RNG = np.random.default_rng
ZERO = GroupNetwork(np.zeros((13, 1)), np.zeros((13, 1)), np.zeros((1, 13)))


def cosines(p, frequency, phases, sizes=(1, 1, 1)):
    a = np.arange(p)
    u, v, w = (s * np.cos(2 * np.pi * frequency * a / p + t) for s, t in zip(sizes, phases, strict=True))
    return GroupNetwork(u[:, None], v[:, None], w[None])


def test_a_cosine_has_all_its_power_at_one_frequency_only_if_folded():
    """The printed formula keeps j and -j apart, so that its maximum is 1/2 where the figure shows 1."""
    u = cosines(17, 5, (0.3, 0, 0)).u
    assert fourier_power(u)[5] == pytest.approx(1)
    assert maxpow(cyclic(17), u) == pytest.approx(1)
    assert fourier_power(u, printed=True).max() == pytest.approx(0.5)
    assert dominant(cyclic(17), u) == [5]
    noise = RNG(0).standard_normal((17, 3))
    np.testing.assert_allclose(fourier_power(noise, printed=True).sum(axis=0), 1)


def test_phases_and_lengths():
    neurons = [
        cosines(13, 2, (0.4, 0.5, 0.9)),
        cosines(13, 2, (0.4, 0.5, 0.6)),
        cosines(13, 2, (2, 2, -2.5), (1, 2, 4)),
    ]
    network = joined(*neurons, cosines(13, 0, (0, 0, 0)), ZERO)
    np.testing.assert_allclose(phase_defect(network)[:3], [0, 0.3, 6.5 - 2 * np.pi], atol=1e-12)
    assert np.all(np.isnan(phase_defect(network)[3:]))
    np.testing.assert_allclose(norm_balance(network)[:3], [1, 1, 4])
    assert np.isnan(norm_balance(network)[4])
    np.testing.assert_allclose(phase_defect(maxmargin_cyclic(13)), 0, atol=1e-10)
    np.testing.assert_allclose(norm_balance(maxmargin_cyclic(13)), 1, rtol=1e-10)


def test_the_interpolation_goes_through_the_points_and_is_the_wave_between_them():
    u = RNG(0).standard_normal(11)
    np.testing.assert_allclose(interpolate_real(u, np.arange(11)), u, atol=1e-12)
    wave = lambda x: np.cos(2 * np.pi * 3 * x / 11 + 0.7)
    x = np.linspace(0, 11, 50)
    np.testing.assert_allclose(interpolate_real(wave(np.arange(11)), x), wave(x), atol=1e-12)
    with pytest.raises(ValueError, match="odd"):
        interpolate_real(np.ones(4), x)


def test_the_transform_of_the_network_forces_every_frequency():
    """D.6.3. As printed, with one exponent three times, it says nothing: 0 for every frequency."""
    p, network = 13, maxmargin_cyclic(13)
    found, j = network_dft3(network), np.arange(1, 13)
    expected = normalised_margin(network, cyclic(p)) * p**2
    np.testing.assert_allclose(found[j, j, -j], expected, rtol=1e-9)
    np.testing.assert_allclose(network_dft3(network, printed=True)[j, j, -j], 0, atol=1e-9 * expected)
    single = np.abs(network_dft3(cosines(p, 4, (0.1, 0.2, 0.3))))
    away = [i for i in range(p) if i not in (0, 4, p - 4)]
    assert single[np.ix_(away, range(1, p), range(p))].max() < 1e-9 * single.max()
    without = network_dft3(some_frequencies(p, [1, 2, 3, 5, 6]))
    assert abs(without[4, 4, -4]) < 1e-12 < abs(without[3, 3, -3])


def test_the_transform_over_a_group_has_one_match_not_two():
    """D.9.1 also allows the exchanged match (j = k', k = j'): there it is 0."""
    group = named("D_5")
    network, place = maxmargin_group(group), 2
    assert real_irreps(group)[place].dimension == 2
    found = irrep_dft3(network, group, place) / normalised_margin(network, group)
    i, j, k = (index.ravel() for index in np.indices((2, 2, 2)))
    expected = np.zeros((2,) * 6)
    expected[i, j, j, k, i, k] = 100 / 4
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert found[0, 1, 1, 1, 0, 1] == pytest.approx(25)
    assert found[1, 1, 0, 1, 0, 1] == pytest.approx(0, abs=1e-9)  # the first two exchanged


def test_the_transform_over_a_group_with_complex_irreps():
    group = named("A_4")
    network, place = maxmargin_group(group), 1
    assert real_irreps(group)[place].type == "C"
    found = irrep_dft3(network, group, place) / normalised_margin(network, group)
    assert found.ravel() == pytest.approx([144])


def test_outputs_are_sums_of_characters():
    group = named("S_4")
    best = logit_decomposition(maxmargin_group(group), group)
    assert best.r2 == pytest.approx(1)
    np.testing.assert_allclose(best.gaps[1:], max_margin(group).margin, rtol=1e-9)
    optimum = finite_lambda(group, 1e-6)
    found = logit_decomposition(maxmargin_group(group, optimum.shares), group)
    np.testing.assert_allclose(found.gaps * optimum.norm_power, optimum.gaps, rtol=1e-9)
    assert np.ptp(found.gaps[1:]) > 0.05 * found.gaps[1:].mean()
    rng = RNG(0)
    network = maxmargin_group(group)
    shifted = network._replace(w=network.w + rng.standard_normal((126, 1)))  # adds F(a, b) to every label
    assert logit_decomposition(shifted, group).r2 == pytest.approx(1)
    noise = GroupNetwork(*rng.standard_normal((2, 24, 5)), rng.standard_normal((5, 24)))
    assert logit_decomposition(noise, group).r2 < 0.1
    assert math.isnan(logit_decomposition(GroupNetwork(*(0 * part for part in noise)), group).r2)


@pytest.mark.parametrize("name", ["Z_13", "S_4", "D_5", "A_5", "Q_8"])
def test_masses_at_maximum_margin(name):
    group = named(name)
    network, best = maxmargin_group(group), max_margin(group)
    np.testing.assert_allclose(mass_shares(network, group), best.shares, atol=1e-9)
    used = best.shares > 0
    expected = [irrep.neurons * use for irrep, use in zip(real_irreps(group), used, strict=True)]
    assert list(neuron_counts(network, group)) == expected
    for side in ("u", "v", "w"):
        assert weighted_maxpow(network, group, side) == pytest.approx(1)
        assert np.all(dominant(group, weights_of(network, side)) == dominant(group, network.u))
    assert all_present(network, group)
    assert mean_margin_ratio(network, group) == pytest.approx(1)


def test_what_is_missing_is_noticed():
    group = cyclic(13)
    network = some_frequencies(13, [1, 2, 3, 5, 6])
    assert list(present(network, group)[1:]) == [True, True, True, False, True, True]
    assert not all_present(network, group)
    assert 0.8 < mean_margin_ratio(network, group) < 1
    assert weighted_maxpow(memorising(group), group) == pytest.approx(2 / 13)
    assert math.isnan(weighted_maxpow(ZERO, group))
    assert math.isnan(mean_margin_ratio(ZERO, group))
    assert np.all(np.isnan(mass_shares(ZERO, group)))
    assert list(dominant(group, ZERO.u)) == [-1]
    assert list(alive(joined(cosines(13, 1, (0, 0, 0)), cosines(13, 1, (0, 0, 0), (0.05,) * 3), ZERO))) == [
        True,
        False,
        False,
    ]


def test_climbed_neurons_have_matching_phases():
    for seed in range(3):
        neuron = ascend(cyclic(17), RNG(seed))
        assert phase_defect(neuron)[0] == pytest.approx(0, abs=1e-3)
        assert norm_balance(neuron)[0] == pytest.approx(1)


def test_random_vectors_already_prefer_large_irreps():
    """At initialisation: mean maxpow and the share of neurons per dominant irrep, before anything is learnt."""
    group = named("S_4")
    u = RNG(0).standard_normal((24, 4000))
    assert maxpow(group, u).mean() == pytest.approx(0.479, abs=0.01)
    shares = np.bincount(dominant(group, u), minlength=5) / 4000
    np.testing.assert_allclose(shares, [0.003, 0.47, 0.06, 0.47, 0.003], atol=0.03)
