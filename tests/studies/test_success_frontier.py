"""The claims of the success frontier on results we choose: each can hold, fail, and wait for more runs."""

from itertools import product

import polars as pl
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


def curves(fitted, passed, test_error=0.45, runs=10, passes=0.05, **where):
    """Runs whose training error reaches 1% and whose test error reaches 10% at these steps (None: never)."""
    steps = [0, 100, 200, 300, 400, 500]
    train = [0.01 if fitted is not None and t >= fitted else 0.5 for t in steps]
    test = [passes if passed is not None and t >= passed else test_error for t in steps]
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


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


def counted(won, trials=10, **where):
    """The heat map of the paper's shape with another count in one cell; ``where`` names it."""
    made = [
        {**row, "success": i < won, "steps_to_success": 1 if i < won else None}
        for i, row in enumerate(cell(0, trials, n=50, k=3, train_size=0, **where))
    ]
    kept = heat_map(as_in_the_paper)
    this = (kept["init"] == where["init"]) & (kept["width"] == where["width"]) & (kept["m"] == where["m"])
    return pl.concat([kept.filter(~this), table(made)], how="diagonal_relaxed")


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize(
    ("claim", "width", "m", "counts", "value"),
    [
        ("1-frontier", 300, 2000, (90, 89), lambda won: won / 100),
        ("2-width-luck", 10, 2000, (50, 51), lambda won: 1 - won / 100),
    ],
)
def test_both_initialisations_count(init, claim, width, m, counts, value):
    for won, held in zip(counts, (True, False), strict=True):
        finding = check(STUDY, claim, counted(won, 100, init=init, width=width, m=m))
        assert finding.holds is held
        assert finding.measured.value == pytest.approx(value(won))


@pytest.mark.parametrize(("won", "held"), [(60, True), (61, False)])
def test_sparse_starts_save_forty_points(won, held):
    made = heat_map(lambda n, k, init, width, m: 10)
    dense = cell(won, 100, n=50, k=3, train_size=0, init="dense", width=300, m=1000)
    this = (made["init"] == "dense") & (made["width"] == 300) & (made["m"] == 1000)
    finding = check(STUDY, "3-sparse", pl.concat([made.filter(~this), table(dense)], how="diagonal_relaxed"))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(1 - won / 100)


@pytest.mark.parametrize(("last", "held"), [(6, True), (5, False)])
def test_two_standard_errors_of_a_fall(last, held):
    """Of ten runs: 45 points, so that from ten successes to six is within, to five is not."""
    won = lambda n, k, init, width, m: last if (init, width, m) == ("dense", 1000, 2000) else 10
    finding = check(STUDY, "2-width-monotone", heat_map(won))
    assert finding.holds is held
    assert finding.measured.value == (1.0 if held else 15 / 16)


@pytest.mark.parametrize(("last", "held"), [(372, True), (371, False)])
def test_the_standard_error_of_a_difference(last, held):
    """Of 400 runs: two standard errors are at most 7.07 points, 28.3 runs."""
    place = {"n": 50, "k": 3, "init": "dense", "m": 2000, "train_size": 0}
    made = table(cell(400, 400, width=10, **place), cell(last, 400, width=300, **place))
    assert check(STUDY, "2-width-monotone", made).holds is held
    assert "largest drop 7%" in check(STUDY, "2-width-monotone", made).detail


def test_one_neighbour_in_a_hundred_may_fall():
    for places, held in ((PLACES[:7], True), (PLACES[:6], False)):  # one of 112 pairs, one of 96
        won = lambda n, k, *cell: 0 if (n, k, *cell) == (50, 3, "dense", 1000, 2000) else 10
        assert check(STUDY, "2-width-monotone", heat_map(won, places)).holds is held


@pytest.mark.parametrize(("won", "m", "held"), [(5, 1000, True), (4, 1000, False), (10, 2000, False)])
def test_half_of_the_runs_at_a_hundredth_of_n_to_the_k(won, m, held):
    made = heat_map(lambda n, k, init, width, size: won if size == m else 0, ((50, 3), (100, 3)))
    fine = heat_map(lambda n, k, init, width, size: 10, ((100, 3),))
    finding = check(STUDY, "1-frontier-panels", pl.concat([made.filter(made["n"] == 50), fine], how="diagonal_relaxed"))
    assert finding.holds is held
    assert finding.measured.value == (1.0 if held else 0.5)


def test_every_place_must_have_as_large_a_region():
    less = lambda n, k, init, width, m: 4 if (n, init, width, m) == (100, "sparse", 1000, 300) else 5
    for width, held in (((10, 300, 1000), False), ((10, 300, 999), True)):
        made = heat_map(lambda n, k, init, w, m: less(n, k, init, w, m), ((50, 3), (100, 3)), widths=(10, 300, 1000))
        assert check(STUDY, "3-sparse-region", made).holds is False
        narrow = made.with_columns(width=pl.when(pl.col("width") == 1000).then(width[-1]).otherwise("width"))
        wide = heat_map(lambda *_: 5, ((50, 3), (100, 3)), widths=(2000,))
        assert check(STUDY, "3-sparse-region", pl.concat([narrow, wide], how="diagonal_relaxed")).holds is held


def test_columns_go_from_a_tenth_to_nine_tenths():
    """Of the 24 panels those of one k and init are four; the rest turn."""

    def rising(low, high, places):
        turn = lambda n, k, init, width, m: (low, 5, high) if (k, init) == (5, "dense") or n in places else (0, 5, 10)
        return heat_map(lambda n, k, init, width, m: turn(n, k, init, width, m)[(10, 300, 1000).index(width)], PLACES)

    for low, high, held in ((1, 9, True), (2, 9, False), (1, 8, False)):
        assert check(STUDY, "2-width-columns", rising(low, high, (50,))).holds is held  # nine panels are so
        assert check(STUDY, "2-width-columns", rising(low, high, ())).holds is True  # four of 24 may fail
    falling = heat_map(lambda n, k, init, width, m: {10: 10, 300: 5, 1000: 0}[width], PLACES)
    assert check(STUDY, "2-width-columns", falling).holds is False


@pytest.mark.parametrize(
    ("rates", "held"),
    [((7, 4, 7, 7), True), ((7, 5, 8, 8), False), ((7, 4, 6, 6), False), ((10, 0, 0, 3), True), ((4, 7, 7, 7), False)],
)
def test_a_row_falls_and_rises_by_thirty_points(rates, held):
    won = lambda n, k, init, width, m: rates[MS.index(m)] if (n, k, init, width) == (200, 3, "dense", 300) else 10
    finding = check(STUDY, "4-more-data-hurts", heat_map(won, PLACES))
    assert finding.holds is held


@pytest.mark.parametrize(
    ("made", "held"),
    [
        ([curves(100, 200, 0.35)], True),
        ([curves(100, 200, passes=0.1)], True),
        ([curves(100, 200, passes=0.101)], False),
        ([curves(100, 200, 0.34)], False),
        ([curves(100, 200, runs=80), curves(100, 100, runs=20)], True),
        ([curves(100, 200, runs=79), curves(100, 100, runs=21)], False),
        ([curves(200, 400)], True),
        ([curves(300, 500)], False),
    ],
)
def test_grokking_that_just_shows(made, held):
    assert check(STUDY, "4-grokking", table(*made)).holds is held


@pytest.mark.parametrize(
    ("made", "held"),
    [
        ([curves(100, 300), curves(200, 300, m=100_000)], True),
        ([curves(100, 300), curves(200, 300, m=99_999)], False),
        ([curves(100, 300), curves(300, 500, m=100_000)], False),  # 1.67 times
        ([curves(100, 100, runs=4), curves(100, 300, runs=5), curves(200, 300, m=100_000)], True),  # the median
        ([curves(100, 500, runs=4), curves(100, 200, runs=5), curves(200, 300, m=100_000)], False),
    ],
)
def test_boxes_that_just_show_it(made, held):
    assert check(STUDY, "4-grokking-boxes", table(*made)).holds is held


def test_twenty_of_24_panels():
    """Panels that do not turn, one more each time: those of one initialisation, place by place."""
    for flat, held in ((4, True), (5, False)):
        still = set(PLACES[:flat])
        won = lambda n, k, init, width, m, still=still: (
            5 if (n, k) in still and init == "dense" else int(width > 10) * 10
        )
        finding = check(STUDY, "2-width-columns", heat_map(won, PLACES, samples=(300,)))
        assert finding.holds is held
        assert finding.measured.value == pytest.approx(1 - flat / 24)
    assert check(STUDY, "2-width-columns", heat_map(won, PLACES[:-1], samples=(300,))).holds is None


@pytest.mark.parametrize(
    ("n", "m", "won", "held"), [(100, 10_000, 50, True), (100, 10_000, 49, False), (99, 10_000, 50, False)]
)
def test_the_hundredth_part_of_n_to_the_k(n, m, won, held):
    made = table(cell(won, 100, n=n, k=3, init="dense", width=10, m=m, train_size=0))
    assert check(STUDY, "1-frontier-panels", made).holds is held


@pytest.mark.parametrize(
    ("first", "low", "last", "held"), [(80, 50, 80, True), (79, 50, 80, False), (80, 50, 79, False)]
)
def test_the_dip_in_a_row(first, low, last, held):
    place = {"n": 50, "k": 3, "init": "dense", "width": 10, "train_size": 0}
    made = heat_map(lambda *_: 10, PLACES, widths=(300,), samples=(300,))
    row = table(*(cell(won, 100, m=m, **place) for m, won in zip(MS, (first, low, last), strict=False)))
    finding = check(STUDY, "4-more-data-hurts", pl.concat([made, row], how="diagonal_relaxed"))
    assert finding.holds is held
    assert not held or finding.measured.value == pytest.approx(0.3)
    assert check(STUDY, "4-more-data-hurts", row).holds is (held or None)


@pytest.mark.parametrize(("rates", "held"), [((10, 90), True), ((11, 90), False), ((10, 89), False), ((90, 10), False)])
def test_a_column_that_just_turns(rates, held):
    turning = lambda n, k, init, width, m: 0 if width == 10 else 10
    made = heat_map(
        lambda n, k, init, width, m: 5 if init == "dense" and (n, k) in PLACES[:5] else turning(n, k, init, width, m),
        PLACES,
        widths=(10, 300),
        samples=(300,),
    )
    place = {"n": PLACES[0][0], "k": PLACES[0][1], "init": "dense", "m": 400, "train_size": 0}
    column = table(*(cell(won, 100, width=width, **place) for width, won in zip((10, 300), rates, strict=True)))
    finding = check(STUDY, "2-width-columns", pl.concat([made, column], how="diagonal_relaxed"))
    assert finding.holds is held  # the twentieth panel
