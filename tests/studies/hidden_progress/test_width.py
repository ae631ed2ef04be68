import math

import pytest

from glassware.studies.hidden_progress.shared.trials import repeat
from glassware.studies.hidden_progress.width import STUDY, _run, better_than_chance, spread
from tests.studies.drawn import drawn, stuck, table, whole
from tests.studies.made import check


def cell(width, times, n=30):
    """Runs of this width that converge at these steps, or never."""
    runs = repeat([_run(n, width, 30_000)], len(times))
    pairs = zip(runs, times, strict=True)
    return [stuck(run) if math.isinf(t) else drawn(run, [0.5, 0.0], every=int(t)) for run, t in pairs]


def better(width, count, n=30):
    """Four runs that are too narrow, so many of which get better than chance."""
    runs = repeat([_run(n, width, 9950)], 4)
    return [drawn(run, [0.5] + [0.4 if i < count else 0.5] * 10, every=50) for i, run in enumerate(runs)]


SPREAD_OUT, TIGHT = [500, 1000, 1000, 2000], [900, 950, 1000, 1050]


@pytest.mark.parametrize(("wide", "holds"), [(400, True), (330, False), (2000, True), (math.inf, True)])
def test_no_speed_up(wide, holds):
    made = table(cell(10, [1000] * 3), cell(1000, [wide] * 3))
    assert check(STUDY, "4a-no-speed-up", made).holds is holds
    assert check(STUDY, "4a-no-speed-up", table(cell(10, [1000]))).holds is None


def test_failing_at_both_widths_shows_nothing():
    assert not check(STUDY, "4a-no-speed-up", table(cell(10, [math.inf]), cell(1000, [math.inf]))).holds


@pytest.mark.parametrize(("last", "holds"), [(400, True), (300, False)])
def test_no_speed_up_at_any_size(last, holds):
    made = table(*(cell(w, [t], n) for n in (30, 40, 50) for w, t in ((1000, 1000), (10**6, last if n == 50 else 900))))
    assert check(STUDY, "14-no-speed-up", made).holds is holds


def test_spread():
    assert spread([100, 200, 200, 300, 400]) == pytest.approx(0.5)
    assert spread([100, 200, 200, math.inf, math.inf]) == math.inf
    made = [cell(30, TIGHT), cell(100, TIGHT)]
    assert check(STUDY, "4a-less-spread", table(cell(10, SPREAD_OUT), *made, cell(300, TIGHT))).holds
    assert not check(STUDY, "4a-less-spread", table(cell(10, TIGHT), *made, cell(300, SPREAD_OUT))).holds
    assert check(STUDY, "4a-less-spread", table(cell(10, SPREAD_OUT), *made)).holds is None


def test_narrow_fails_more_often():
    lucky, unlucky = [1000.0] * 4, [1000.0, 1000.0, 1000.0, math.inf]
    assert check(STUDY, "4a-narrow-fails", table(cell(3, unlucky), cell(10, lucky))).holds
    assert not check(STUDY, "4a-narrow-fails", table(cell(3, lucky), cell(10, lucky))).holds


@pytest.mark.parametrize(
    ("errors", "step"),
    [
        ([0.5] + [0.45] * 10, 10),
        ([0.45] * 9 + [0.46] + [0.4] * 10, 100),
        ([0.4] * 9, math.inf),
        ([None] * 20, math.inf),
    ],
)
def test_ten_checks_in_a_row(errors, step):
    assert better_than_chance([10 * i for i in range(len(errors))], errors) == step


@pytest.mark.parametrize(("narrowest", "holds"), [(3, True), (2, False)])
def test_too_narrow_gets_better(narrowest, holds):
    assert check(STUDY, "14-too-narrow", table(better(1, narrowest), better(2, 4))).holds is holds
    assert check(STUDY, "14-too-narrow", table(better(1, 4))).holds is None


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


@pytest.mark.parametrize(("narrow", "held"), [(900, True), (903, False)])
def test_the_median_time_may_be_three_times_as_long(narrow, held):
    made = [cell(10, [100, narrow, 9000]), cell(1000, [30, 300, 3000])]
    finding = check(STUDY, "4a-no-speed-up", table(*made))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(narrow / 300)
    sizes = {n: [cell(1000, [narrow if n == 40 else 300], n), cell(10**6, [300], n)] for n in (30, 40, 50)}
    assert check(STUDY, "14-no-speed-up", table(*(c for pair in sizes.values() for c in pair))).holds is held
    del sizes[50]
    assert check(STUDY, "14-no-speed-up", table(*(c for pair in sizes.values() for c in pair))).holds is None


def test_the_spread_is_between_quartiles():
    assert spread(list(range(100, 201))) == pytest.approx(50 / 150)
    same = [cell(width, SPREAD_OUT) for width in (10, 30, 100, 300)]
    assert check(STUDY, "4a-less-spread", table(*same)).holds is False


def test_narrow_networks_need_both_widths():
    assert check(STUDY, "4a-narrow-fails", table(cell(3, [math.inf]))).holds is None
    assert check(STUDY, "4a-narrow-fails", table(cell(10, [1000.0]))).holds is None


@pytest.mark.parametrize("n", [30, 40, 50])
@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize(("count", "held"), [(11, True), (10, False)])
def test_more_than_half_of_the_narrowest_get_better(n, width, count, held):
    runs = repeat([_run(n, width, 9950)], 20)
    some = [drawn(run, [0.5] + [0.45 if i < count else 0.5] * 10, every=50) for i, run in enumerate(runs)]
    finding = check(
        STUDY, "14-too-narrow", table(some, better(1, 4), better(2, 4)) if n > 30 else table(some, better(3 - width, 4))
    )
    assert finding.holds is held
    assert finding.measured.value == count / 20


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=1000, paper=63_000)
