"""Probes of margins and irreps, on networks whose every number is known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from glassware.probes import PROBES
from glassware.tasks import CubeParity, GroupMultiplication
from glassware.theory.margins.characters import powers, real_irreps
from glassware.theory.margins.groups import named
from glassware.theory.margins.margins import normalised_margin
from glassware.theory.margins.networks import GroupNetwork, maxmargin_group, maxmargin_parity, memorising
from glassware.theory.margins.optimum import max_margin
from glassware.training import Run

ALL = ("margin", "irrep_mass", "irrep_neurons", "logit_gaps")


def probed(group, network, probes=ALL):
    """What probes say about a network given by its weights."""
    width = network.u.shape[1]
    run = Run(task=GroupMultiplication(group=group), model={"name": "group-net", "width": width}, probes=probes)
    params = jax.tree.map(jnp.float32, ({"u": network.u, "v": network.v}, {"w": network.w}))

    def measured(values, params):
        return {k: v for probe in probes for k, v in PROBES[probe].measure(run, values, params).items()}

    return {name: np.asarray(value) for name, value in jax.jit(measured)(run.values(), params).items()}


@pytest.mark.parametrize("group", ["Z_13", "S_3", "Q_8", "A_4"])
def test_the_optimal_network_is_seen_as_optimal(group):
    """Groups whose irreps are real, complex and quaternionic."""
    best = max_margin(named(group))
    found = probed(group, maxmargin_group(named(group)))
    np.testing.assert_allclose([found["margin_ratio"], found["mean_margin_ratio"]], 1, rtol=1e-4)
    np.testing.assert_allclose(found["mass"], best.shares, atol=1e-5)
    np.testing.assert_allclose(found["weighted_power"], 1, rtol=1e-4)
    np.testing.assert_allclose(found["class_fit"], 1, rtol=1e-4)
    np.testing.assert_allclose(found["class_gaps"][1:] / found["margin"], 1, rtol=1e-3)
    np.testing.assert_array_equal(found["irrep_u"], found["irrep_w"])
    real = np.array([irrep.type for irrep in real_irreps(named(group))])[found["irrep_u"].astype(int)] == "R"
    np.testing.assert_allclose(found["alignment"][real], 1, rtol=1e-4)
    assert found["alignment"].max() <= 1 + 1e-4
    if group == "Z_13":
        np.testing.assert_allclose(found["alignment"], 1, rtol=1e-4)
        np.testing.assert_allclose(found["phase_defect"], 0, atol=1e-3)


def test_one_neuron_out_of_phase_is_seen():
    turn = 2 * np.pi * 2 * np.arange(7) / 7
    phases = {"u": 0.3, "v": 0.4, "w": 0.3 + 0.4 - 0.5}
    u, v, w = (np.cos(turn + phase)[:, None] for phase in phases.values())
    found = probed("Z_7", GroupNetwork(u, v, w.T), ("irrep_neurons",))
    np.testing.assert_allclose(found["phase_defect"], 0.5, atol=1e-5)
    np.testing.assert_allclose(found["alignment"], np.cos(0.5), rtol=1e-5)
    np.testing.assert_array_equal([found[f"irrep_{part}"][0] for part in "uvw"], [2, 2, 2])


def test_the_memorising_network_has_the_margin_and_the_flat_spectrum_of_the_text():
    group = named("S_3")
    network = memorising(group)
    found = probed("S_3", network)
    expected = normalised_margin(network, group) / max_margin(group).margin
    np.testing.assert_allclose(found["margin_ratio"], expected, rtol=1e-5)
    np.testing.assert_allclose(found["power_u"], powers(group, network.u).max(axis=0), rtol=1e-5)


def test_numbers_agree_with_the_plain_formulas_on_a_random_network():
    rng, group = np.random.default_rng(0), named("D_4")
    network = GroupNetwork(rng.normal(size=(8, 6)), rng.normal(size=(8, 6)), rng.normal(size=(6, 8)))
    found = probed("D_4", network)
    shares = powers(group, network.u)
    np.testing.assert_allclose(found["power_u"], shares.max(axis=0), rtol=1e-4)
    np.testing.assert_array_equal(found["irrep_u"], shares.argmax(axis=0))
    by_hand = normalised_margin(network, group) / max_margin(group).margin
    np.testing.assert_allclose(found["margin_ratio"], by_hand, rtol=1e-4)
    mass = np.linalg.norm(np.concatenate([network.u, network.v, network.w.T]), axis=0) ** 3
    expected = [mass[shares.argmax(axis=0) == r].sum() / mass.sum() for r in range(len(shares))]
    np.testing.assert_allclose(found["mass"], expected, rtol=1e-4)
    assert 0 < found["class_fit"] < 0.9


def test_the_optimal_parity_network_is_seen_as_optimal():
    network = maxmargin_parity(6, 3)
    task = CubeParity(n=6, k=3, support=(0, 1, 2))
    run = Run(task=task, model={"name": "power-net", "width": 4, "degree": 3}, probes=("margin", "parity_neurons"))
    params = jax.tree.map(jnp.float32, ({"w": network.u}, {"w": network.w}))
    found = {n: v for probe in run.probes for n, v in PROBES[probe].measure(run, run.values(), params).items()}
    np.testing.assert_allclose(found["margin_ratio"], 1, rtol=1e-5)
    np.testing.assert_allclose(found["pattern_mass"], 1 / 4, rtol=1e-5)
    np.testing.assert_allclose(found["off_support"], 0, atol=1e-7)
    np.testing.assert_allclose(found["evenness"], 1, rtol=1e-5)
    np.testing.assert_allclose(found["same_sign"], 0, atol=1e-6)
    np.testing.assert_array_equal(found["agrees"], 1)
    tilted = ({"w": params[0]["w"] + np.eye(6, 4, -4, dtype=np.float32)}, params[1])
    spoiled = PROBES["parity_neurons"].measure(run, run.values(), tilted)
    assert spoiled["off_support"].max() > 0.5


def test_the_largest_neurons_are_kept_whole():
    """Nine neurons, one of which is not among the eight largest; w is twice as long as u."""
    size = np.array([3.0, 9.0, 1.0, 2.0, 8.0, 4.0, 7.0, 5.0, 6.0])
    network = GroupNetwork(np.ones((5, 9)) * size, np.ones((5, 9)) * size, 2 * np.ones((9, 5)) * size[:, None])
    found = probed("Z_5", network, ("largest_neurons", "irrep_neurons"))
    np.testing.assert_allclose(found["largest_neurons"][:, 0], np.arange(9, 1, -1))
    np.testing.assert_allclose(found["largest_neurons"][0], [9.0] * 10 + [18.0] * 5)
    np.testing.assert_allclose(found["w_over_u"], 2, rtol=1e-6)
