import itertools
import time
from types import SimpleNamespace

import pytest

from glassware.engine import evaluation_flops, measure_speed, round_flops, step_flops, train
from glassware.engine import speed as speed_module
from glassware.engine.choice import program
from glassware.engine.device import devices
from glassware.engine.program import Program
from tests.helpers import TINY, tiny


@pytest.fixture(autouse=True)
def _nothing_compiled():
    program.cache_clear()
    yield
    program.cache_clear()


def test_speed_is_measured_with_the_program_that_trains():
    speed = measure_speed([tiny(seed=seed) for seed in range(2)], engine="xla")
    assert 1e3 < speed.flops < 1e15
    assert speed.engine == "xla"
    assert program.cache_info().currsize == 1
    list(train([tiny(seed=seed) for seed in range(2)], engine="xla"))
    assert program.cache_info().currsize == 1  # compiled once


def test_runs_that_would_end_at_once_go_on_while_they_are_timed(monkeypatch):
    whole, steps = Program.advance, []

    def watched(*args):
        state, records = whole(*args)
        steps.append(int(state.t.max()))
        return state, records

    monkeypatch.setattr(Program, "advance", watched)
    monkeypatch.setattr(speed_module, "SECONDS", float("inf"))  # on a busy machine too
    over = [tiny(seed=seed, steps=10, evaluation={**TINY["evaluation"], "success": 1.0}) for seed in range(2)]
    measure_speed(over, engine="xla")
    assert steps[:3] == [0, 10, 20]


def test_runs_that_diverge_at_once_are_measured_too():
    wild = {"name": "sgd", "lr": 1e30, "weight_decay": 0.01}
    lost = [tiny(seed=seed, loss="square", optimiser=wild) for seed in range(2)]
    assert 1e3 < measure_speed(lost, engine="xla").flops < 1e13


def test_a_wide_network_is_measured_in_a_moment():
    """A round of all lanes would be 6e14 operations, an hour here."""
    wide = tiny(task={"n": 50, "k": 3}, model={"width": 100_000}, batch=32, steps=500, evaluation={"every": 500})
    assert 64 * round_flops(wide) > 2e13
    started = time.perf_counter()
    speed = measure_speed([wide.model_copy(update={"seed": seed}) for seed in range(64)])
    assert time.perf_counter() - started < 20
    assert 1e9 < speed.flops < 1e14
    assert program.cache_info().currsize == 1


def test_a_screen_spares_most_of_an_evaluation():
    full, screened = (tiny(evaluation={"every": 10, "test": 1000, "screen": screen}) for screen in (0, 100))
    spared = full.network.forward_flops(full.task, 900)
    assert round_flops(full) - round_flops(screened) == spared


def test_rounds_that_grow_are_counted_as_long_as_they_are(monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr(speed_module, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    monkeypatch.setattr(speed_module, "SECONDS", float("inf"))
    grown = tiny(steps=1000, evaluation={**TINY["evaluation"], "every": 10, "growth": 2.0})
    speed = measure_speed([grown], lanes=1, engine="xla")
    lanes = len(devices())
    # Five rounds, one second each, that end at steps 10, 20, 40, 80 and 160.
    assert speed.flops * 5 == pytest.approx(lanes * (160 * step_flops(grown) + 5 * evaluation_flops(grown)))
