import numpy as np
import pytest

from glassware.studies.margins.modular_addition import STUDY
from glassware.studies.margins.modular_addition_figures import interpolate
from tests.studies.margins.made import cyclic, first, verdict

GOOD = cyclic(23)
RELU = cyclic(23, "relu")
ONE_IMPURE = first(GOOD["power_w"], to=0.9)

# A claim, the lanes it needs, and changes of one lane that must make it fail.
CASES = {
    "13-margin": (13, "square", 20_000, 8, [{"margin_ratio": 0.998}, {"margin_ratio": 1.001}]),
    "13-loss": (13, "square", 20_000, 8, [{"test_cross_entropy": 0.0163}]),
    "13-one-frequency": (
        13, "square", 20_000, 8,
        [{"weighted_power": [1.0, 1.0, 0.99]}, {"irrep_v": first(cyclic(13)["irrep_v"], to=5.0)}],
    ),
    "23-margin": (23, "square", 20_000, 5, [{"margin_ratio": 0.99}]),
    "23-loss": (23, "square", 20_000, 5, [{"test_cross_entropy": 0.0385}]),
    "23-one-frequency": (
        23, "square", 20_000, 5, [{"power_w": ONE_IMPURE}, {"irrep_w": first(GOOD["irrep_w"], to=5.0)}],
    ),
    "23-form": (
        23, "square", 20_000, 5,
        [{"phase_defect": first(GOOD["phase_defect"], to=-0.02)}, {"balance": first(GOOD["balance"], to=1.02)}],
    ),
    "23-relu-powers": (
        23, "relu", 20_000, 3,
        [{"power_u": GOOD["power_u"]}, {"power_u": 0.89 * GOOD["power_u"]}, {"test_error": 0.01},
         {"power_u": np.where(np.arange(44) < 42, 0.92, 1.0)}],
    ),
    "23-relu-form": (
        23, "relu", 20_000, 3,
        [{"power_w": RELU["power_u"]}, {"w_over_u": GOOD["balance"]}, {"phase_defect": GOOD["power_u"]}],
    ),
    "71-short": (71, "square", 5000, 3, [{"margin_ratio": 0.7}, {"power_u": first(cyclic(71)["power_u"], to=0.9)}]),
    "71-short-relu": (71, "relu", 5000, 3, [{"power_u": np.ones(140)}]),
    "71-margin": (71, "square", 40_000, 5, [{"margin_ratio": 0.9}, {"test_cross_entropy": 0.26}]),
    "71-one-frequency": (71, "square", 40_000, 5, [{"power_u": first(cyclic(71)["power_u"], to=0.98)}]),
    "71-relu-powers": (71, "relu", 40_000, 5, [{"power_u": 0.8 * np.ones(140)}]),
}  # fmt: skip
START = {"23-start": (23, 20_000, 4), "71-start": (71, 5000, 3)}


@pytest.mark.parametrize("claim", CASES)
def test_one_lane_decides(claim):
    p, activation, steps, count, changes = CASES[claim]
    lanes = [cyclic(p, activation, steps, seed) for seed in range(count)]
    assert verdict(STUDY, claim, lanes) == "holds"
    assert verdict(STUDY, claim, lanes[1:]) == "not enough runs"
    for spoiled in (*changes, {"diverged_step": 7}):
        assert verdict(STUDY, claim, [*lanes[1:], cyclic(p, activation, steps, **spoiled)]) == "fails", spoiled


def test_a_dead_neuron_may_be_impure():
    small = first(GOOD["neuron_size"], to=0.05)
    lanes = [cyclic(23, seed=seed, power_w=ONE_IMPURE, neuron_size=small) for seed in range(5)]
    assert verdict(STUDY, "23-one-frequency", lanes) == "holds"


@pytest.mark.parametrize("claim", START)
def test_the_start_is_spread_out(claim):
    p, steps, count = START[claim]
    lanes = [cyclic(p, name, steps, seed) for name in ("square", "relu") for seed in range(count)]
    assert verdict(STUDY, claim, lanes) == "holds"
    assert verdict(STUDY, claim, lanes[1:]) == "not enough runs"
    assert verdict(STUDY, claim, [*lanes[1:], cyclic(p, steps=steps, first_power=lanes[0]["power_v"])]) == "fails"


@pytest.mark.parametrize(("p", "steps"), [(23, 20_000), (71, 5000), (71, 40_000)])
def test_the_square_network_is_purer(p, steps):
    square = [cyclic(p, steps=steps, seed=seed) for seed in range(3)]
    relu = [cyclic(p, "relu", steps, seed) for seed in range(3)]
    alike = [{**row, "power_u": 0.98 * row["power_w"] / row["power_w"]} for row in relu]
    claim = f"{p}-contrast"
    assert verdict(STUDY, claim, square + relu) == "holds"
    assert verdict(STUDY, claim, square + alike) == "fails"
    assert verdict(STUDY, claim, square) == "not enough runs"
    assert verdict(STUDY, claim, [{**square[0], "diverged_step": 3}, *square[1:], *relu]) == "fails"


def test_the_curve_goes_through_the_dots_and_is_band_limited():
    u = np.random.default_rng(0).standard_normal(13)
    np.testing.assert_allclose(interpolate(u, np.arange(13)), u, atol=1e-12)
    wave = np.cos(2 * np.pi * 3 * np.arange(13) / 13)
    np.testing.assert_allclose(interpolate(wave, np.array([0.5])), np.cos(2 * np.pi * 3 * 0.5 / 13), atol=1e-12)
