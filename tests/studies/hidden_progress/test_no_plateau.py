import pytest

from glassware.studies.hidden_progress.no_plateau import STUDY, WIDTHS, _run
from glassware.studies.hidden_progress.shared.trials import repeat
from tests.studies.drawn import drawn, falling, stuck, table, whole
from tests.studies.made import check


def cell(activation, width, index, batch=256, n=30):
    """Five runs with this plateau index, and one that learns nothing."""
    *learn, last = repeat([_run(n, activation, width, batch)], 6)
    return [*(falling(run, int(1000 * index), 1000) for run in learn), stuck(last)]


def descending(width, times, batch=256):
    """Cubic networks that are at 25% after so many steps; never where that is 0."""
    runs = repeat([_run(30, "power", width, batch)], len(times))
    return [drawn(run, [0.5, 0.25, 0.1], every=t) if t else stuck(run) for run, t in zip(runs, times, strict=True)]


def verdict(claim, *groups):
    return check(STUDY, claim, table(*groups)).verdict


@pytest.mark.parametrize(("narrow", "wide", "said"), [(0.6, 0.45, "holds"), (0.6, 0.46, "fails"), (0.5, 0.41, "fails")])
def test_wide_cubic_networks(narrow, wide, said):
    assert verdict("17-wide-cubic", cell("power", 10, narrow), cell("power", 1000, wide)) == said
    assert verdict("17-wide-cubic", cell("power", 10, narrow)) == "not enough runs"


def test_relu_networks_at_both_batch_sizes():
    assert verdict("17-relu-stair", cell("relu", 100, 0.6), cell("relu", 100, 0.7, 32)) == "holds"
    assert verdict("17-relu-stair", cell("relu", 100, 0.6), cell("relu", 100, 0.5, 32)) == "fails"
    assert verdict("17-relu-stair", cell("relu", 100, 0.6)) == "not enough runs"


@pytest.mark.parametrize(
    ("middle", "said"),
    [
        ([200] * 7, "holds"),
        ([200] * 4 + [400] * 3, "too close to call"),
        ([300] * 7, "fails"),
        ([50] * 7, "fails"),
        ([0] * 7, "fails"),  # an untrained network never descends
    ],
)
def test_width_makes_the_error_descend_faster(middle, said):
    ends = descending(10, [300] * 7), descending(1000, [100] * 7)
    assert verdict("17-width", ends[0], descending(100, middle), ends[1]) == said
    assert verdict("17-width", *ends) == "not enough runs"


@pytest.mark.parametrize(("small", "said"), [(110, "holds"), (100, "fails")])
def test_so_do_larger_batches_at_every_width(small, said):
    cells = [descending(width, [100] * 5) for width in WIDTHS]
    smaller = [descending(width, [small if width == 100 else 200] * 5, 32) for width in WIDTHS]
    assert verdict("17-batch", *cells, *smaller) == said
    assert verdict("17-batch", *cells, *smaller[:2]) == "not enough runs"


@pytest.mark.parametrize(("cubic", "said"), [(0.54, "holds"), (0.56, "fails")])
def test_at_scale(cubic, said):
    made = cell("relu", 1000, 0.7, 1024, 50), cell("power", 1000, cubic, 1024, 50)
    assert verdict("17-cubic-below-relu", *made) == said


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=320, paper=90)
