import pytest

from glassware.studies.hidden_progress.more_training_curves import (
    NEURONS,
    PAPER_SIZES,
    PAPER_STATED,
    PAPER_WIDE,
    POLYNETS,
    SIZES,
    STATED,
    STUDY,
    TENTH,
    WIDE,
    WIDE_LARGE_BATCH,
)  # fmt: skip
from glassware.studies.hidden_progress.shared.panels import panel_runs
from tests.studies.drawn import falling, stuck, table, whole
from tests.studies.made import check


def panel(which, end=1000, won=5, plateau=500):
    """Five runs, the first so many of which converge at this step."""
    runs = panel_runs([which], 5, 100)
    return [falling(run, plateau, end) if i < won else stuck(run) for i, run in enumerate(runs)]


@pytest.mark.parametrize(
    ("ends", "holds"), [((1000, 2000, 1500), True), ((1000, 2000, 900), False), ((1000, 1000, 1500), False)]
)
def test_sizes(ends, holds):
    made = table(*(panel(p, end) for p, end in zip(SIZES, ends, strict=True)))
    assert check(STUDY, "6-sizes", made).holds is holds
    assert check(STUDY, "6-sizes", made.filter(made["n"] != 45)).holds is None


def test_a_size_that_mostly_fails_counts_as_for_ever():
    made = table(panel(SIZES[0]), panel(SIZES[1], won=2), panel(SIZES[2], 1500))
    assert check(STUDY, "6-sizes", made).holds
    assert not check(STUDY, "6-sizes", table(panel(SIZES[0], won=2), panel(SIZES[1], won=2), panel(SIZES[2]))).holds


@pytest.mark.parametrize(
    ("ends", "holds"),
    [((1000, 2000, 3000, 1500, 2500, 3500), True), ((1000, 2000, 3000, 1500, 1400, 3500), False),
     ((1000, 2000, 1900, 1500, 2500, 3500), False)],
)  # fmt: skip
def test_all_sizes(ends, holds):
    made = table(*(panel(p, end) for p, end in zip(PAPER_SIZES, ends, strict=True)))
    assert check(STUDY, "6-all-sizes", made).holds is holds


def test_the_largest_sizes_must_be_learnt_too():
    ends = (1000, 2000, 3000, 1500, 2500, 3500)
    for last in (2, 5):  # along n, along k
        made = table(
            *(
                panel(p, end, won=2 if i == last else 5)
                for i, (p, end) in enumerate(zip(PAPER_SIZES, ends, strict=True))
            )
        )
        assert check(STUDY, "6-all-sizes", made).holds is False


@pytest.mark.parametrize(
    ("claim", "panels", "needed"),
    [
        ("6-polynet", POLYNETS, 4),
        ("6-single-examples", NEURONS[TENTH], 3),
        ("6-single-as-stated", NEURONS[STATED], 1),
        ("6-row-3", PAPER_STATED, 1),
        ("6-row-4", PAPER_WIDE, 1),
    ],
)
def test_shares_that_converge(claim, panels, needed):
    *others, last = panels
    rest = [panel(p) for p in others]
    assert check(STUDY, claim, table(*rest, panel(last, won=needed))).holds
    assert not check(STUDY, claim, table(*rest, panel(last, won=needed - 1))).holds
    assert check(STUDY, claim, table(*rest)).holds is None


@pytest.mark.parametrize(
    ("claim", "pair"), [("6-no-plateau", WIDE_LARGE_BATCH), ("6-no-plateau-single", WIDE)], ids=["large", "single"]
)
def test_plateaus(claim, pair):
    relu, cubic = pair
    assert check(STUDY, claim, table(panel(relu, plateau=600), panel(cubic, plateau=300))).holds
    assert not check(STUDY, claim, table(panel(relu, plateau=300), panel(cubic, plateau=600))).holds
    assert check(STUDY, claim, table(panel(relu), panel(cubic, won=0))).holds is None


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "panels", "needed"),
    [("6-polynet", POLYNETS, 40), ("6-single-examples", NEURONS[TENTH], 30),
     ("6-single-as-stated", NEURONS[STATED], 10), ("6-row-3", PAPER_STATED, 10), ("6-row-4", PAPER_WIDE, 10)],
)  # fmt: skip
def test_one_panel_with_a_run_too_few_is_enough(claim, panels, needed):
    first, *others = panels
    rest = [panel(p, 20, plateau=10) for p in others]
    runs = panel_runs([first], 50, 100)
    for won, held in ((needed, True), (needed - 1, False)):
        some = [falling(run, 10, 20) if i < won else stuck(run) for i, run in enumerate(runs)]
        finding = check(STUDY, claim, table(some, *rest))
        assert finding.holds is held
        assert finding.measured.value == won / 50


def middle(which, end, plateau=0.5):
    """Three runs, one quick, one slow and one between them; of the two others' plateaus one is short and one long."""
    runs = panel_runs([which], 3, 100)
    ends, shares = (100, end, 9000), (0.1, plateau, 0.9)
    return [falling(run, round(share * t), t) for run, t, share in zip(runs, ends, shares, strict=True)]


@pytest.mark.parametrize(
    ("ends", "held", "least"),
    [((1000, 1010, 2000), True, 1.01), ((1000, 2000, 1010), True, 1.01), ((1000, 990, 2000), False, 0.99)],
)
def test_median_times_that_just_grow(ends, held, least):
    finding = check(STUDY, "6-sizes", table(*(middle(p, end) for p, end in zip(SIZES, ends, strict=True))))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(least)


@pytest.mark.parametrize(
    ("claim", "pair"), [("6-no-plateau", WIDE_LARGE_BATCH), ("6-no-plateau-single", WIDE)], ids=["large", "single"]
)
@pytest.mark.parametrize(("cubic", "held"), [(0.49, True), (0.5, False)])
def test_median_plateaus_that_are_just_shorter(claim, pair, cubic, held):
    finding = check(STUDY, claim, table(middle(pair[0], 1000, 0.5), middle(pair[1], 1000, cubic)))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(cubic - 0.5)


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=170 + 10, paper=30 * 25)
