import numpy as np
import pytest

from glassware.training import Constant, Cosine, Doubling, WarmUp
from tests import reference
from tests.helpers import tiny, weights_along


def factors(schedule, *steps):
    return [float(schedule.factor(schedule.values(), t)) for t in steps]


def test_factors_at_chosen_steps():
    assert factors(Constant(), 0, 10**6) == [1, 1]
    assert factors(WarmUp(warm_up=4), 0, 1, 3, 4, 1000) == [0.25, 0.5, 1, 1, 1]
    assert factors(Doubling(at=(10, 20)), 0, 9, 10, 19, 20, 1000) == [1, 1, 2, 2, 4, 4]
    assert factors(Doubling(at=(3,), by=0.1), 2, 3) == pytest.approx([1, 0.1])
    whole = Cosine(steps=100)
    assert factors(whole, 0, 25, 50, 100, 5000) == pytest.approx([1, (1 + 0.5**0.5) / 2, 0.5, 0, 0], abs=1e-6)
    warm = Cosine(steps=100, warm_up=20, floor=0.1)
    assert factors(warm, 0, 9, 19, 20, 60, 100) == pytest.approx([0.05, 0.5, 1, 1, 0.55, 0.1], abs=1e-6)


CASES = {
    "cosine": ({"name": "cosine", "steps": 40, "warm_up": 10, "floor": 0.2}, lambda t: (
        min(1, (t + 1) / 10) * (0.2 + 0.4 * (1 + np.cos(np.pi * np.clip((t - 10) / 30, 0, 1))))
    )),
    "doubling": ({"name": "doubling", "at": [20, 35]}, lambda t: 2.0 ** ((t >= 20) + (t >= 35))),
    "warm-up": ({"name": "warm-up", "warm_up": 30}, lambda t: min(1, (t + 1) / 30)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_fifty_steps_are_those_of_a_plain_loop(case):
    schedule, factor = CASES[case]
    optimiser = {"name": "sgd", "lr": 0.2, "weight_decay": 0.05, "schedule": schedule}
    run = tiny(m=100, steps=50, optimiser=optimiser)
    params, constant = reference.start(run), reference.start(run)
    for p, g in (
        (params, reference.gradients_along(run, params)),
        (constant, reference.gradients_along(run, constant)),
    ):
        for t, gradient in enumerate(g):
            size = 0.2 * (factor(t) if p is params else 1.0)
            p[:] = [x - size * (d + 0.05 * x) for x, d in zip(p, gradient, strict=True)]
    for ours, plain, other in zip(weights_along(run), params, constant, strict=True):
        np.testing.assert_allclose(ours[-1], plain, atol=1e-4)
        assert np.abs(plain - other).max() > 1e-3


def test_steps_of_a_schedule_are_lane_values():
    shape = lambda **schedule: tiny(optimiser={"name": "sgd", "lr": 0.1, "schedule": schedule}).shape()
    assert shape(name="cosine", steps=10) == shape(name="cosine", steps=90, warm_up=3, floor=0.5)
    assert shape(name="doubling", at=[3, 4]) == shape(name="doubling", at=[5, 9], by=3)
    kinds = [shape(name="doubling", at=[3]), shape(name="doubling", at=[3, 4]), shape(name="constant")]
    assert len({*kinds, shape(name="warm-up", warm_up=3), tiny().shape()}) == 4  # constant is the default
