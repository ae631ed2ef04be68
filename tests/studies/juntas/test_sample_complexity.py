"""How many examples a Transformer needs: claims on rows we choose, and the runs that follow from rows."""

import math

import polars as pl
import pytest
from scipy.special import expit

from glassware.luck.design import Design
from glassware.luck.threshold import TRY
from glassware.studies.juntas import architectures, long_contexts, other_functions, sample_complexity
from glassware.studies.juntas.sample_complexity import STUDY, runs
from glassware.sweeps.rows import frame
from tests.studies.judged import verdict
from tests.studies.made import pretend_study


def rows(needed, lengths=(25, 50, 100, 200, 400), trials=40, error=0.0):
    """Trials at six sample sizes around what each T needs for 80%; a success ends with this error."""
    found = []
    for length in lengths:
        for m in (needed(length) * math.exp(0.15 * step) for step in (-2.7, -1.9, -1.1, -0.3, 0.5, 1.3)):
            won = round(trials * expit(math.log(m / needed(length)) / 0.15 + math.log(4)))
            for seed in range(trials):
                end = error if seed < won else 0.2
                found.append({"length": length, "m": round(m), "seed": seed, "curve_test_error": [0.5, end]})
    return pl.DataFrame(found).with_columns(success=pl.col("curve_test_error").list.last() <= 0.00995)


LOG, LINEAR, FLAT = (lambda T: 5 + 14 * math.log(T)), (lambda T: 20 + T), (lambda T: 60)


@pytest.mark.parametrize(
    ("needed", "said"),
    [(LOG, ("holds", "holds")), (LINEAR, ("too close to call", "holds")), (FLAT, (None, "too close to call"))],
)
def test_growth_on_five_contexts(needed, said):
    made = rows(needed)
    for claim, expected in zip(("sublinear", "grows"), said, strict=True):
        assert expected is None or verdict(STUDY, claim, made) == expected
    assert verdict(STUDY, "grows", made.with_columns(curve_test_error=pl.lit([0.5, 0.2]))) == "not enough runs"


def test_steeper_than_linear_is_not_sublinear():
    assert verdict(STUDY, "sublinear", rows(lambda T: 20 + T**1.5 / 10)) == "fails"


def test_the_level_of_success_and_the_number_at_three_hundred():
    assert verdict(STUDY, "about-seventy", rows(lambda T: LOG(T) - 10)) == "holds"
    assert verdict(STUDY, "about-seventy", rows(lambda T: LOG(T) + 60)) == "fails"
    assert verdict(STUDY, "level", rows(LOG)) == "holds"
    assert verdict(STUDY, "level", rows(LOG, error=0.007)) == "fails"  # above 0.99, but not above 0.995


def test_a_trial_succeeds_where_one_of_its_runs_does():
    made = rows(LOG)
    again = made.with_columns(success=pl.lit(False), curve_test_error=pl.lit([0.5, 0.2]))
    assert sample_complexity.trials(pl.concat([made, again])) == sample_complexity.trials(made)


def test_failures_of_the_grid_are_tried_again_on_the_same_data():
    first = runs("paper", 1, pl.DataFrame())
    assert len(first) == STUDY.size("paper") // 40 == 18 * 16
    made = frame([{**run.columns(), "curve_test_error": [0.5, 0.0 if run.m > 60 else 0.2]} for run in first[:16]])
    again = runs("paper", 1, made)
    assert [(run.m, run.seed, run.init.seed) for run in again] == [(m, 1000, TRY + 1000) for m in (50, 60)]
    assert {run.cell() for run in again} <= {run.cell() for run in first}


@pytest.mark.parametrize("study", [STUDY, long_contexts.STUDY, other_functions.STUDY, architectures.STUDY])
def test_searches_go_from_stage_to_stage_and_end(study):
    made = pretend_study(study, "laptop", lambda run: run.m > 1.5 * run.task.length**0.5 * 5, seeds=1)
    assert made["id"].is_unique().all()
    assert study.stages[-1]("laptop", 1, made) == []
    assert made.group_by("spec").len()["len"].max() == 1


@pytest.mark.parametrize(("needed", "beyond"), [(10, [44, 47, 51, 55, 60, 65]), (200, [108, 117, 126, 137, 148, 160])])
def test_sample_sizes_on_one_side_of_the_edge_are_followed_by_others_beyond(needed, beyond):
    sizes, design = [70, 75, 80, 85, 90, 100], Design(20, 256)
    made = lambda needed: pl.DataFrame(
        {"length": 50, "m": m, "seed": seed, "curve_test_error": [0.5, 0.0 if m > needed else 0.2]}
        for m in sizes
        for seed in (5000, 5001)
    )
    assert long_contexts.recentred(design, sizes, made(needed)) == beyond
    assert long_contexts.recentred(design, sizes, made(82)) == []


def test_or_beside_and():
    def cells(function, needed):
        rates = {m: expit(math.log(m / needed) / 0.1 + math.log(4)) for m in (30, 40, 50, 60, 80, 300, 400, 500)}
        return [
            {"function": function, "length": 50, "m": m, "seed": seed, "success": seed < round(20 * rate)}
            for m, rate in rates.items()
            for seed in range(20)
        ]

    study = other_functions.STUDY
    assert verdict(study, "or-as-and", [*cells("and", 60), *cells("or", 55)]) == "holds"
    assert verdict(study, "or-as-and", [*cells("and", 40), *cells("or", 400)]) == "fails"
    assert verdict(study, "or-as-and", cells("and", 60)) == "not enough runs"
    assert set(other_functions.fits(pl.DataFrame(cells("table", 60)))) == {"multiplexer"}
