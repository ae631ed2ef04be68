"""Training after the first step: the runs, and claims on rows we choose."""

import numpy as np
import polars as pl
import pytest

from glassware.studies.leaky.training import STUDY, trained
from glassware.theory.leaky.distributions import majority_agreement
from tests.studies.judged import verdict


def test_runs_go_on_from_their_first_step_with_its_hidden_set_and_other_examples(smoke):
    store, rows = smoke(STUDY)
    first, last = rows.filter(steps=1), rows.filter(pl.col("start_run").is_not_null())
    assert last["start_run"].to_list() == first["id"].to_list()
    assert last["support"].to_list() == first["support"].to_list()
    one, other = (stage("smoke", None, rows) for stage in STUDY.stages)
    assert len(one) == 2 > len(other) == 1
    assert not np.array_equal(one[0].key(), other[0].key())
    after, before = first["curve_uniform"][0][-1], last["curve_uniform"][0][0]
    assert after == before  # the same network on the same held-out examples
    kept = store.weights(first["id"][0])
    assert kept["0.w"].shape == (15, 120)


def test_the_smoke_run_learns_the_leak_and_is_on_its_way_to_the_parity(smoke):
    runs = trained(smoke(STUDY)[1])
    network, alone = (runs.filter(variant=name).row(0, named=True) for name in ("network", "no first step"))
    assert network["curve_leaking"][-1] >= 0.99
    assert network["uniform"] > max(0.5, majority_agreement(3) + 0.2)
    assert alone["uniform"] < network["uniform"]


def run_of(variant="network", uniform=(0.25, 0.5, 1.0), leaking=(0.9, 1.0, 1.0), q=100, k=3):
    return {"n": 31, "k": k, "half": q, "copies": "printed" if variant == "printed pairing" else "corrected",
            "start_run": None if variant == "no first step" else "0" * 20, "optimiser": "sgd", "lr": 0.3,
            "layer_rates": [1.0, 1.0], "seed": 1, "steps": 200, "curve_step": [0, 100, 200],
            "curve_uniform": list(uniform), "curve_leaking": list(leaking)}  # fmt: skip


MAJORITY = run_of(uniform=(0.25, 0.25, 0.25))  # reads the leak, never the parity
TOGETHER = run_of(uniform=(0.5, 0.9, 1.0), leaking=(0.5, 0.9, 1.0))
LATE = run_of(uniform=(0.5, 1.0, 0.9), leaking=(0.5, 0.5, 1.0))


@pytest.mark.parametrize(
    ("claim", "odd", "expected"),
    [
        ("learns", run_of(), "holds"),
        ("learns", MAJORITY, "fails"),
        ("learns", LATE, "fails"),  # at the end, not along the way
        ("leak-first", run_of(), "holds"),
        ("leak-first", MAJORITY, "fails"),
        ("leak-first", TOGETHER, "fails"),
        ("leak-first", LATE, "fails"),
    ],
)
def test_every_run_counts(claim, odd, expected):
    rows = [*[run_of()] * 9, odd]
    assert verdict(STUDY, claim, rows) == expected
    assert verdict(STUDY, claim, rows[1:]) == "not enough runs"
    assert verdict(STUDY, claim, [*rows, run_of("no first step", uniform=(0.2, 0.2, 0.2))]) == expected


def first_step_of(start, copies="corrected"):
    """A first step whose network has this largest output before it, in units of n/k."""
    return {"n": 30, "k": 3, "copies": copies, "steps": 1, "curve_largest_output": [10 * start, 1.0]}


def test_only_the_corrected_pairing_starts_silent():
    printed = first_step_of(2.0, "printed")
    assert verdict(STUDY, "silent-start", [first_step_of(0.0), first_step_of(1e-12), printed]) == "holds"
    assert verdict(STUDY, "silent-start", [first_step_of(0.0), first_step_of(1e-3), printed]) == "fails"
    assert verdict(STUDY, "silent-start", [first_step_of(0.0), first_step_of(0.0, "printed")]) == "fails"
    assert verdict(STUDY, "silent-start", [first_step_of(0.0)]) == "not enough runs"
    assert verdict(STUDY, "silent-start-printed", [printed]) == "fails"
    assert verdict(STUDY, "silent-start-printed", [first_step_of(0.0, "printed")]) == "holds"


@pytest.mark.parametrize(("won", "expected"), [(98, "holds"), (92, "too close to call"), (70, "fails")])
def test_nine_of_ten_wide_networks(won, expected):
    lost = run_of(q=1000, uniform=(0.2, 0.2, 0.2))
    small = [run_of(q=999, uniform=(0.2, 0.2, 0.2)), run_of(q=1000, k=9, uniform=(0.2, 0.2, 0.2))]
    assert verdict(STUDY, "wide", [*[run_of(q=1000)] * won, *[lost] * (100 - won), *small * 20]) == expected
    assert verdict(STUDY, "wide", small) == "not enough runs"
