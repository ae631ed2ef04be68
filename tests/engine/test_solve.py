import numpy as np
import pytest

from glassware.engine import solve, train
from glassware.sweeps import Store, make_plan, sweep
from glassware.sweeps.validation import build
from tests import reference
from tests.helpers import tiny


def machine(**changes):
    kernel = {"name": "kernel-ridge", "kernel": "rbf", **changes.pop("kernel", {})}
    return build({"task": {"n": 12, "k": 2}, "m": 150, "model": kernel, "evaluation": {"test": 3000}, **changes})


@pytest.mark.parametrize("kernel", [{}, {"kernel": "ntk"}, {"kernel": "ntk", "bias": True}])
@pytest.mark.parametrize("task", [{"n": 12, "k": 2}, {"n": 40, "k": 3, "noise": 0.2}])
def test_it_solves_on_the_examples_a_network_would_see(kernel, task):
    run = machine(kernel=kernel, task=task, seed=3)
    found = solve(run)
    x, y = reference.example(run, np.arange(150, dtype=np.uint32))
    coefficients = run.model.fit(x, y)
    test_x, test_y = reference.held_out(run)
    error = np.mean(test_y * run.model.predict(coefficients, x, test_x) <= 0)
    assert found.curves["test_error"] == [pytest.approx(error, abs=1e-3)]  # a tie may fall either way
    assert found.curves["train_error"] == [0.0]
    assert found.curves["step"] == [0]
    assert (found.steps_taken, found.diverged_step) == (0, None)
    assert (found.success_step == 0) == (error <= 0.1)
    assert found.flops > 150**3 / 3


def test_success_is_the_runs_own_threshold():
    error = solve(machine()).curves["test_error"][0]
    assert solve(machine(evaluation={"test": 3000, "success": error})).success_step == 0
    assert solve(machine(evaluation={"test": 3000, "success": error - 0.01})).success_step is None


def test_machines_and_networks_go_in_one_sweep(tmp_path):
    runs = [machine(seed=0), tiny(), machine(seed=1), machine(seed=0, steps=500)]
    watched = []
    assert sorted(o.run.model.name for o in train(runs[:3], on_chunk=watched.append)) == ["kernel-ridge"] * 2 + ["mlp"]
    assert [chunk.steps for chunk in watched[:2]] == [0, 0]
    frame = sweep(runs, Store(tmp_path))
    assert frame["model"].to_list() == ["kernel-ridge", "mlp", "kernel-ridge"]  # the last names the first again
    assert frame["kernel"].to_list() == ["rbf", None, "rbf"]
    assert frame["width"].to_list() == [None, 8, None]
    assert frame["steps"].to_list() == [None, 60, None]
    assert frame["train_size"][0] == 150
    assert sweep(runs, Store(tmp_path)).equals(frame, null_equal=True)


def test_a_plan_counts_its_work_but_no_steps():
    plan = make_plan([machine(), tiny()], None)
    assert plan.steps == 60
    assert make_plan([machine()], None).estimate().at_most > 0
    assert make_plan([machine()], None).steps == 0
