import dataclasses
import functools

import numpy as np

from glassware.engine import train
from glassware.sweeps import run_id
from glassware.sweeps.identity import spec_json
from glassware.sweeps.rows import CIRCUMSTANCES, CURVE_POINTS, SCHEMA, frame, row
from tests.helpers import tiny


@functools.cache
def trained():
    (outcome,) = train([tiny(m=7, seed=3)])
    return outcome


def made(points=3, **final):
    """A trained outcome with made curves of so many points."""
    curves = {name: np.arange(points, dtype=np.float32) for name in ("test_error", "train_error", "loss")}
    return dataclasses.replace(trained(), curves={"step": 10 * np.arange(points), **curves}, final=final)


def test_a_row_says_what_was_run_and_what_came_of_it():
    (outcome,) = train([tiny(seed=2, m=40, init={"scheme": "sparse"})])
    found = row(outcome)
    assert {name for name in SCHEMA if name not in found} == {"kernel"}  # a network has none
    expected = {"id": run_id(outcome.run), "spec": spec_json(outcome.run), "n": 20, "k": 3, "m": 40, "width": 8,
                "depth": 1, "init": "sparse", "s": 2, "eps": 0.0, "lr": 0.1, "weight_decay": 0.01, "batch": 8,
                "seed": 2, "steps_taken": 60, "success": False, "steps_to_success": None,
                "diverged_step": None}  # fmt: skip
    assert {name: found[name] for name in expected} == expected
    assert found["support"] == outcome.run.task.hidden_support(outcome.run.key())
    assert found["test_error"] == found["curve_test_error"][-1]
    assert frame([found]).columns[: len(SCHEMA)] == list(SCHEMA)


def test_online_and_never_are_null():
    (outcome,) = train([tiny()])
    table = frame([row(outcome)])
    assert table.select("m", "s", "eps", "steps_to_success", "diverged_step").row(0) == (None,) * 5


def test_a_run_that_needs_no_step_has_no_averages_over_steps():
    """Whatever is examined succeeds at an error of 1: at step 0, before the first minibatch."""
    for engine in ("auto", "xla"):
        (outcome,) = train([tiny(evaluation={"every": 10, "test": 100, "success": 1.0})], engine=engine)
        found = row(outcome)
        assert found["steps_taken"] == 0
        table = frame([found])
        assert table.select("train_error", "final_loss").row(0) == (None, None)
        assert 0 < table["test_error"].item() < 1
    (outcome,) = train([tiny(m=30, evaluation={"every": 10, "test": 100, "train": 30, "success": 1.0})])
    assert 0 <= row(outcome)["train_error"] <= 1  # measured, not averaged


def test_a_long_curve_is_thinned_and_keeps_its_ends():
    for points in (1, CURVE_POINTS, CURVE_POINTS + 1, 3 * CURVE_POINTS + 2):
        found = row(made(points))
        kept = [int(i) for i in found["curve_test_error"]]
        assert len(kept) <= CURVE_POINTS + 1
        assert (kept[0], kept[-1]) == (0, points - 1)
        assert found["curve_step"].tolist() == [10 * i for i in kept]
        assert found["test_error"] == points - 1


def test_final_probes_become_columns_of_lists():
    table = frame([row(made()), row(made(neuron_norms=np.float32([1, 2])))])
    assert table["neuron_norms"].to_list() == [None, [1, 2]]


def test_the_largest_seed_fits():
    rows = [{**row(made()), "seed": seed} for seed in (0, 2**63, 2**64 - 1)]
    assert frame(rows)["seed"].to_list() == [0, 2**63, 2**64 - 1]


def test_circumstances_are_columns():
    assert set(CIRCUMSTANCES) <= set(SCHEMA)
