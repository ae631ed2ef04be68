"""What the first step leaves of a neuron: claims on rows we choose."""

import math

import pytest

from glassware.studies.leaky.first_step import STUDY
from glassware.theory.leaky.first_step import good_probability
from tests.studies.judged import verdict

STEP = {"n": 101, "k": 3, "q": 1000, "m": 20_000, "seed": 1, "good": 260, "alpha": 0.26, "alpha_low": 0.25,
        "alpha_high": 0.4, "alpha_closed": 0.26, "off_rms": 0.0053, "off_largest": 0.0,
        "bias_largest": 0.0}  # fmt: skip


def steps(*changes):
    return [{**STEP, "seed": i, **change} for i, change in enumerate(changes)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [({}, "holds"), ({"off_largest": 1e-9}, "fails"), ({"bias_largest": 1e-9}, "fails"), ({"alpha_low": 0.0}, "fails")],
)
def test_an_exact_step_leaves_nothing_but_alpha(change, expected):
    assert verdict(STUDY, "exact-zero", steps({"m": 0}, {"m": -1, **change})) == expected
    assert verdict(STUDY, "exact-zero", steps(change)) == "not enough runs"  # sampled steps do not count


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [((0.99, 1.0, 1.01), "holds"), ((1.0, 1.04, 1.08), "too close to call"), ((1.2, 1.21, 1.22), "fails")],
)
def test_alpha_is_as_computed_for_every_k(ratios, expected):
    rows = steps(*({"alpha": 0.26 * ratio} for ratio in ratios), {"k": 5}, {"k": 5})
    assert verdict(STUDY, "alpha", rows) == expected


@pytest.mark.parametrize(
    ("change", "expected"), [({}, "holds"), ({"alpha_low": 0.24}, "fails"), ({"alpha_high": 1.1}, "fails")]
)
def test_one_network_beyond_the_printed_alpha_is_enough(change, expected):
    assert verdict(STUDY, "alpha-printed", steps({"m": 0}, {"m": 0, **change})) == expected


@pytest.mark.parametrize(
    ("factor", "networks", "expected"),
    [(1.0, 3, "holds"), (0.75, 3, "too close to call"), (1.0, 0.05, "too close to call"), (1.6, 3, "fails"),
     (0.0, 3, "fails")],
)  # fmt: skip
def test_how_many_neurons_are_good(factor, networks, expected):
    q = round(1000 * networks)
    assert verdict(STUDY, "good-share", steps({"q": q, "good": round(q * factor * good_probability(3))})) == expected


def test_neurons_are_counted_once_whatever_the_samples():
    same = [{"q": 50, "good": 13, "m": m, "seed": 7} for m in range(1, 100)]
    assert verdict(STUDY, "good-share", steps(*same)) == "too close to call"


@pytest.mark.parametrize(
    ("factor", "width", "expected"),
    [(1.0, 0.1, "holds"), (1.4, 0.2, "too close to call"), (2.0, 0.1, "fails"), (0.0, 0.0, "fails")],
)
def test_the_size_of_the_noise(factor, width, expected):
    usual = 0.75 / math.sqrt(20_000)
    rows = steps(*({"off_rms": usual * (factor + shift * width)} for shift in (-1, 0, 1)))
    assert verdict(STUDY, "noise", rows) == expected


@pytest.mark.parametrize(
    ("power", "tilt", "expected"),
    [(-0.5, 0.01, "holds"), (-0.46, 0.02, "too close to call"), (-0.25, 0.01, "fails"), (0.0, 0.01, "fails")],
)
def test_how_the_noise_falls(power, tilt, expected):
    rows = [
        {**STEP, "seed": seed, "m": m, "off_rms": m ** (power + tilt * (seed - 1))}
        for seed in range(3)
        for m in (2000, 20_000, 200_000)
    ]
    assert verdict(STUDY, "noise-slope", rows) == expected
    assert verdict(STUDY, "noise-slope", [row for row in rows if row["m"] > 2000]) == "not enough runs"
