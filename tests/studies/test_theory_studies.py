"""The theory bench: smoke scale from end to end, and checks on rows we choose."""

import math

import numpy as np
import polars as pl
import pytest

from glassware.studies.pareto import success_frontier
from glassware.studies.theory import STUDIES, good_neurons, lower_bound, over_sparse, search_floors, under_sparse
from glassware.sweeps import run_id
from glassware.theory.pareto.good_neurons import lucky_probability, width_threshold
from tests.studies.made import check, computed_from_end_to_end, pretend


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_smoke_scale_from_end_to_end(study, smoke, tmp_path):
    computed_from_end_to_end(study, smoke(study)[1], tmp_path)


# -- search and elimination -------------------------------------------------------------------------------------------


def trials(algorithm, won, of=100, noise=0.0, n=300, m=320, milliseconds=5.0):
    return [
        {"algorithm": algorithm, "n": n, "k": 5, "m": m, "noise": noise, "trial": i, "found": i < won,
         "verdict": "solved", "milliseconds": milliseconds}
        for i in range(of)
    ]  # fmt: skip


def test_search_floors():
    study = search_floors.STUDY
    cases = {
        "search": (search_floors.SEARCH, 0.0, 99, 98),
        "quarter": (search_floors.QUARTER, 0.0, 34, 35),
        "search-noise": (search_floors.SEARCH, 0.1, 99, 98),
        "elimination": (search_floors.ELIMINATION, 0.0, 99, 98),
        "elimination-noise": (search_floors.ELIMINATION, 0.1, 0, 1),
    }
    for claim, (algorithm, noise, right, wrong) in cases.items():
        assert check(study, claim, pl.DataFrame(trials(algorithm, right, noise=noise))).holds
        assert not check(study, claim, pl.DataFrame(trials(algorithm, wrong, noise=noise))).holds
        assert check(study, claim, pl.DataFrame(trials("nothing", right))).holds is None
    assert check(study, "elimination-fast", pl.DataFrame(trials("elimination", 100))).holds
    assert not check(study, "elimination-fast", pl.DataFrame(trials("elimination", 100, milliseconds=101))).holds
    few = trials("elimination", 29, m=300)  # 300 random equations have full rank with probability 0.289
    assert check(study, "elimination-rate", pl.DataFrame(few)).holds
    assert not check(study, "elimination-rate", pl.DataFrame(trials("elimination", 60, m=300))).holds
    assert search_floors.predicted(300, 300, 0.0) == pytest.approx(0.2888, abs=1e-3)
    assert search_floors.predicted(300, 320, 0.1) < 1e-14


# -- the two constructions --------------------------------------------------------------------------------------------


def signal(n, power):
    """The signal that makes n^power a law of the theory's form, or, from the second power on, none."""
    return (math.log(n) / (n - 2) ** power) ** 0.5 * (1 if power < 2 else n)


def test_under_sparse(smoke):
    study = under_sparse.STUDY
    _, rows = smoke(study)
    assert check(study, "closed-forms", rows).holds
    assert not check(study, "closed-forms", rows.with_columns(pl.col("gap") + 1e-11)).holds
    for claim in ("printed-ratio", "printed-weights"):
        found = check(study, claim, rows)
        assert found.holds is False
        assert found.measured.low > 0.05
    made = lambda power: pl.DataFrame(
        [
            {
                "part": "m50",
                "n": n,
                "k": 4,
                "s": 2,
                "seed": i,
                "m50": 100.0 * (n - 2) ** power,
                "signal": signal(n, power),
            }
            for n in (15, 31, 61)
            for i in (0, 1)
        ]
    )
    for power, holds in ((1.4, True), (0.5, False), (2.0, False)):
        found = check(study, "slope", made(power))
        assert found.holds is holds
        assert found.measured.value == pytest.approx(power)
    assert check(study, "constant", made(1.4)).holds
    assert not check(study, "constant", made(2.0)).holds
    assert check(study, "slope", rows).holds is None
    for form, claim in (("corrected", "subnetwork"), ("printed", "printed-cutoff")):
        for level, holds in ((0.99, True), (0.98, False)):
            row = {"part": "accuracy", "form": form, "m": 100, "accuracy": level}
            few = {"part": "accuracy", "form": form, "m": 10, "accuracy": 0.5}
            assert check(study, claim, pl.DataFrame([row, few])).holds is holds


def learned(s, error, m=3000, how="least-squares", n=61):
    """Rows of three runs as they are kept: of first steps whose readout was solved, or of descents from them."""
    cell = {"n": n, "k": 2, "s": s, "width": 100, "m": m}
    errors = (0.9, error, "inverse") if how == "descent" else (error, 0.9, "constant")
    found = dict(zip(("solved_error", "test_error", "schedule"), errors, strict=True))
    return [{**cell, **found, "seed": i} for i in range(3)]


def test_over_sparse(smoke):
    study = over_sparse.STUDY
    _, rows = smoke(study)
    assert check(study, "readout", rows).holds
    printed = check(study, "readout-printed", rows)
    assert printed.holds is False
    assert printed.measured.low > 1
    assert "not representable" in printed.detail
    trained = rows.filter(pl.col("id").is_not_null()).sort("s", "schedule")
    assert trained["schedule"].to_list() == ["constant", "inverse"] * 2
    assert trained["start_run"].drop_nulls().to_list() == trained["id"].to_list()[::2]
    assert trained["support"].n_unique() == 2  # a descent is on the parity and the sample of its first step
    assert trained["solved_error"].max() < 0.1
    assert trained["test_error"].to_list()[1::2] == pytest.approx([0.05, 0.05], abs=0.05)
    assert not check(study, "gradients", rows.with_columns(pl.col("gap") + 1e-11)).holds
    for wide, holds in ((0.04, True), (0.05, False)):
        table = pl.DataFrame([*learned(9, wide), *learned(41, 0.125)])
        assert check(study, "trade-off", table).holds is holds
    for error, holds in ((0.09, True), (0.11, False)):
        table = pl.DataFrame([*learned(9, 0.0, 30_000), *learned(41, error, 30_000)])
        assert check(study, "more-data", table).holds is holds
    for error, holds in ((0.25, True), (0.26, False)):
        table = pl.DataFrame([*learned(9, 0.0, how="descent"), *learned(41, error, how="descent")])
        assert check(study, "descent", table).holds is holds
    for error, holds in ((0.1, True), (0.4, False)):
        offsets = [{"part": "offset", "k": 4, "offset": o, "error": e} for o, e in ((1 / 16, error), (1.0, 0.01))]
        assert check(study, "offset-printed", pl.DataFrame(offsets)).holds is holds
    for power, holds in ((1.4, True), (1.6, False)):
        sizes = [{"part": "samples", "n": 61, "k": 2, "s": s, "m": s**power} for s in (9, 15, 41)]
        assert check(study, "samples-exponent", pl.DataFrame(sizes)).holds is holds


# -- the lower bound --------------------------------------------------------------------------------------------------


def test_lower_bound(smoke):
    study = lower_bound.STUDY
    _, rows = smoke(study)
    assert {run_id(run) for run in study.runs("laptop")} == {
        run_id(r) for r in success_frontier.frontier("laptop", None)
    }
    made = pretend(success_frontier.frontier("smoke", 2), lambda run: run.m is None or run.m > 100)
    assert check(study, "never-contradicted", made).holds
    assert not check(study, "informative", made).holds
    # A network of three numbers trained for one step on one example: far below C(40, 20).
    tiny = made.with_columns(n=40, k=20, width=1, m=1, steps=1)
    assert not check(study, "never-contradicted", tiny).holds
    assert check(study, "informative", tiny).holds
    assert check(study, "never-contradicted", tiny.with_columns(success=False)).holds is None
    assert check(study, "parseval", rows).holds
    assert not check(study, "parseval", rows.with_columns(pl.col("energy") * 1e3)).holds
    assert check(study, "adversary", rows).holds
    assert not check(study, "adversary", rows.with_columns(hidden=pl.lit(49))).holds
    assert not check(study, "adversary", rows.with_columns(same=pl.lit(True))).holds


# -- luck -------------------------------------------------------------------------------------------------------------


def timed(power, ns=(20, 30, 40), lucky_time=500, other_time=3000, factor=1.0):
    """Runs that are as fast as luck makes them, with half of them lucky at width factor * n^power / 6."""
    rows = []
    for n in ns:
        half = factor * n**power / 6
        for multiple in (0.25, 0.5, 1.0, 2.0, 4.0):
            for seed in range(20):
                width = round(half * multiple)
                lucky = seed < 20 * min(1.0, 0.5 * multiple)
                place = {"n": n, "k": 3, "width": width, "seed": seed}
                rows.append({"part": "luck", **place, "lucky": int(lucky)})
                rows.append({**place, "steps_to_success": lucky_time if lucky else other_time, "success": True})
    return pl.DataFrame(rows, infer_schema_length=None)


def test_widths_and_luck():
    study = good_neurons.STUDY
    made = timed(2.0)
    found = check(study, "width-exponent", made)
    assert found.holds
    assert found.measured.value == pytest.approx(2.0, abs=0.05)
    assert check(study, "width-level", made).holds
    assert check(study, "luck", made).holds
    assert not check(study, "width-exponent", timed(3.0)).holds
    assert not check(study, "width-level", timed(2.0, factor=4.0)).holds
    assert not check(study, "luck", timed(2.0, other_time=500)).holds
    assert check(study, "width-level", made.filter(pl.col("width").is_null() | (pl.col("width") < 40))).holds is None
    for claim in ("width-exponent", "luck"):
        assert check(study, claim, made.filter(pl.col("part").is_not_null())).holds is None


def test_half_of_the_runs():
    made = pl.DataFrame({"width": [10, 10, 40, 40], "steps_to_success": [None, 2000, 100, 100]})
    assert good_neurons.half_width(made, 1000) == pytest.approx(20.0)  # halfway between 10 and 40 in the logarithm
    assert good_neurons.half_width(made, 50) is None


def test_counts(smoke):
    study = good_neurons.STUDY
    _, rows = smoke(study)
    assert check(study, "frequencies", rows).holds
    assert not check(study, "frequencies", rows.with_columns(pl.col("hits") + 500)).holds
    assert check(study, "drawn", rows).holds
    assert not check(study, "drawn", rows.with_columns(pl.col("lucky") + 10)).holds
    assert not check(study, "gradients", rows.with_columns(pl.col("gap") + 1e-11)).holds


def test_lucky_neurons_of_a_run_are_those_of_its_initial_weights():
    """Their mean over many runs is the expected number."""
    runs = good_neurons.runs("smoke", 60, pl.DataFrame())
    found = [good_neurons.lucky_neurons(run) for run in runs]
    expected = [lucky_probability(10, 3, 2) * run.model.widths[0] for run in runs]
    assert abs(sum(found) - sum(expected)) < 4 * math.sqrt(sum(expected))
    assert np.corrcoef(found, expected)[0, 1] > 0.5
    assert {run.model.widths[0] for run in runs} == {round(f * width_threshold(3 / 45)) for f in (1, 4)}
