"""Runs that the memory cannot hold are set aside: all others are trained and kept, then one sentence names them."""

import pytest

from glassware.engine import device as device_module
from glassware.engine import lanes as lanes_module
from glassware.engine import train
from glassware.engine.choice import program
from glassware.engine.device import fits, level_lanes
from glassware.foundation.errors import GlasswareError
from glassware.models import Readout
from glassware.sweeps import Store, grid, sweep
from glassware.sweeps.estimate import MeasureError, estimate
from glassware.sweeps.experience import Experience
from tests.helpers import TINY, findings, tiny

HUGE = tiny(model={"width": [100_000, 100_000]})


def test_a_lane_fits_or_not():
    assert fits(tiny())
    assert not fits(HUGE)
    assert not fits(tiny(task={"n": 4096, "k": 3}, evaluation={"every": 10, "test": 10_000_000}))


def test_what_is_solved_fits_or_not(monkeypatch):
    readout = tiny(m=100, model=Readout(network={"name": "mlp", "width": 4000}))
    kernel = tiny(m=1000, model={"name": "kernel-ridge", "kernel": "rbf"})
    monkeypatch.setattr(device_module, "_host_memory", lambda: 10**8)
    assert fits(kernel)
    assert not fits(readout)
    with pytest.raises(GlasswareError, match="a single readout"):
        list(train([readout]))


def test_the_others_of_a_sweep_are_trained_first(tmp_path):
    runs = grid(TINY, {"model.width": [8, [100_000, 100_000], 9, [90_000, 100_000]]}, seeds=2)
    said = r"^4 runs do not fit in the device's memory, .*: mlp of width \(100000, 100000\) .*\(90000.*; all others are"
    with pytest.raises(GlasswareError, match=said):
        sweep(runs, tmp_path)
    assert sorted(Store(tmp_path).read()["width"]) == [8, 8, 9, 9]


@pytest.mark.parametrize("engine", ["xla", "auto"])
def test_memory_that_numpy_lacks_costs_lanes_and_then_the_run(monkeypatch, engine):
    asked = []

    def small(shape, lanes, *more):
        asked.append(lanes)
        if lanes > 4 or shape.model.width == 9:
            raise MemoryError("Unable to allocate 74.5 GiB for an array")
        return program(shape, lanes, *more)

    monkeypatch.setattr(lanes_module, "program", small)
    runs, found = grid(TINY, {"model.width": [8, 9]}, seeds=6), []
    with pytest.raises(GlasswareError, match="a single mlp of width 9 on parity"):
        found.extend(train(runs, lanes=8, engine=engine))
    assert {outcome.run for outcome in found} == {run for run in runs if run.model.width == 8}
    assert min(asked) <= 4 < max(asked)


def test_a_run_whose_values_do_not_fit_is_not_lost(monkeypatch):
    whole, failures = type(tiny()).values, iter([False, False, True])

    def values(run, load=None):
        if run.steps == 60 and next(failures, False):
            raise MemoryError
        return whole(run, load)

    runs = grid(TINY, seeds=6)
    expected = findings(train(runs))
    monkeypatch.setattr(type(tiny()), "values", values)
    assert findings(train(runs, lanes=8)) == expected


def test_so_many_lanes_as_asked_for_unless_the_memory_is_smaller(monkeypatch):
    count = len(device_module.devices())
    assert level_lanes(tiny(), 8) == -(-8 // count) * count
    monkeypatch.setattr(device_module, "memory", lambda: 3 * device_module.lane_bytes(tiny()))
    assert level_lanes(tiny(), 2**20) == 3 * count


def test_an_estimate_leaves_them_out_or_says_so():
    runs = {"a": tiny(), "b": HUGE}
    (one,) = estimate(runs, runs, Experience(None)).measured
    assert one.shape == tiny().shape()
    with pytest.raises(MeasureError, match=r"a single mlp of width \(100000, 100000\) .* does not fit"):
        estimate({"b": HUGE}, {"b": HUGE}, Experience(None))
