import pytest

from glassware.engine import choose_lanes, devices
from glassware.engine import device as device_module
from tests.helpers import tiny


def test_every_core_is_a_device():
    assert len(devices()) == device_module.cores()


@pytest.mark.parametrize("runs", [1, 2, 3, 7, 64, 100_000])
def test_lanes_are_level_over_the_devices_and_enough(runs):
    lanes, count = choose_lanes(tiny().shape(), runs), len(devices())
    each = lanes // count
    assert lanes == each * count
    assert each & (each - 1) == 0  # a power of two, so that sweeps of nearby sizes share programs
    assert lanes >= min(runs, count * device_module.CPU_LANES)
    assert each <= device_module.CPU_LANES


def test_lanes_stay_within_memory(monkeypatch):
    shape = tiny(model={"width": 10_000}).shape()
    monkeypatch.setattr(device_module, "memory", lambda: 5 * device_module.lane_bytes(shape))
    assert choose_lanes(shape, 1000) == 2 * len(devices())
    monkeypatch.setattr(device_module, "memory", lambda: 1)
    assert choose_lanes(shape, 1000) == len(devices())
