"""The claims of the success frontier on results we choose: each can hold, fail, and wait for more runs."""

from itertools import product

import pytest

from glassware.studies import find
from tests.studies.made import cell, check, table

STUDY = find("pareto/success-frontier")
INITS = ("dense", "sparse")
MS = (300, 1000, 2000, 10_000)


def heat_map(won, places=((50, 3),), widths=(10, 300, 1000), samples=MS):
    """Ten runs a cell, of which ``won(n, k, init, width, m)`` succeed."""
    cells = product(places, INITS, widths, samples)
    return table(
        *(
            cell(won(*place, init, width, m), 10, n=place[0], k=place[1], init=init, width=width, m=m, train_size=0)
            for place, init, width, m in cells
        )
    )


def as_in_the_paper(n, k, init, width, m):
    """Wider networks and sparse ones need less data."""
    return 10 if m * width * (3 if init == "sparse" else 1) >= 600_000 else 5 if m * width >= 300_000 else 0


@pytest.mark.parametrize(
    ("claim", "won", "holds"),
    [
        ("1-frontier", as_in_the_paper, True),
        ("1-frontier", lambda n, k, init, width, m: 10 if init == "sparse" else 9, True),
        ("1-frontier", lambda n, k, init, width, m: 10 if init == "sparse" else 8, False),
        ("2-width-luck", as_in_the_paper, True),
        ("2-width-luck", lambda n, k, init, width, m: 10 if width > 10 else 5, True),
        ("2-width-luck", lambda n, k, init, width, m: 10 if width > 10 or init == "dense" else 5, False),
        ("2-width-luck", lambda n, k, init, width, m: 10 if width > 10 else 6, False),
        ("2-width-monotone", as_in_the_paper, True),
        ("2-width-monotone", lambda n, k, init, width, m: 0 if width == 1000 else 10, False),
        ("2-width-monotone", lambda n, k, *cell: 0 if cell == ("dense", 1000, 2000) else 10, False),  # one of 16 pairs
        ("3-sparse", as_in_the_paper, True),
        ("3-sparse", lambda n, k, init, width, m: 8 if init == "sparse" else 4, True),
        ("3-sparse", lambda n, k, init, width, m: 7 if init == "sparse" else 4, False),
        ("luck", as_in_the_paper, True),
        ("luck", lambda n, k, init, width, m: 10 if m >= 1000 else 0, False),
        ("1-frontier-panels", as_in_the_paper, True),
        ("1-frontier-panels", lambda n, k, init, width, m: 10 if m == 10_000 else 0, False),
        ("3-sparse-region", as_in_the_paper, True),
        ("3-sparse-region", lambda n, k, init, width, m: 10 if init == "dense" else 0, False),
    ],
)
def test_a_claim_follows_the_counts(claim, won, holds):
    assert check(STUDY, claim, heat_map(won)).holds is holds


@pytest.mark.parametrize("claim", ["1-frontier", "2-width-luck", "3-sparse"])
def test_a_missing_cell_is_not_enough(claim):
    frame = heat_map(as_in_the_paper)
    wide = (frame["width"] == 300) & (frame["init"] == "sparse")
    assert check(STUDY, claim, frame.filter(~wide)).holds is None


PLACES = tuple(product((50, 100, 150, 200), (3, 4, 5)))  # twelve, of two panels each


def hurt_at_one_place(n, k, init, width, m):
    dips = (n, k, init, width) == (200, 3, "dense", 300)
    return {300: 0, 1000: 10, 2000: 5, 10_000: 10}[m] if dips else 10


def test_more_data_hurts_somewhere_or_every_panel_must_be_seen():
    claim = "4-more-data-hurts"
    assert check(STUDY, claim, heat_map(hurt_at_one_place, PLACES)).holds is True
    assert check(STUDY, claim, heat_map(hurt_at_one_place, ((200, 3),))).holds is True
    assert check(STUDY, claim, heat_map(as_in_the_paper, PLACES)).holds is False
    assert check(STUDY, claim, heat_map(as_in_the_paper, PLACES[:-1])).holds is None


def test_width_must_turn_twenty_of_24_panels():
    claim = "2-width-columns"
    assert check(STUDY, claim, heat_map(as_in_the_paper, PLACES)).holds is True
    few = heat_map(lambda n, k, *cell: as_in_the_paper(n, k, *cell) if k < 5 else 0, PLACES)
    assert check(STUDY, claim, few).holds is False
    assert check(STUDY, claim, heat_map(as_in_the_paper, PLACES[:3])).holds is None


def curves(fitted, passed, test_error=0.45, runs=10, **where):
    """Runs whose training error reaches 1% and whose test error reaches 10% at these steps (None: never)."""
    steps = [0, 100, 200, 300, 400, 500]
    train = [0.01 if fitted is not None and t >= fitted else 0.5 for t in steps]
    test = [0.05 if passed is not None and t >= passed else test_error for t in steps]
    errors = {"curve_step": steps, "curve_train_error": train, "curve_test_error": test}
    place = {"n": 20, "k": 3, "init": "dense", "width": 100, "m": 300, "train_size": 300, **where}
    return cell(runs if passed is not None else 0, runs, **errors, **place)


@pytest.mark.parametrize(
    ("made", "holds"),
    [
        ([curves(100, 200)], True),
        ([curves(100, 200, runs=8), curves(100, 100, runs=2)], True),  # 80%
        ([curves(100, 200, runs=7), curves(100, 100, runs=3)], False),
        ([curves(200, 300)], False),  # not twice as late
        ([curves(100, 300, test_error=0.3)], False),  # no longer near chance when the sample was fitted
        ([curves(100, None)], False),
        ([curves(None, None)], False),
        ([curves(100, 200, init="sparse")], None),
    ],
)
def test_grokking_is_a_delay_between_fitting_and_passing(made, holds):
    assert check(STUDY, "4-grokking", table(*made)).holds is holds


@pytest.mark.parametrize(
    ("made", "holds"),
    [
        ([curves(100, 300), curves(200, 300, m=10**6)], True),
        ([curves(200, 500), curves(200, 300, m=10**6)], False),  # 2.5 times
        ([curves(100, 300), curves(100, 300, m=10**6)], False),  # none is quick
        ([curves(100, 300), curves(200, 300, m=10_000)], False),  # quick, but not by data
        ([curves(None, 300)], None),
    ],
)
def test_grokking_shows_in_one_box_and_not_in_one_with_many_examples(made, holds):
    assert check(STUDY, "4-grokking-boxes", table(*made)).holds is holds
