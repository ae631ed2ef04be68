from glassware.engine import measure_speed
from glassware.sweeps import make_plan
from tests.helpers import tiny


def test_speed_is_measured_with_the_program_that_trains():
    speed = measure_speed([tiny(seed=seed) for seed in range(2)])
    assert 1e3 < speed.flops < 1e15
    assert 0 < speed.step_seconds < 1e-3


def test_an_estimate_grows_with_the_work():
    runs = lambda steps: [tiny(seed=seed, steps=steps) for seed in range(2)]
    assert make_plan([], None).estimate() == 0
    few, many = (make_plan(runs(steps), None).estimate() for steps in (100, 1_000_000))
    assert 0 < few < many
