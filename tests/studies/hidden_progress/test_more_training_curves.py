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


def panel(which, end=1000, won=5, plateau=500, trials=5):
    """A panel's runs, the first so many of which converge at this step."""
    runs = panel_runs([which], trials, 100)
    return [falling(run, plateau, end) if i < won else stuck(run) for i, run in enumerate(runs)]


def verdict(claim, *groups):
    return check(STUDY, claim, table(*groups)).verdict


@pytest.mark.parametrize(
    ("ends", "said"),
    [((1000, 2000, 1500), "holds"), ((1000, 2000, 900), "fails"), ((1000, 1000, 1500), "fails")],
)
def test_sizes(ends, said):
    made = table(*(panel(p, end) for p, end in zip(SIZES, ends, strict=True)))
    assert check(STUDY, "6-sizes", made).verdict == said
    assert check(STUDY, "6-sizes", made.filter(made["n"] != 45)).verdict == "not enough runs"


def test_sizes_that_overlap_are_too_close():
    mixed = [*panel(SIZES[1], 2000, won=3, trials=3), *panel(SIZES[1], 900, won=2, trials=2)]
    assert verdict("6-sizes", panel(SIZES[0]), mixed, panel(SIZES[2], 1500)) == "too close to call"


def test_a_size_that_fails_counts_as_for_ever():
    assert verdict("6-sizes", panel(SIZES[0]), panel(SIZES[1], won=0), panel(SIZES[2], 1500)) == "holds"
    never = [panel(p, won=0) for p in SIZES[:2]]
    assert verdict("6-sizes", *never, panel(SIZES[2])) == "fails"  # (30, 4) is faster than (30, 3)


@pytest.mark.parametrize(
    ("ends", "said"),
    [((1000, 2000, 3000, 1500, 2500, 3500), "holds"), ((1000, 2000, 3000, 1500, 1400, 3500), "fails"),
     ((1000, 2000, 1900, 1500, 2500, 3500), "fails")],
)  # fmt: skip
def test_all_sizes(ends, said):
    assert verdict("6-all-sizes", *(panel(p, end) for p, end in zip(PAPER_SIZES, ends, strict=True))) == said


@pytest.mark.parametrize("last", [2, 5])  # along n, along k
def test_the_largest_sizes_must_be_learnt_too(last):
    ends = (1000, 2000, 3000, 1500, 2500, 3500)
    pairs = enumerate(zip(PAPER_SIZES, ends, strict=True))
    assert verdict("6-all-sizes", *(panel(p, end, won=0 if i == last else 5) for i, (p, end) in pairs)) == "fails"


@pytest.mark.parametrize(
    ("claim", "panels", "holding", "close", "failing"),
    [
        ("6-polynet", POLYNETS, 24, 21, 12),
        ("6-single-examples", NEURONS[TENTH], 21, 15, 6),
        ("6-single-as-stated", NEURONS[STATED], 11, 5, 0),
        ("6-row-3", PAPER_STATED, 11, 5, 0),
        ("6-row-4", PAPER_WIDE, 11, 5, 0),
    ],
)
def test_shares_that_converge(claim, panels, holding, close, failing):
    *others, last = panels
    rest = [panel(p, 20, 25, 10, 25) for p in others]
    assert verdict(claim, *rest, panel(last, 20, holding, 10, 25)) == "holds"
    assert verdict(claim, *rest, panel(last, 20, close, 10, 25)) == "too close to call"
    assert verdict(claim, *rest, panel(last, 20, failing, 10, 25)) == "fails"
    assert verdict(claim, *rest) == "not enough runs"


@pytest.mark.parametrize(
    ("claim", "pair"), [("6-less-plateau", WIDE_LARGE_BATCH), ("6-less-plateau-single", WIDE)], ids=["large", "single"]
)
def test_less_of_a_plateau(claim, pair):
    relu, cubic = pair
    assert verdict(claim, panel(relu, plateau=600), panel(cubic, plateau=300)) == "holds"
    assert verdict(claim, panel(relu, plateau=300), panel(cubic, plateau=600)) == "fails"
    assert verdict(claim, panel(relu), panel(cubic, won=0)) == "not enough runs"
    both = [*panel(cubic, plateau=300, won=3, trials=3), *panel(cubic, plateau=600, won=2, trials=2)]
    assert verdict(claim, panel(relu, plateau=400), both) == "too close to call"


@pytest.mark.parametrize(("plateau", "said"), [(450, "holds"), (460, "fails")])
def test_no_plateau_at_all(plateau, said):
    assert verdict("6-no-plateau", panel(WIDE_LARGE_BATCH[1], plateau=plateau)) == said
    assert verdict("6-no-plateau", panel(WIDE_LARGE_BATCH[1], won=4)) == "not enough runs"


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=50 + 600 + 10, paper=30 * 25)
