import polars as pl
import pytest

from glassware.foundation.statistics import NEVER
from glassware.studies.pareto import slices
from glassware.studies.pareto.slices import (
    PAPER_SAMPLES,
    PAPER_WIDTHS,
    SAMPLES,
    STUDY,
    rise_after_minimum,
)
from tests.studies.made import cell, check, table

# Successes of 10 and median steps at each of the six sample sizes, by (init, width): the claims all hold.
GOOD = {
    ("dense", 30): ([0, 0, 2, 8, 9, 10], [0, 0, 4300, 4200, 2000, 1400]),
    ("dense", 300): ([0, 0, 9, 10, 10, 10], [0, 0, 4800, 2400, 1700, 1100]),
    ("sparse", 30): ([0, 2, 4, 9, 10, 10], [0, 2400, 2800, 2600, 2000, 1900]),
    ("sparse", 300): ([0, 4, 9, 10, 10, 10], [0, 5400, 3800, 2000, 1000, 800]),
}


def laptop(changes=None):
    made = {**GOOD, **(changes or {})}
    return table(
        *(
            cell(won, 10, steps, init=init, width=width, m=m)
            for (init, width), (wins, times) in made.items()
            for m, won, steps in zip(SAMPLES, wins, times, strict=True)
        )
    )


LAPTOP_CLAIMS = ["2-width-luck", "2-width-time", "3-sparse-luck", "3-sparse-luck-each", "4-data-or-time"]

BAD = {
    "width gains 20 points": ("2-width-luck", {("dense", 300): ([0, 0, 4, 10, 10, 10], [1000] * 6)}),
    "width gains at 500 and loses elsewhere": ("2-width-luck", {("dense", 300): ([0, 0, 9, 0, 0, 0], [1000] * 6)}),
    "one init does not gain time": ("2-width-time", {("sparse", 300): (GOOD["sparse", 300][0], [1900] * 6)}),
    "wide networks fail at 2,000": ("2-width-time", {("dense", 300): ([0, 0, 9, 10, 10, 2], [1000] * 6)}),
    "narrow sparse is unluckier": ("3-sparse-luck-each", {("sparse", 30): ([0, 0, 0, 8, 9, 10], [1000] * 6)}),
    "wide sparse is unluckier": ("3-sparse-luck", {("sparse", 300): ([0, 0, 0, 8, 9, 10], [1000] * 6)}),
    "time does not fall with data": ("4-data-or-time", {("dense", 300): (GOOD["dense", 300][0], [1000] * 6)}),
    "only the largest m is learned": ("4-data-or-time", {("dense", 300): ([0, 0, 0, 0, 0, 10], [1000] * 6)}),
    "nothing is learned": ("4-data-or-time", {("dense", 300): ([0] * 6, [1000] * 6)}),
}


@pytest.mark.parametrize("claim", LAPTOP_CLAIMS)
def test_claims_hold_on_results_that_show_them(claim):
    assert check(STUDY, claim, laptop()).holds is True


@pytest.mark.parametrize("case", BAD)
def test_claims_fail_on_results_that_do_not(case):
    claim, changes = BAD[case]
    assert check(STUDY, claim, laptop(changes)).holds is False


@pytest.mark.parametrize("claim", LAPTOP_CLAIMS)
def test_a_missing_cell_is_not_enough(claim):
    frame = laptop()
    part = frame.filter(~((frame["m"] == 2000) & (frame["width"] == 300) & (frame["init"] == "sparse")))
    assert check(STUDY, claim, part).holds is None


def paper(turns=None, slow=None):
    """Every width succeeds from its own m on, after 1,000 steps or what ``slow`` says at the largest sample sizes."""
    turns = {**{(init, r): 20_000 // (10 ** (i + (init == "sparse"))) + 2000 for init in slices.INITS
                for i, r in enumerate(PAPER_WIDTHS)}, **(turns or {})}  # fmt: skip
    return table(
        *(
            cell(
                4 if m >= turn else 0,
                4,
                (slow or {}).get((init, r), 1000) if m > 50_000 else 1000,
                init=init,
                width=r,
                m=m,
            )
            for (init, r), turn in turns.items()
            for m in PAPER_SAMPLES
        )
    )


SLOW_NARROW = {("dense", 100): 2000}


@pytest.mark.parametrize(
    ("claim", "frame", "holds"),
    [
        ("2-width-data", paper(), True),
        ("2-width-data", paper({("dense", 1000): 90_000}), False),
        ("2-width-data", paper({("dense", 1000): 22_000}), False),  # as many as with width 100
        ("2-width-data", paper({("sparse", 100): 10**9, ("sparse", 1000): 10**9}), False),
        ("3-sparse-data", paper(), True),
        ("3-sparse-data", paper({("dense", 10_000): 10**9}), True),
        ("3-sparse-data", paper({("sparse", 10_000): 70_000}), False),
        ("3-sparse-data", paper({("sparse", 10_000): 2200}), False),  # as many as dense
        ("4-more-data-slower", paper(slow=SLOW_NARROW), True),
        ("4-more-data-slower", paper(), False),
        ("4-more-data-slower", paper(slow={**SLOW_NARROW, ("dense", 10_000): 2000}), False),
    ],
)
def test_claims_at_paper_scale(claim, frame, holds):
    assert check(STUDY, claim, frame).holds is holds
    assert check(STUDY, claim, frame.filter(frame["m"] != PAPER_SAMPLES[7])).holds is None


def test_rise_after_minimum():
    assert rise_after_minimum([NEVER, 300, 100, 250, 200]) == 2.5
    assert rise_after_minimum([NEVER, 300, 100, NEVER]) == NEVER
    assert rise_after_minimum([NEVER, 300, 200, 100]) == 1
    assert rise_after_minimum([100, 200, 300]) == 1
    assert rise_after_minimum([NEVER, NEVER]) == 1


def test_the_papers_sample_sizes_are_twelve_a_decade():
    assert PAPER_SAMPLES[0] == 1000
    assert PAPER_SAMPLES[12] == 10_000
    assert len(PAPER_SAMPLES) == 24


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


def other(init, width, wins=None, times=None):
    """One column of the good results with other successes or other steps."""
    return laptop({(init, width): (wins or GOOD[init, width][0], times or GOOD[init, width][1])})


@pytest.mark.parametrize("init", slices.INITS)
@pytest.mark.parametrize(("won", "held"), [(0, True), (1, False)])
def test_width_must_gain_thirty_points_at_the_edge(init, won, held):
    narrow = [*GOOD[init, 30][0]]
    narrow[2] = 6 + won  # of ten, against nine at the larger width
    finding = check(STUDY, "2-width-luck", other(init, 30, narrow))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(0.3 - won / 10)


@pytest.mark.parametrize(("most", "held"), [(8, True), (9, False)])
def test_width_must_gain_on_average_over_m(most, held):
    """Wide: three runs of ten more at the edge; elsewhere it loses two, or as many as that."""
    made = laptop(
        {("dense", 30): ([0, 0, 6, most, 10, 10], [1000] * 6), ("dense", 300): ([0, 0, 9, 9, 9, 8], [1000] * 6)}
    )
    assert check(STUDY, "2-width-luck", made).holds is held


@pytest.mark.parametrize("init", slices.INITS)
@pytest.mark.parametrize(("faster", "held"), [(1, True), (0, False)])
def test_width_must_save_a_step(init, faster, held):
    narrow, wide = ([*GOOD[init, width][1]] for width in (30, 300))
    wide[-1] = narrow[-1] - faster
    finding = check(STUDY, "2-width-time", other(init, 300, times=wide))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(narrow[-1] / wide[-1])


@pytest.mark.parametrize("init", slices.INITS)
@pytest.mark.parametrize(("won", "steps", "held"), [(5, 2000, True), (5, 1999, False), (4, 2000, False)])
def test_the_smallest_learnable_sample_takes_twice_as_long(init, won, steps, held):
    made = other(init, 300, [0, 0, won, 10, 10, 10], [0, 0, steps, 1500, 1500, 1000])
    # Of ten runs of which half succeed the median, the upper of two, is for ever; so the cell has eleven.
    more = cell(1, 1, steps, init=init, width=300, m=SAMPLES[2])
    finding = check(STUDY, "4-data-or-time", pl.concat([made, table(more)]))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(steps / 1000 if won == 5 else 1.5)


@pytest.mark.parametrize(("fewer", "held"), [(0, True), (1, False)])
@pytest.mark.parametrize("width", [30, 300])
def test_sparse_starts_are_no_unluckier(width, fewer, held):
    dense = GOOD["dense", width][0]
    made = other("sparse", width, [*dense[:-1], dense[-1] - fewer])
    finding = check(STUDY, "3-sparse-luck-each", made)
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(-fewer / 60)
    assert check(STUDY, "3-sparse-luck", made).holds is (held or width == 30)


@pytest.mark.parametrize(
    ("narrow", "wide", "held"), [(1500, 1000, True), (1499, 1000, False), (1500, 1499, True), (1500, 1500, False)]
)
def test_a_narrow_network_slows_by_half_and_a_wide_one_does_not(narrow, wide, held):
    made = paper(slow={("dense", 100): narrow, ("sparse", 10_000): wide})
    finding = check(STUDY, "4-more-data-slower", made)
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(narrow / 1000)
