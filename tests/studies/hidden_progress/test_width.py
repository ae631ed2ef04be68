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


def better(width, count, trials=20, n=30):
    """Runs that are too narrow, so many of which get better than chance."""
    runs = repeat([_run(n, width, 9950)], trials)
    return [drawn(run, [0.5] + [0.45 if i < count else 0.5] * 10, every=50) for i, run in enumerate(runs)]


def verdict(claim, *groups):
    return check(STUDY, claim, table(*groups)).verdict


SPREAD_OUT, TIGHT = [500, 600, 700, 1500, 1600, 2000], [900, 950, 950, 1000, 1000, 1050]


@pytest.mark.parametrize(
    ("wide", "said"),
    [
        ([400] * 5, "holds"),
        ([2000] * 5, "holds"),
        ([400] * 3 + [300] * 2, "too close to call"),
        ([330] * 5, "fails"),
        ([math.inf] * 5, "holds"),
        ([400] * 4, "not enough runs"),
    ],
)
def test_no_speed_up(wide, said):
    assert verdict("4a-no-speed-up", cell(10, [1000] * 5), cell(1000, wide)) == said


def test_untrained_networks_show_nothing():
    never = [math.inf] * 5
    assert verdict("4a-no-speed-up", cell(10, never), cell(1000, never)) == "not enough runs"
    assert verdict("14-too-narrow", better(1, 0), better(2, 0)) == "fails"


@pytest.mark.parametrize(("last", "said"), [(400, "holds"), (300, "fails")])
def test_no_speed_up_at_any_size(last, said):
    slow = {50: last}
    made = [cell(w, [t] * 5, n) for n in (30, 40, 50) for w, t in ((1000, 1000), (10**6, slow.get(n, 900)))]
    assert verdict("14-no-speed-up", *made) == said
    assert verdict("14-no-speed-up", *made[:-2]) == "not enough runs"


def test_spread():
    assert spread([100, 200, 200, 300, 400]) == pytest.approx(0.5)
    assert spread(list(range(100, 201))) == pytest.approx(50 / 150)
    assert spread([100, 200, 200, math.inf, math.inf]) == math.inf
    made = [cell(30, TIGHT), cell(100, TIGHT)]
    many, few = 5 * SPREAD_OUT, 5 * TIGHT
    assert verdict("4a-less-spread", cell(10, many), *made, cell(300, few)) == "holds"
    assert verdict("4a-less-spread", cell(10, few), *made, cell(300, many)) == "fails"
    assert verdict("4a-less-spread", cell(10, many), *made, cell(300, many)) == "too close to call"
    assert verdict("4a-less-spread", cell(10, many), *made) == "not enough runs"


@pytest.mark.parametrize(("narrow", "said"), [(5, "holds"), (18, "too close to call")])
def test_narrow_fails_more_often(narrow, said):
    some = [1000.0] * narrow + [math.inf] * (20 - narrow)
    assert verdict("4a-narrow-fails", cell(3, some), cell(10, [1000.0] * 20)) == said
    assert verdict("4a-narrow-fails", cell(10, some), cell(3, [1000.0] * 20)) == said.replace("holds", "fails")
    assert verdict("4a-narrow-fails", cell(3, some)) == "not enough runs"


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


@pytest.mark.parametrize(("count", "said"), [(17, "holds"), (11, "too close to call"), (3, "fails")])
@pytest.mark.parametrize("width", [1, 2])
def test_too_narrow_gets_better(width, count, said):
    assert verdict("14-too-narrow", better(width, count), better(3 - width, 20)) == said
    assert verdict("14-too-narrow", better(width, 20)) == "not enough runs"


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=1000, paper=63_000)
