import numpy as np
import pytest

from glassware.studies.margins.frequencies import STUDY
from tests.studies.margins.made import cyclic, verdict


@pytest.mark.parametrize(("claim", "p", "count"), [("13-mass", 13, 8), ("23-mass", 23, 5)])
def test_every_frequency_carries_the_same_mass(claim, p, count):
    lanes = [cyclic(p, seed=seed) for seed in range(count)]
    mass = lanes[0]["curve_mass"][0].copy()
    mass[1:3] = [1.02 * mass[1], 0.98 * mass[2]]
    assert verdict(STUDY, claim, lanes) == "holds"
    assert verdict(STUDY, claim, [*lanes[1:], cyclic(p, mass=mass)]) == "fails"
    assert verdict(STUDY, claim, lanes[1:]) == "not enough runs"


@pytest.mark.parametrize("network", ["square", "relu"])
def test_counts_are_pooled(network):
    claim = f"counts-{network}"
    even = [cyclic(p, network, seed=seed) for p in (23, 71) for seed in range(3)]
    odd = np.repeat([1.0, 2.0], 22)  # two of the eleven frequencies
    assert verdict(STUDY, claim, even) == "holds"
    assert verdict(STUDY, claim, [*even[1:], cyclic(23, network, irrep_u=odd)]) == "holds"  # no bound for one lane
    assert verdict(STUDY, claim, [cyclic(23, network, seed=seed, irrep_u=odd) for seed in range(5)]) == "fails"
    assert verdict(STUDY, claim, even[:3]) == "not enough runs"
    assert verdict(STUDY, claim, [*even[1:], cyclic(71, network, diverged_step=3)]) == "fails"
    assert verdict(STUDY, claim, [*even[1:], cyclic(71, network, power_u=np.full(140, 0.3))]) == "fails"  # random


def test_no_frequency_is_missing():
    lanes = [cyclic(23, name, seed=seed) for name in ("square", "relu") for seed in range(3)]
    mass = lanes[0]["curve_mass"][0].copy()
    mass[1:3] = [1.95 * mass[1], 0.05 * mass[2]]
    assert verdict(STUDY, "every-frequency", lanes) == "holds"
    assert verdict(STUDY, "every-frequency", [*lanes[:-1], cyclic(23, "relu", mass=mass)]) == "fails"
    assert verdict(STUDY, "every-frequency", [*lanes[1:], cyclic(23, power_u=np.full(44, 0.3))]) == "fails"
    assert verdict(STUDY, "every-frequency", lanes[:3]) == "not enough runs"
