import json
import sys
import time

import jax
import numpy as np
import pytest

from glassware.engine import Speed, evaluation_flops, round_flops, step_flops, train
from glassware.sweeps import Experience, MeasureError, Store, estimate, grid, make_plan, sweep
from tests.helpers import TINY, tiny

MODULE = sys.modules["glassware.sweeps.estimate"]
EASY = {**TINY["evaluation"], "success": 1.0}


def forecast(runs, store=None, **options):
    plan = make_plan(runs, store)
    return estimate(plan.wanted, plan.todo, Experience(store), **options)


@pytest.fixture
def machine(monkeypatch):
    """A machine whose speed is a power of the size of a step, and the shapes it was measured with."""
    asked = []

    def speed(runs, lanes=None, engine="auto"):
        asked.append(runs[0].network.width)
        return Speed(1e3 * step_flops(runs[0]) ** 0.5, 2.0, "xla")

    monkeypatch.setattr(MODULE, "measure_speed", speed)
    return asked


def test_nothing_to_do_takes_no_time():
    empty = forecast([])
    assert (empty.at_most, empty.expected, empty.lines(), empty.measured) == (0, 0, [], ())


def test_work_and_time_of_runs_nobody_knows_are_the_worst_case(machine):
    runs = grid(TINY, {"m": [30, "online"]}, seeds=3)
    found = forecast(runs)
    shape = tiny()
    assert found.whole.runs == found.left.runs == 6
    assert found.whole.mean == found.whole.most
    assert found.whole.mean.steps == 6 * 60
    assert found.whole.mean.flops == pytest.approx(6 * (60 * step_flops(shape) + 7 * evaluation_flops(shape)))
    assert found.at_most == pytest.approx(6 * 7 * round_flops(shape) / (1e3 * step_flops(shape) ** 0.5))
    assert found.basis() == {"cell": 0, "neighbour": 0, "certain": 0, "worst": 1}
    assert len(found.cells) == 2
    assert found.axis == "m"
    assert [(value, line.runs) for value, line in found.lines()] == [(30, 3), ("online", 3)]


def test_early_stops_in_the_store_shorten_it(tmp_path, machine):
    runs = grid({**TINY, "evaluation": EASY, "steps": 6000}, {"m": [30, 40], "task.k": [2, 3]}, seeds=4)
    blind = forecast(runs)
    store = Store(tmp_path)
    sweep([run for run in runs if run.m == 30 and run.task.k == 3 and run.seed < 3], store, lanes=8)
    found = forecast(runs, store)
    assert (found.whole.runs, found.left.runs) == (16, 13)
    assert found.whole.most == blind.whole.most
    # One cell is known, one has a neighbour, two (k = 2) are not known at all.
    assert [cell.basis for cell in found.cells] == ["nothing", "cell", "nothing", "neighbour"]
    assert found.whole.mean.steps == pytest.approx(blind.whole.mean.steps / 2)
    assert found.whole.mean.seconds < 0.51 * found.whole.most.seconds
    assert found.expected < found.at_most
    basis = found.basis()
    assert sum(basis.values()) == pytest.approx(1)
    assert basis["worst"] > 0.99
    assert basis["cell"] == pytest.approx(basis["neighbour"]) != 0
    # The plan that a sweep makes before it starts gives the same answer about what is left.
    assert make_plan(runs, store).estimate().at_most == pytest.approx(found.at_most)
    assert make_plan(runs, store).estimate().expected == pytest.approx(found.expected)


@pytest.mark.parametrize(
    ("axes", "axis", "values"),
    [
        ({"model.width": [8, 4], "m": [30, 40]}, "width", [4, 8]),
        ({"optimiser.momentum": [None, 0.9], "init.scheme": ["dense", "sign"]}, "momentum", [0.9, None]),
        ({"loss": ["hinge", "square"]}, "loss", ["hinge", "square"]),
        ({"task.noise": [0.0, 0.1]}, "noise", [0.0, 0.1]),
        ({}, "width", [8]),
    ],
)
def test_a_table_is_made_along_whatever_varies(machine, axes, axis, values):
    found = forecast(grid({**TINY, "optimiser": {"name": "sgd", "lr": 0.1}}, axes, seeds=2))
    assert (found.axis, [value for value, _ in found.lines()]) == (axis, values)
    assert found.plain()["lines"][0][axis] == values[0]
    assert sum(line.runs for _, line in found.lines()) == found.whole.runs


def test_evaluations_that_become_rarer_cost_less(machine):
    often, rarely = (
        forecast([tiny(steps=10_000, evaluation={**TINY["evaluation"], "growth": growth})]) for growth in (None, 2.0)
    )
    looks = rarely.cells[0].run.evaluation.rounds(10_000) + 1
    assert looks < 20
    run = rarely.cells[0].run
    assert rarely.whole.mean.flops == pytest.approx(10_000 * step_flops(run) + looks * evaluation_flops(run))
    spared = (1001 - looks) * (round_flops(run) - 10 * step_flops(run)) / (1e3 * step_flops(run) ** 0.5)
    assert often.at_most - rarely.at_most == pytest.approx(spared)


def test_few_shapes_are_measured_and_the_others_lie_between(machine):
    widths = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
    found = forecast(grid(TINY, {"model.width": widths}))
    assert len(machine) == 6
    assert machine[0] == 1024  # the costliest comes first, should time run out
    assert machine[1] == 2
    for cell in found.cells:
        rounds, speed = 60 / 10 + 1, 1e3 * step_flops(cell.run) ** 0.5
        assert cell.mean.seconds == pytest.approx(rounds * round_flops(cell.run) / speed)
    assert found.compiling == 4 * 2.0
    assert [value for value, _ in found.lines()] == widths


def test_measuring_ends_when_its_time_is_up(machine, monkeypatch):
    monkeypatch.setattr(MODULE, "SECONDS", -1.0)
    found = forecast(grid(TINY, {"model.width": [4, 8, 16]}))
    assert machine == [16]
    assert found.compiling == 2 * 2.0


def test_a_shape_that_cannot_be_measured_is_left_to_the_others(monkeypatch):
    def exhausted(runs, lanes=None, engine="auto"):
        if runs[0].network.width > 8:
            raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory")
        return Speed(1e6, 1.0, "xla")

    monkeypatch.setattr(MODULE, "measure_speed", exhausted)
    found = forecast(grid(TINY, {"model.width": [8, 16]}))
    assert [one.shape.network.width for one in found.measured] == [8]
    assert found.cells[1].mean.seconds == pytest.approx(7 * round_flops(found.cells[1].run) / 1e6)
    with pytest.raises(MeasureError, match="cannot measure this machine: RESOURCE_EXHAUSTED"):
        forecast(grid(TINY, {"model.width": [16]}))


def test_a_forecast_is_plain_data(machine):
    found = json.loads(json.dumps(forecast(grid(TINY, {"model.width": [4, 8]}, seeds=2)).plain()))
    assert (found["runs"], found["todo"], found["axis"]) == (4, 4, "width")
    assert [line["width"] for line in found["lines"]] == [4, 8]
    assert found["left"]["at_most_seconds"] > 0
    assert [one["engine"] for one in found["measured"]] == ["xla", "xla"]
    assert found["measured"][0]["shape"] == "mlp of width 8 on parity with 20 inputs"


def test_the_real_machine_takes_about_as_long_as_forecast(tmp_path):
    """Half the runs are trained, the other half forecast from them, and then trained against the clock."""
    base = tiny(task={"n": 20, "k": 2}, model={"width": 32}, batch=32, steps=4000, evaluation={"test": 500})
    runs = grid(base, {"m": [50, 400]}, seeds=64)
    store = Store(tmp_path)
    sweep([run for run in runs if run.seed % 2], store)
    said = []
    plan = make_plan(runs, store)
    found = estimate(plan.todo, plan.todo, Experience(store), on_measure=said.append)
    assert said == ["measuring mlp of width 32 on parity with 20 inputs"]
    started = time.perf_counter()
    steps = sum(outcome.steps_taken for outcome in train(plan.todo.values()))
    seconds = time.perf_counter() - started
    assert found.whole.runs == 64
    assert found.basis()["cell"] == pytest.approx(1)
    assert steps == pytest.approx(found.whole.mean.steps, rel=0.35)
    assert abs(np.log(seconds / found.expected)) < np.log(4)  # others may use this machine meanwhile
    print(f"forecast {found.expected:.2f} s, took {seconds:.2f} s, {steps} of {found.whole.mean.steps} steps")
