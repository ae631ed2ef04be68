import math

import polars as pl
import pytest

from glassware.studies.hidden_progress.finite_samples import PAPER_DECAYS, PAPER_SAMPLES, STUDY, _grid, _run, delays
from glassware.studies.hidden_progress.shared.trials import repeat
from tests.studies.drawn import drawn, table, whole
from tests.studies.made import check

STEPS = 60


def cell(m, decay, *delayed, n=30, fits=True):
    """Runs that fit their sample at step 100 and pass the test so many times later, or never."""
    (run,) = _grid(_run(n, 3, 50_000, 50, 1000), [m], [decay])
    rows = []
    for seeded, delay in zip(repeat([run], len(delayed)), delayed, strict=True):
        test = [0.5 if i < delay else 0.0 for i in range(STEPS if math.isinf(delay) else int(delay) + 1)]
        train = [0.5] + [0.0 if fits else 0.1] * (len(test) - 1)
        rows.append(drawn(seeded, test, train=train))
    return rows


NEVER = math.inf


def test_delays():
    assert delays(table(cell(500, 0.003, 5, 20, NEVER)), 30, 500, 0.003) == [5, 20, NEVER]
    (run,) = _grid(_run(30, 3, 50_000, 50, 1000), [500], [0.003])
    nearly = drawn(run, [0.5, 0.5, 0.5, 0.01, 0.0], train=[0.5, 0.01, 0.0, 0.0, 0.0])  # an error of 1% is not 0
    assert delays(table(nearly), 30, 500, 0.003) == [2.0]


@pytest.mark.parametrize(
    ("delayed", "every", "typical"),
    [([5, 20], True, True), ([4, 20, 30], False, True), ([5, 20, NEVER], False, True), ([4, 4, 20], False, False),
     ([5, NEVER, NEVER], False, False)],
)  # fmt: skip
def test_grokking(delayed, every, typical):
    made = table(cell(500, 0.003, *delayed))
    assert check(STUDY, "4b-groks", made).holds is every
    assert check(STUDY, "4b-median-groks", made).holds is typical
    assert check(STUDY, "4b-groks", table(cell(500, 0.01, *delayed))).holds is None


@pytest.mark.parametrize(("delayed", "holds"), [([1, 3], True), ([1, 4], False), ([1, NEVER], False)])
def test_no_gap(delayed, holds):
    assert check(STUDY, "4b-no-gap", table(cell(1000, 0.01, *delayed))).holds is holds


def test_too_few():
    never = cell(300, 0.003, NEVER, NEVER)
    assert check(STUDY, "4b-too-few", table(never, cell(300, 0.01, NEVER))).holds
    assert not check(STUDY, "4b-too-few", table(never, cell(300, 0.01, 20))).holds
    assert not check(STUDY, "4b-too-few", table(never, cell(300, 0.01, NEVER, fits=False))).holds
    assert check(STUDY, "4b-too-few", table(cell(500, 0.003, NEVER))).holds is None


def paper(delay=2.0, **changed):
    """The paper's grid: every m from a decay's own on is solvable with this delay; at decay 0.1 none is."""
    smallest = {0.0: 5000, 0.001: 5000, 0.003: 2000, 0.01: 1000, 0.03: 1000, **changed.get("smallest", {})}
    return table(
        *(
            cell(m, decay, delay if m >= smallest.get(decay, NEVER) else NEVER, n=50, fits=decay < 0.1)
            for m in PAPER_SAMPLES
            for decay in PAPER_DECAYS
        )
    )


def test_the_papers_grid():
    made = paper()
    assert check(STUDY, "15-decay-saves-examples", made).holds
    assert not check(STUDY, "15-decay-saves-examples", paper(smallest={0.01: 5000})).holds
    assert check(STUDY, "15-no-gap", made).holds
    assert not check(STUDY, "15-no-gap", paper(delay=3)).holds
    assert check(STUDY, "15-groks", paper(delay=5)).holds
    assert not check(STUDY, "15-groks", made).holds
    assert check(STUDY, "15-too-much-decay", made).holds
    rest = made.filter((made["m"] != 5000) | (made["weight_decay"] != 0.1))
    assert check(STUDY, "15-too-much-decay", rest).holds is None
    assert not check(STUDY, "15-too-much-decay", table(*(cell(m, 0.1, 2, n=50) for m in PAPER_SAMPLES))).holds


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


def fine(m, decay, *delayed, n=30, fit=10, train=0.0, level=0.5):
    """Runs examined ten times before they fit: delays in tenths. They end with these errors if they never pass."""
    (run,) = _grid(_run(n, 3, 50_000, 50, 1000), [m], [decay])
    found = []
    for seeded, delay in zip(repeat([run], len(delayed)), delayed, strict=True):
        last = 20 if math.isinf(delay) else round(10 * delay)
        test = [level if math.isinf(delay) or i < last else 0.0 for i in range(last + 1)]
        found.append(drawn(seeded, test, train=[0.5 if i < fit else train for i in range(last + 1)]))
    return found


@pytest.mark.parametrize(
    ("claim", "m", "decay", "delayed", "holds", "value"),
    [
        ("4b-groks", 500, 0.003, (5.0, 9.0, 20.0), True, 5.0),
        ("4b-groks", 500, 0.003, (4.9, 9.0, 20.0), False, 4.9),
        ("4b-median-groks", 500, 0.003, (1.0, 5.0, 20.0), True, 5.0),
        ("4b-median-groks", 500, 0.003, (1.0, 4.9, 20.0), False, 4.9),
        ("4b-median-groks", 500, 0.003, (5.0, 5.0, NEVER), True, 5.0),
        ("4b-no-gap", 1000, 0.01, (1.0, 1.0, 3.0), True, 3.0),
        ("4b-no-gap", 1000, 0.01, (1.0, 1.0, 3.1), False, 3.1),
    ],
)
def test_delays_that_just_hold(claim, m, decay, delayed, holds, value):
    finding = check(STUDY, claim, table(fine(m, decay, *delayed)))
    assert finding.holds is holds
    assert finding.measured.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("train", "level", "holds"), [(0.0, 0.21, True), (0.0, 0.2, True), (0.0, 0.19, False), (0.001, 0.5, False)]
)
def test_one_run_with_too_few_examples_that_generalises_is_enough(train, level, holds):
    stuck = fine(300, 0.003, NEVER, NEVER, NEVER)
    finding = check(STUDY, "4b-too-few", table(stuck, fine(300, 0.01, NEVER, train=train, level=level)))
    assert finding.holds is holds
    assert finding.measured.value == (1.0 if holds else 0.75)


def grid_of(**special):
    """One run a cell of the paper's grid that passes when it fits; some cells (``m_decay``) are otherwise."""
    chosen = {(m, decay): fine(m, decay, 1.0, n=50) for m in PAPER_SAMPLES for decay in PAPER_DECAYS}
    for name, rows in special.items():
        m, decay = name[1:].split("_")
        chosen[int(m), PAPER_DECAYS[int(decay)]] = rows(int(m), PAPER_DECAYS[int(decay)])
    return table(*(rows for rows in chosen.values() if rows))


def runs_of(*delayed, **more):
    return lambda m, decay: fine(m, decay, *delayed, n=50, **more)


@pytest.mark.parametrize(
    ("delayed", "holds"), [((1.0, 5.0, 9.0), True), ((1.0, 4.9, 9.0), False), ((1.0, NEVER, NEVER), False)]
)
def test_the_median_run_of_some_cell_groks(delayed, holds):
    finding = check(STUDY, "15-groks", grid_of(m500_2=runs_of(*delayed)))
    assert finding.holds is holds
    assert finding.measured.value == (1.0 if NEVER in delayed else delayed[1])


@pytest.mark.parametrize(
    ("special", "holds"),
    [
        ({"m10000_1": runs_of(1.0, 2.0, 9.0)}, True),
        ({"m10000_1": runs_of(1.0, 2.1, 9.0)}, False),
        ({"m5000_1": runs_of(9.0)}, True),
        ({"m10000_4": runs_of(NEVER)}, False),
        ({"m10000_4": runs_of(NEVER, train=0.001)}, True),  # a decay that does not fit the sample is left out
    ],
)
def test_no_gap_at_the_largest_sample(special, holds):
    assert check(STUDY, "15-no-gap", grid_of(**special)).holds is holds


@pytest.mark.parametrize(("m", "train", "holds"), [(1000, 0.001, True), (1000, 0.0, False), (500, 0.0, True)])
def test_one_run_that_fits_under_too_much_decay_is_enough(m, train, holds):
    never = {f"m{size}_5": runs_of(NEVER, NEVER, train=0.001) for size in PAPER_SAMPLES}
    assert (
        check(STUDY, "15-too-much-decay", grid_of(**{**never, f"m{m}_5": runs_of(NEVER, train=train)})).holds is holds
    )


def solvable_from(smallest):
    """Of six runs three succeed from this sample size on, by decay, and two below it."""
    half, fewer = runs_of(1.0, 1.0, 1.0, NEVER, NEVER, NEVER), runs_of(1.0, 1.0, NEVER, NEVER, NEVER, NEVER)
    places = [(m, i, least) for i, least in enumerate(smallest) for m in PAPER_SAMPLES]
    return grid_of(**{f"m{m}_{i}": half if m >= least else fewer for m, i, least in places})


@pytest.mark.parametrize(
    ("smallest", "holds", "value"),
    [
        ((5000, 5000, 2000, 1000, 1000, NEVER), True, 1.0),
        ((5000, 2000, 5000, 1000, 1000, NEVER), False, 2.5),
        ((5000, 2000, 1000, 500, 1000, 200), False, 2.0),
        ((5000, 2000, NEVER, NEVER, NEVER, NEVER), True, 0.4),
        ((5000, NEVER, NEVER, NEVER, NEVER, NEVER), None, None),
    ],
)
def test_the_smallest_solvable_sample_may_not_grow_with_decay(smallest, holds, value):
    finding = check(STUDY, "15-decay-saves-examples", solvable_from(smallest))
    assert finding.holds is holds
    assert value is None or finding.measured.value == pytest.approx(value)
    missing = solvable_from(smallest).filter((pl.col("m") != 200) | (pl.col("weight_decay") != 0.01))
    assert check(STUDY, "15-decay-saves-examples", missing).holds is None


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=60, paper=180)
