import numpy as np
import pytest

from glassware.studies.margins.sparse_parity import STUDY
from tests.studies.margins.made import first, parity, verdict

GOOD = parity()
FORM = [
    {"off_support": first(GOOD["off_support"], to=0.1)},
    {"evenness": first(GOOD["evenness"], to=1.1)},
    {"same_sign": first(GOOD["same_sign"], to=0.1)},
    {"agrees": first(GOOD["agrees"], to=-1.0)},
]
CASES = {
    "neurons": (10, 4, 4, 16, FORM),
    "patterns": (10, 4, 4, 16, [{"pattern_mass": np.array([0.135, 0.115, *[0.125] * 6])}]),
    "two-bits": (8, 2, 2, 3, [{"curve_margin_ratio": [0.96]}, {"off_support": first(np.zeros(4), to=0.1)}]),
    "three-bits": (8, 3, 3, 3, [{"curve_margin_ratio": [1.01]}, {"agrees": first(np.ones(8), to=-1.0)}]),
}


@pytest.mark.parametrize("claim", CASES)
def test_one_lane_decides(claim):
    n, k, degree, count, changes = CASES[claim]
    lanes = [parity(n, k, degree, seed) for seed in range(count)]
    assert verdict(STUDY, claim, lanes) == "holds"
    assert verdict(STUDY, claim, lanes[1:]) == "not enough runs"
    for spoiled in (*changes, {"diverged_step": 7}):
        assert verdict(STUDY, claim, [*lanes[1:], parity(n, k, degree, **spoiled)]) == "fails", spoiled


def test_a_quadratic_network_learns_nothing_where_others_learn():
    learned = [parity(seed=seed, curve_test_cross_entropy=[0.7, 0.002]) for seed in range(4)]
    quadratic = [parity(degree=2, seed=seed) for seed in range(4)]
    below = parity(degree=2, curve_test_cross_entropy=[0.7, 0.69314, 0.7])
    assert verdict(STUDY, "quadratic", [*learned, *quadratic]) == "holds"
    assert verdict(STUDY, "quadratic", [*learned, *quadratic[1:], below]) == "fails"
    assert verdict(STUDY, "quadratic", [*learned[1:], parity(seed=0), *quadratic]) == "fails"  # as before training
    assert verdict(STUDY, "quadratic", [*learned, *quadratic[1:]]) == "not enough runs"


def test_one_lane_of_sixteen_may_lag_but_none_may_exceed_the_maximum():
    lanes = [parity(seed=seed) for seed in range(16)]
    low, diverged, high = parity(curve_margin_ratio=[0.5]), parity(diverged_step=9), parity(curve_margin_ratio=[1.001])
    assert verdict(STUDY, "margin", lanes) == "holds"
    assert verdict(STUDY, "margin", [*lanes[1:], low]) == "holds"
    assert verdict(STUDY, "margin", [*lanes[1:], diverged]) == "holds"
    assert verdict(STUDY, "margin", [*lanes[2:], low, diverged]) == "fails"
    assert verdict(STUDY, "margin", [*lanes[1:], high]) == "fails"
    assert verdict(STUDY, "margin", lanes[1:]) == "not enough runs"


def test_only_the_largest_neurons_must_have_the_form():
    sizes = np.where(np.arange(16) < 8, 1.0, 0.3)
    stray = np.where(np.arange(16) < 8, 0.0, 0.5)
    lanes = [parity(seed=seed, neuron_size=sizes, off_support=stray) for seed in range(16)]
    assert verdict(STUDY, "neurons", lanes) == "holds"
