"""The theorem's own schedule: claims on rows we choose."""

import polars as pl
import pytest

from glassware.studies.leaky.theorem_schedule import SCHEDULES, STUDY, drift, followed
from glassware.theory.leaky.distributions import majority_agreement
from glassware.theory.leaky.network import theorem_decay, theorem_rate
from glassware.theory.leaky.readout import drift_bounds
from tests.studies.judged import verdict

FAST, AGREE = "500 times the rate", majority_agreement(3)


def run_of(schedule="theorem", uniform=AGREE, leaking=1.0, moved=0.5, q=100):
    """A run on one of the schedules, whose neurons went so far of the bound at its last record."""
    _, factor, regularised = next(row for row in SCHEDULES if row[0] == schedule)
    eta, lam = factor * theorem_rate(3, q, 1000), theorem_decay(31, 3) if regularised else 0.0
    return {"n": 31, "k": 3, "half": q, "steps": 1000, "lr": eta, "penalty": "[lambda]" if regularised else None,
            "curve_step": [0, 1000], "curve_uniform": [0.2, uniform], "curve_leaking": [0.9, leaking],
            "curve_readout_size": [0.0, 0.0], "curve_bias_moved": [0.0, 1e-9],
            "curve_neuron_moved": [0.0, moved * drift_bounds(1001, eta, lam, 31, 3).w]}  # fmt: skip


def judged(claim, *runs):
    return verdict(STUDY, claim, pl.DataFrame(list(runs), schema_overrides={"penalty": pl.String}))


def test_the_smoke_runs_obey_the_bounds_and_stay_at_the_majority(smoke):
    _, rows = smoke(STUDY)
    assert verdict(STUDY, "drift", rows) == "holds"
    found = followed(rows)
    assert found["recipe"].to_list() == [name for name, *_ in SCHEDULES]
    assert abs(found["uniform"][0] - AGREE) <= 0.1


@pytest.mark.parametrize("schedule", ["theorem", "theorem, regularised"])
def test_as_stated_needs_every_run(schedule):
    assert judged("as-stated", run_of(uniform=1.0), run_of(schedule, uniform=0.99)) == "holds"
    assert judged("as-stated", run_of(uniform=1.0), run_of(schedule, uniform=0.9)) == "fails"
    assert judged("as-stated", run_of(FAST, uniform=1.0)) == "not enough runs"


@pytest.mark.parametrize("schedule", ["theorem", "theorem, regularised"])
@pytest.mark.parametrize(
    ("off", "width", "leaking", "expected"),
    [(0.0, 0.01, 1.0, "holds"), (0.02, 0.02, 1.0, "too close to call"), (0.1, 0.01, 1.0, "fails"),
     (0.25, 0.01, 1.0, "fails"), (0.0, 0.01, 0.9, "fails")],
)  # fmt: skip
def test_the_majority_on_both_schedules(schedule, off, width, leaking, expected):
    other = next(name for name, *_ in SCHEDULES[:2] if name != schedule)
    near = [run_of(other, AGREE + d) for d in (-0.01, 0.0, 0.01)]
    assert (
        judged("majority", *near, *(run_of(schedule, AGREE + off + d * width, leaking) for d in (-1, 0, 1))) == expected
    )


@pytest.mark.parametrize(
    ("levels", "expected"),
    [((1.0, 1.0, 0.999), "holds"), ((1.0, 1.0, 0.98), "too close to call"), ((0.25, 0.26, 0.24), "fails")],
)
def test_a_larger_rate(levels, expected):
    assert judged("larger-rate", *(run_of(FAST, level) for level in levels)) == expected
    assert judged("larger-rate", run_of(uniform=1.0)) == "not enough runs"


@pytest.mark.parametrize("schedule", [name for name, *_ in SCHEDULES])
@pytest.mark.parametrize(("moved", "expected"), [(0.5, "holds"), (1.1, "fails"), (0.0, "fails")])
def test_weights_move_and_stay_within_the_bound(schedule, moved, expected):
    assert judged("drift", run_of(), run_of(schedule, moved=moved)) == expected
    still = {**run_of(schedule), "curve_bias_moved": [0.0, 0.0]}
    assert judged("drift", run_of(), still) == "fails"


@pytest.mark.parametrize("part", ["readout_size", "neuron_moved", "bias_moved"])
def test_every_part_of_the_drift_counts(part):
    run = {**run_of(), f"curve_{part}": [0.0, 1e6]}
    assert drift(run)[0] == 0 < 1 < drift(run)[1]


@pytest.mark.parametrize(
    ("levels", "expected"),
    [((0.25, 0.4, 0.9), "holds"), ((0.25, 0.25, 0.26), "too close to call"), ((0.25, 0.25, 0.1), "fails"),
     ((0.25, 0.9, 0.6), "fails")],
)  # fmt: skip
def test_width_helps(levels, expected):
    runs = [run_of(q=q, uniform=u + d) for q, u in zip((10, 20, 30), levels, strict=True) for d in (-0.01, 0.0, 0.01)]
    assert judged("width", *runs) == expected
    assert judged("width", *runs[:6]) == "not enough runs"
