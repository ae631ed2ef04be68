"""Each slip of the text: the printed form fails, the corrected one holds."""

import math

import numpy as np
import pytest

from glassware.theory.margins.characters import real_irreps
from glassware.theory.margins.groups import cyclic, named
from glassware.theory.margins.lemmas import (
    character_weight,
    class_weights,
    constant_output,
    cyclic_outputs,
    cyclic_weighted_margin,
    irrep_scale,
    optimal_coefficient,
    pair_neurons,
    pair_output,
    sign_weight,
    spectrum_budget,
    total_weight,
    trace_product,
    weighted_margin_lemma,
)
from glassware.theory.margins.margins import ascend, best_neuron_value, neuron_values, outputs, point_margins
from glassware.theory.margins.networks import QUARTERS, GroupNetwork, maxmargin_group, memorising
from glassware.theory.margins.optimum import max_margin, max_margin_cyclic
from glassware.theory.margins.representations import coefficients, matrices

RNG = np.random.default_rng
REAL = ["S_3", "S_4", "D_5", "S_3 x Z_2"]


@pytest.mark.parametrize("p", [13, 17])
def test_the_weighted_margin_in_fourier_space(p):
    u, v, w = RNG(p).standard_normal((3, p))
    neuron = GroupNetwork(u[:, None], v[:, None], w[None])
    assert cyclic_weighted_margin(u, v, w) == pytest.approx(neuron_values(neuron, cyclic(p))[0], rel=1e-9)


def test_the_budget_of_a_spectrum():
    """A climbed neuron spends all of it: p, with which the best value is gamma*; with 1 it would be p^-1.5 of it."""
    p = 13
    neuron = ascend(cyclic(p), RNG(0))
    spent = sum(np.sum(np.abs(np.fft.fft(side.ravel())) ** 2) for side in neuron)
    assert spent == pytest.approx(spectrum_budget(p))
    best = lambda budget: 4 / ((p - 1) * p**2) * (budget / 6) ** 1.5
    assert best(spectrum_budget(p)) == pytest.approx(max_margin_cyclic(p))
    assert best(spectrum_budget(p, printed=True)) < 0.03 * max_margin_cyclic(p)


def test_the_outputs_of_the_cyclic_network():
    p = 13
    turns = 2 * np.pi * np.multiply.outer(np.arange(p), np.arange(1, 7)) / p
    phases = np.pi / 2 * np.array(QUARTERS)
    u, v, w = (np.cos(turns[:, :, None] + phases[:, i]).reshape(p, -1) for i in range(3))
    found = outputs(GroupNetwork(u, v, w.T), cyclic(p))[0]
    right, wrong = cyclic_outputs(p)
    np.testing.assert_allclose(found, [right, *[wrong] * (p - 1)], atol=1e-9)
    assert cyclic_outputs(p, printed=True) == ((p - 1) / 2, 0)
    assert found[1] == pytest.approx(-2)


def test_a_pair_of_neurons():
    x, y, z = RNG(0).standard_normal((3, 5))
    np.testing.assert_allclose(pair_neurons(x, y, z), pair_output(x, y, z))
    np.testing.assert_allclose(pair_neurons(x, y, z), 4 * pair_output(x, y, z, printed=True))
    np.testing.assert_allclose(pair_neurons(x, y, z, printed=True), 4 * x**2 * z)
    assert not np.allclose(pair_neurons(x, y, z, printed=True), pair_neurons(x, y, z))


@pytest.mark.parametrize("name", REAL)
def test_coefficients_of_optimal_neurons(name):
    """Lemma D.15 claims tr(alpha beta gamma^T) = (d / 3|G|)^1.5; its coefficients reach d^-1.5 of it."""
    group = named(name)
    for irrep, found in list(zip(real_irreps(group), matrices(group), strict=True))[1:]:
        d, order = irrep.dimension, group.order
        claimed, size = (d / (3 * order)) ** 1.5, optimal_coefficient(order, d)
        assert 3 * np.sum((size * found[:, 0, 0]) ** 2) == pytest.approx(1)
        assert size**3 == pytest.approx(claimed)
        printed = optimal_coefficient(order, d, printed=True)
        assert printed**3 / claimed == pytest.approx(d**-1.5)
        assert 3 * np.sum((printed * found[:, 0, 0]) ** 2) == pytest.approx(1 / d)


@pytest.mark.parametrize("name", ["S_3", "S_4"])
def test_scales_of_irreps(name):
    """Neurons of length 1 times the scale: wrong labels tie with d^-1/6, and do not with the printed d^(1/3)."""
    group = named(name)

    def spread(coefficient_printed, scale_printed):
        weight = [
            (
                optimal_coefficient(group.order, i.dimension, coefficient_printed)
                * irrep_scale(i.dimension, scale_printed)
            )
            ** 3
            for i in real_irreps(group)[1:]
        ]
        outputs_ = np.sum([s * i.character for s, i in zip(weight, real_irreps(group)[1:], strict=True)], axis=0)
        return np.ptp(outputs_[1:]) / np.abs(outputs_[1:]).max()

    assert spread(False, False) < 1e-9
    assert spread(True, True) < 1e-9
    assert spread(False, True) > 0.1


def test_rows_and_columns():
    a, b, c = RNG(0).standard_normal((3, 4, 4))
    assert trace_product(a, b, c) == pytest.approx(np.trace(a @ b @ c.T))
    assert trace_product(a, b, c, printed=True) != pytest.approx(np.trace(a @ b @ c.T), rel=0.1)


@pytest.mark.parametrize("name", REAL)
def test_the_weighted_margin_has_a_factor_two(name):
    group, rng = named(name), RNG(1)
    u, v, w = rng.standard_normal((3, group.order))
    sides = [[coefficients(m, side) for m in matrices(group)] for side in (u, v, w)]
    tau = np.append(0.0, rng.random(len(group.class_sizes) - 1))
    tau /= tau @ group.class_sizes
    exact = neuron_values(GroupNetwork(u[:, None], v[:, None], w[None]), group, tau)[0]
    assert weighted_margin_lemma(group, *sides, tau) == pytest.approx(exact, rel=1e-9)
    assert 2 * weighted_margin_lemma(group, *sides, tau, printed=True) == pytest.approx(exact, rel=1e-9)
    assert best_neuron_value(group) == pytest.approx(max_margin(group).margin)
    assert neuron_values(ascend(group, rng), group)[0] > 1.9 * best_neuron_value(group, printed=True)


@pytest.mark.parametrize("name", REAL)
def test_the_weights_of_classes(name):
    group = named(name)
    tau = class_weights(group)
    np.testing.assert_allclose(tau, max_margin(group).tau, atol=1e-12)
    assert tau.min() >= 0
    assert total_weight(group, tau) == pytest.approx(1)
    assert class_weights(group, printed=True)[1:].max() < 0
    assert total_weight(group, tau, printed=True) < 0.7


def test_the_weights_of_s5():
    """One wrong label in the class of (12), (12)(34), (123), (1234), 5-cycles, (12)(345)."""
    expected = [0, 0.00377, 0.02277, 0.02023, 0.00377, 0.00114, 0.00377]
    np.testing.assert_allclose(class_weights(named("S_5")), expected, atol=6e-6)


@pytest.mark.parametrize("name", REAL)
def test_the_weights_of_characters(name):
    """tau as a class function, 1 at e and -tau elsewhere, is sum z_R chi_R with z_R = d^1.5 z_sign."""
    group = named(name)
    values = -class_weights(group)
    values[0] = 1
    for place, irrep in enumerate(real_irreps(group)):
        expected = 0 if place == 0 else irrep.dimension**1.5 * sign_weight(group)
        assert character_weight(group, values, place) == pytest.approx(expected, abs=1e-12)
    assert character_weight(group, values, 1, printed=True) > 2 * character_weight(group, values, 1)
    assert sign_weight(group, printed=True) > 1 > sign_weight(group)


@pytest.mark.parametrize("name", REAL)
def test_the_constant_output(name):
    np.testing.assert_allclose(constant_output(named(name), 2.0), -1 / 8, atol=1e-12)
    np.testing.assert_allclose(constant_output(named(name), 2.0, printed=True), 1 / 64, atol=1e-12)


def test_maximum_margin_is_about_the_smallest_margin_not_about_each():
    """The first claim of Lemma 7.6 as printed lacks the minimum over points: at one point others do better."""
    group = named("S_3")
    memory = memorising(group)
    one = GroupNetwork(memory.u[:, [0, 36]], memory.v[:, [0, 36]], memory.w[[0, 36]])
    length = (2 * 3**1.5) ** (1 / 3)
    one = GroupNetwork(*(part / length for part in one))
    assert point_margins(one, group)[0] > 10 * point_margins(maxmargin_group(group), group)[0]
    assert point_margins(one, group).min() <= 0


def test_the_number_of_real_irreps_is_the_number_of_classes_only_if_all_are_of_real_type():
    """7.6.1 says so without the condition; Q_8 has as many, but one of them has no real matrices of its dimension."""
    count = lambda name: (len(real_irreps(named(name))), len(named(name).class_sizes))
    assert count("S_5") == (7, 7)
    assert count("Z_5") == (3, 5)
    assert count("A_4") == (3, 4)
    assert [irrep.type for irrep in real_irreps(named("Q_8"))].count("H") == 1


def test_the_lemmas_are_for_real_irreps():
    with pytest.raises(ValueError, match="not real"):
        class_weights(cyclic(5))
    assert math.isclose(class_weights(named("Z_2"))[1], 1)
