import pytest

from glassware.studies.hidden_progress.no_plateau import STUDY, _run
from glassware.studies.hidden_progress.shared.trials import repeat
from tests.studies.drawn import falling, stuck, table, whole
from tests.studies.made import check


def cell(activation, width, index, batch=256, n=30):
    """Three runs with this plateau index, and one that learns nothing."""
    *learn, last = repeat([_run(n, activation, width, batch)], 4)
    return [*(falling(run, int(1000 * index), 1000) for run in learn), stuck(last)]


@pytest.mark.parametrize(("narrow", "wide", "holds"), [(0.6, 0.45, True), (0.6, 0.46, False), (0.5, 0.41, False)])
def test_wide_cubic_networks(narrow, wide, holds):
    made = table(cell("power", 10, narrow), cell("power", 1000, wide))
    assert check(STUDY, "17-wide-cubic", made).holds is holds
    assert check(STUDY, "17-wide-cubic", table(cell("power", 10, narrow))).holds is None


@pytest.mark.parametrize(("index", "holds"), [(0.6, True), (0.59, False)])
def test_relu_networks(index, holds):
    assert check(STUDY, "17-relu-stair", table(cell("relu", 100, index))).holds is holds


@pytest.mark.parametrize(("middle", "holds"), [(0.5, True), (0.7, False), (0.2, False)])
def test_width(middle, holds):
    made = table(cell("power", 10, 0.6), cell("power", 100, middle), cell("power", 1000, 0.3))
    assert check(STUDY, "17-width", made).holds is holds


@pytest.mark.parametrize(("small", "holds"), [(0.4, True), (0.2, False)])
def test_batch(small, holds):
    made = table(cell("power", 1000, small, batch=32), cell("power", 1000, 0.3))
    assert check(STUDY, "17-batch", made).holds is holds


@pytest.mark.parametrize(("cubic", "holds"), [(0.54, True), (0.56, False)])
def test_at_scale(cubic, holds):
    made = table(cell("relu", 1000, 0.7, 1024, 50), cell("power", 1000, cubic, 1024, 50))
    assert check(STUDY, "17-cubic-below-relu", made).holds is holds


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


def spread(activation, width, index, batch=256, n=30):
    """Three runs: the middle one has this plateau index, the others hardly any and almost nothing else."""
    runs = repeat([_run(n, activation, width, batch)], 3)
    return [falling(run, int(1000 * i), 1000) for run, i in zip(runs, (0.05, index, 0.95), strict=True)]


@pytest.mark.parametrize(
    ("claim", "cells", "held", "value"),
    [
        ("17-wide-cubic", [("power", 10, 0.6), ("power", 1000, 0.45)], True, 0.45),
        ("17-wide-cubic", [("power", 10, 0.6), ("power", 1000, 0.46)], False, 0.46),
        ("17-wide-cubic", [("power", 10, 0.41), ("power", 1000, 0.3)], True, 0.3),
        ("17-wide-cubic", [("power", 10, 0.39), ("power", 1000, 0.3)], False, 0.3),
        ("17-relu-stair", [("relu", 100, 0.6)], True, 0.6),
        ("17-relu-stair", [("relu", 100, 0.59)], False, 0.59),
        ("17-width", [("power", 10, 0.6), ("power", 100, 0.59), ("power", 1000, 0.3)], True, -0.01),
        ("17-width", [("power", 10, 0.6), ("power", 100, 0.4), ("power", 1000, 0.4)], False, 0.0),
        ("17-batch", [("power", 1000, 0.31, 32), ("power", 1000, 0.3)], True, -0.01),
        ("17-batch", [("power", 1000, 0.3, 32), ("power", 1000, 0.3)], False, 0.0),
        ("17-cubic-below-relu", [("relu", 1000, 0.7, 1024, 50), ("power", 1000, 0.54, 1024, 50)], True, -0.16),
        ("17-cubic-below-relu", [("relu", 1000, 0.7, 1024, 50), ("power", 1000, 0.56, 1024, 50)], False, -0.14),
    ],
)
def test_medians_that_just_hold(claim, cells, held, value):
    finding = check(STUDY, claim, table(*(spread(*one) for one in cells)))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(value)
    last = len(table(spread(*cells[-1])))
    assert check(STUDY, claim, table(*(spread(*one) for one in cells))[:-last]).holds is None


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=50, paper=90)
