import numpy as np
import pytest

from glassware.models import GroupNet
from glassware.studies.margins.memorising_start import NOISES, STUDY, best_scale, runs
from glassware.tasks import GroupMultiplication
from glassware.theory.margins.optimum import max_margin, memorising_margin
from tests.studies.judged import verdict
from tests.studies.margins.lanes import diverged, lane, table

GAMMA = max_margin(GroupMultiplication(group="Z_7").structure).margin
START = memorising_margin(7) / GAMMA
FLAT = [2 / 7] * 3


def run(noise, first=START, last=1.0, power=FLAT, end=1.0):
    return lane(
        "Z_7", 0.02 * GAMMA, noise=noise, curve_margin_ratio=[first, 0.9, last],
        curve_weighted_power=[list(power), [0.9] * 3, [end] * 3],
    )  # fmt: skip


def rows(odd=None):
    return [run(0.0), *(run(noise) for noise in NOISES[1:] for _ in range(5))][: None if odd is None else -1] + (
        [] if odd is None else [odd]
    )


def judged(claim, made):
    return verdict(STUDY, claim, table(made))


def test_both_hold():
    assert judged("d4-dense", rows()) == judged("d4-left", rows()) == "holds"
    assert judged("d4-left", rows()[:-1]) == "not enough runs"
    assert judged("d4-left", rows()[1:]) == judged("d4-dense", rows()[1:]) == "not enough runs"


@pytest.mark.parametrize(
    "odd", [run(0.1, last=0.99), run(0.1, end=0.9), diverged(run(0.1)), run(0.1, last=START), run(0.1, first=1.0)]
)
def test_one_lane_that_stays_fails(odd):
    assert judged("d4-left", rows(odd)) == "fails"


@pytest.mark.parametrize("odd", [run(0.0, first=0.45), run(0.0, power=[1.0, 1.0, 1.0])])
def test_another_start_is_not_the_memorising_network(odd):
    assert judged("d4-dense", [odd, *rows()[1:]]) == "fails"


def test_the_best_scale_has_the_smallest_objective():
    lam, pairs = 0.02 * GAMMA, 98
    scales = best_scale("Z_7", lam) * np.array([0.99, 1.0, 1.01])
    objective = np.log1p(6 * np.exp(-4 * scales**3)) + lam * pairs * 3**1.5 * scales**3
    assert np.argmin(objective) == 1


def test_one_lane_without_noise():
    made = runs("laptop", None, table([]))
    assert [sum(run.model.noise == noise for run in made) for noise in NOISES] == [1, 5, 5]
    assert all(isinstance(run.model, GroupNet) and run.model.begins == "memorising" for run in made)
