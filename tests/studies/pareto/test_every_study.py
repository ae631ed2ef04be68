"""What every study of the paper must do; each one's claims have their own file."""

import random

import polars as pl
import pytest

from glassware.studies import SCALES, claims, figures, pareto, results, train
from glassware.sweeps import run_id
from tests.studies.made import pretend_study, verdicts

BY_NAME = {study.name: study for study in pareto.STUDIES}
PAPER_RUNS = {
    "pareto/slices": 7200,
    "pareto/lottery-tickets": 30,
    "pareto/sparsity": 2400,
    "pareto/weight-decay": 7200,
    "pareto/kernel-control": 150,
}
OURS = sorted(PAPER_RUNS)


@pytest.fixture(params=OURS)
def study(request):
    return BY_NAME[request.param]


def test_the_success_frontier_comes_first():
    assert next(iter(BY_NAME)) == "pareto/success-frontier"


def test_smoke_runs_from_end_to_end_and_finishes_in_the_store(study, smoke):
    store, frame = smoke(study)
    assert {run_id(run) for run in study.runs("smoke")} <= set(frame["id"])
    assert results(study, "smoke", store).equals(frame, null_equal=True)
    assert train(study, "smoke", store).equals(frame, null_equal=True)
    assert {j.verdict for j in claims(study, "smoke", frame)} == {"not judged at this scale"}


def test_every_figure_is_drawn(study, smoke, tmp_path):
    _, frame = smoke(study)
    paths = figures(study, "smoke", frame, tmp_path)
    assert {path.stem for path in paths} == set(study.figures)
    assert {path.suffix for path in paths} == {".png", ".html"}
    assert all(path.stat().st_size > 1000 for path in paths)


def test_no_check_fails_on_rows_of_another_scale(study, smoke):
    _, frame = smoke(study)
    for claim in study.claims:
        claim.check(frame)


@pytest.mark.parametrize("empty", [pl.DataFrame(), None], ids=["no columns", "no rows"])
def test_no_rows_are_not_enough_runs(study, smoke, empty):
    made = smoke(study)[1].clear() if empty is None else empty
    assert {verdict for _, verdict in verdicts(study, made)} == {"not enough runs"}


def test_checks_take_any_part_of_the_laptop_grid(study):
    dice = random.Random(0)
    whole = pretend_study(study, "laptop", lambda run: dice.random() < 0.6, seeds=3)
    for share in (0.02, 0.1, 0.5, 0.9):
        part = whole.sample(n=max(1, int(share * len(whole))), seed=1)
        for claim in study.claims:
            claim.check(part)


@pytest.mark.parametrize("scale", SCALES)
def test_runs_are_all_different(study, scale):
    runs = study.runs(scale, 2)
    assert len({run_id(run) for run in runs}) == len(runs)


@pytest.mark.parametrize("name", OURS)
def test_the_papers_grid_has_its_size(name):
    assert len(BY_NAME[name].runs("paper")) == PAPER_RUNS[name]


def test_fewer_seeds_are_the_first_ones(study):
    few, more = ({run_id(run) for run in study.runs("laptop", seeds)} for seeds in (1, 2))
    assert few < more


def test_it_says_what_it_is(study):
    assert all(scale in study.about for scale in SCALES)
    assert "silent" in study.about
    assert len({claim.id for claim in study.claims}) == len(study.claims)
    assert all(claim.threshold and claim.where and claim.check.__doc__ for claim in study.claims)
