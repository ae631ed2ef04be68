"""More of the paper and beyond it: smoke scale of every study, and what claims say of edges that we choose."""

import json
import random

import polars as pl
import pytest

from glassware.studies import SCALES, claims, drawn, figures, results
from glassware.studies.pareto import beyond, more
from glassware.studies.pareto.beyond import depth, label_noise, restarts
from glassware.studies.pareto.shared.arms import WITHIN
from tests.luck.made import NEVER, made, table
from tests.studies.made import check, pretend_study, verdicts


@pytest.mark.parametrize("study", [*more.STUDIES, *beyond.STUDIES], ids=lambda study: study.name)
def test_smoke_scale_from_end_to_end(study, smoke):
    store, rows = smoke(study)
    assert results(study, "smoke", store).equals(rows, null_equal=True)
    assert {judgement.verdict for judgement in claims(study, "smoke", rows)} == {"not judged at this scale"}
    charts = dict(drawn(study, rows))
    assert set(charts) == set(study.figures)
    assert all(json.dumps(chart.to_dict()) for chart in charts.values())  # a sentence has none
    for empty in (pl.DataFrame(), rows.clear()):
        assert {verdict for _, verdict in verdicts(study, empty)} == {"not enough runs"}
    for claim in study.claims:
        claim.check(rows).text()
        assert all((claim.threshold, claim.where, claim.check.__doc__))
    assert all(scale in study.about for scale in (*SCALES, "silent"))


def test_figures_of_a_search_are_pictures(smoke, tmp_path):
    paths = figures(label_noise.STUDY, "smoke", smoke(label_noise.STUDY)[1], tmp_path)
    assert {path.stem for path in paths} == {"edges", "cells"}
    assert all(path.stat().st_size > 3000 for path in paths)


def learned(edge, off=1.3):
    """Runs succeed from the sample size on that ``edge`` gives, which chance moves by up to a factor ``off``."""
    dice = random.Random(1)
    return lambda run: (run.m or 0) * off ** dice.uniform(-1, 1) > edge(run)


def test_an_edge_that_noise_moves_is_found_and_judged():
    study = label_noise.STUDY
    rows = pretend_study(study, "laptop", learned(lambda run: 500 * (1 + 20 * run.task.noise)))
    assert label_noise.cost(0.2) == pytest.approx(2.78, abs=0.01)
    found = check(study, "edges", rows)
    assert found.verdict == "holds"
    assert 1 < found.measured.value <= WITHIN
    edges = label_noise.COMPARISON.edges(rows)
    assert all(0.85 < edge.where.value / 500 < 1.18 for edge in edges if edge.arm == "no noise" and edge.kind == "m50")
    assert check(study, "any-noise", rows).verdict == "holds"
    assert check(study, "information-20", rows).verdict == "holds"  # 5 times, where 2.8 would do
    assert len(rows) < 3200  # an eighth of the grid


@pytest.mark.parametrize(
    ("times", "off", "wanted"), [(1.0, 1.2, "holds"), (1.3, 1.6, "too close to call"), (2.0, 1.2, "fails")]
)
def test_a_second_layer_that_moves_the_edge(times, off, wanted):
    edge = lambda run: 500 * (times if run.model.layers == 3 else 1)
    rows = pretend_study(depth.STUDY, "laptop", learned(edge, off), seeds=40)
    assert check(depth.STUDY, "two", rows).verdict == wanted


def test_arms_that_never_learn_are_not_compared():
    rows = pretend_study(depth.STUDY, "laptop", lambda run: run.model.layers == 2 and (run.m or 0) > 500)
    assert check(depth.STUDY, "two", rows).verdict == "not enough runs"
    assert "2 hidden layers m50 at 10," in check(depth.STUDY, "edges", rows).detail


def prices(narrow, wide, m):
    """Rows of both widths and inits: success times of runs of 10 and of 300 neurons."""
    return [
        row
        for init in ({}, {"scheme": "sparse", "s": 2})
        for width, times in ((10, narrow), (300, wide))
        for row in made(times, m=m, model={"width": width}, init=init, steps=60)
    ]


@pytest.mark.parametrize(
    ("narrow", "wanted"),
    [
        ([30] * 6 + [NEVER] * 14, "holds"),  # a third of the tries, a thirtieth of the work
        ([60] + [NEVER] * 19, "too close to call"),
        ([NEVER] * 200, "fails"),
    ],
)
def test_what_tries_of_a_narrow_network_cost(narrow, wanted):
    fresh = table(prices(narrow, [30] * 20, None))
    assert check(restarts.STUDY, "narrow", fresh).verdict == wanted
    scarce = table(prices(narrow, [30] * 20, 400))
    assert check(restarts.STUDY, "narrow", scarce).verdict == "not enough runs"
    opposite = {"holds": "fails", "fails": "holds"}
    assert check(restarts.STUDY, "wide", scarce).verdict == opposite.get(wanted, wanted)


@pytest.mark.parametrize(("won", "wanted"), [(12, "holds"), (6, "too close to call"), (0, "fails")])
def test_second_tries_on_samples_that_have_failed(won, wanted):
    first = made([30] * 20 + [NEVER] * 20, m=630)
    again = made([30] * won + [NEVER] * (20 - won), m=630, init={"seed": 7})
    assert check(restarts.STUDY, "another-start", table(first, again)).verdict == wanted
