"""What every study of robustness and convergence times must do; each one's claims have their own file."""

import random

import polars as pl
import pytest

from glassware.studies import claims, figures, results
from glassware.studies.hidden_progress import (
    coarse_scaling,
    convergence_times,
    init_or_batches,
    no_early_convergence,
    robust_space,
    tables,
)
from glassware.sweeps import run_id
from tests.studies.made import pretend_study, verdicts

MODULES = (robust_space, tables, coarse_scaling, convergence_times, no_early_convergence, init_or_batches)


@pytest.fixture(params=[module.STUDY for module in MODULES], ids=lambda study: study.name)
def study(request):
    return request.param


def test_smoke_runs_from_end_to_end(study, smoke, tmp_path):
    store, frame = smoke(study)
    assert {run_id(run) for run in study.runs("smoke")} <= set(frame["id"])
    assert results(study, "smoke", store).equals(frame, null_equal=True)
    assert {j.verdict for j in claims(study, "smoke", frame)} == {"not judged at this scale"}
    paths = figures(study, "smoke", frame, tmp_path)
    assert {path.stem for path in paths} == set(study.figures)
    assert all(path.stat().st_size > 1000 for path in paths)


def test_no_check_fails_on_rows_of_another_scale_or_on_none(study, smoke):
    _, frame = smoke(study)
    for claim in study.claims:
        claim.check(frame)
    for empty in (pl.DataFrame(), frame.clear()):
        assert {verdict for _, verdict in verdicts(study, empty)} == {"not enough runs"}


def test_checks_take_any_part_of_the_laptop_grid(study):
    dice = random.Random(0)
    whole = pretend_study(study, "laptop", lambda run: dice.random() < 0.6, seeds=2)
    for share in (0.02, 0.3, 0.9):
        part = whole.sample(n=max(1, int(share * len(whole))), seed=1)
        for claim in study.claims:
            claim.check(part)


def test_laptop_seeds_come_after_those_that_chose_the_thresholds(study):
    runs = study.runs("laptop", 2)
    assert min(run.seed for run in runs) == 100
    assert len({run_id(run) for run in runs}) == len(runs)


def test_it_says_what_it_is(study):
    assert all(scale in study.about for scale in ("paper", "laptop", "smoke"))
    assert "silent" in study.about
    assert len({claim.id for claim in study.claims}) == len(study.claims)
    assert all(claim.threshold and claim.where and claim.check.__doc__ for claim in study.claims)
