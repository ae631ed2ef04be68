"""The paper's tables and its coarse scaling laws."""

import math

import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.foundation.statistics import NEVER
from glassware.studies.hidden_progress import coarse_scaling, tables
from glassware.studies.hidden_progress.shared import printed
from glassware.studies.hidden_progress.shared.places import Place, fastest, success, surest
from glassware.studies.hidden_progress.shared.rows import with_setting
from tests.studies.hidden import index, timing
from tests.studies.made import check

TABLES, SCALING = tables.STUDY, coarse_scaling.STUDY


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    """No interval is looked at here."""
    monkeypatch.setattr(statistics, "RESAMPLES", 4)


def test_the_best_rate_is_the_fastest_or_the_surest():
    rates = {1.0: [10.0, 10.0, NEVER, NEVER], 0.1: [30.0, 40.0, 50.0, NEVER], 0.01: [NEVER] * 4}
    assert fastest(rates) == 10.0
    assert success(rates) == (3, 4)
    assert surest(rates) == pytest.approx(33.0)


@pytest.mark.parametrize(
    ("ours", "theirs", "agree"),
    [(20, 10, True), (21, 10, False), (5, 10, True), (4.9, 10, False), (NEVER, 10, False), (NEVER, NEVER, True)],
)
def test_times_agree_within_a_factor_of_two(ours, theirs, agree):
    assert tables.agree(ours, theirs) is agree


def test_printed_numbers():
    assert len(printed.TIMES) == 18 * 15
    assert printed.TIMES["i", 2, 1] == 628
    assert printed.TIMES["xiii", 4, 1] == 22142
    assert printed.TIMES["*i", 3, 1] == NEVER
    assert printed.success("xiii", 4, 4) == 0.48
    assert printed.success("ii", 4, 1) == 1.0
    assert printed.success("*i", 3, 1024) == 0.64
    assert printed.success("xv", 4, 1) is None


@pytest.fixture(scope="module")
def laptop():
    return timing(TABLES.runs("laptop", 5))


@pytest.fixture(scope="module")
def names():
    """The setting of every run of both studies, by its model."""
    runs = [*TABLES.runs("laptop", 1), *SCALING.runs("laptop", 1)]
    made = with_setting(timing(runs)(lambda run: 1.0))
    return {run.model: setting for run, setting in zip(runs, made["setting"], strict=True)}


def like_print(names, factor=lambda place: 1.0):
    """The printed time times a factor, at one rate; the other rates fail."""

    def time(run):
        place = Place(names[run.model], run.task.n, run.task.k, run.batch)
        theirs = printed.TIMES[place.setting, place.k, place.batch]
        return theirs * factor(place) if run.optimiser.lr == 0.1 else None

    return time


def test_times_like_the_printed_ones(laptop, names):
    made = laptop(like_print(names))
    assert check(TABLES, "7-calibrated", made).holds
    assert check(TABLES, "7-held-out", made).holds
    assert check(TABLES, "8-most-converge", made).holds


def test_times_that_differ(laptop, names):
    few = laptop(like_print(names, lambda place: 3.0 if place.setting in ("i", "ii") else 1.0))
    assert check(TABLES, "7-calibrated", few).holds  # 22 of 26
    found = check(TABLES, "7-held-out", few)  # 8 of 12
    assert found.holds is False
    assert "(i) k=2 B=4 462 against 154" in found.detail
    assert check(TABLES, "7-calibrated", laptop(like_print(names, lambda place: 3.0))).holds is False


def test_one_cell_with_many_failures_is_enough(laptop):
    made = laptop(lambda run: None if run.model.name == "polynet" and index(run) > 2 else 50.0)
    found = check(TABLES, "8-most-converge", made)
    assert found.holds is False
    assert found.measured.value == pytest.approx(0.6)
    assert "(xv) k=2 B=32 3/5" in found.detail


@pytest.mark.parametrize(("k", "held"), [(2, False), (3, False), (4, True)])
def test_most_runs_of_parities_of_four_need_not_converge(laptop, k, held):
    finding = check(TABLES, "8-most-converge", laptop(lambda run: None if run.task.k == k else 50.0))
    assert finding.holds is held
    assert finding.measured.value == float(held)
    if held:
        assert finding.detail == "32 of 32 cells reach 80%"


def test_missing_cells(laptop):
    made = laptop(lambda run: 50.0)
    part = made.filter(made["model"] != "polynet")
    for claim in ("7-calibrated", "7-held-out", "8-most-converge"):
        assert check(TABLES, claim, part).holds is None


def test_the_papers_claims_on_its_grid():
    runs = [run for run in TABLES.runs("paper", 1) if run.task.n == 30 and run.optimiser.lr == 0.001]
    made = timing(runs)
    found = with_setting(made(lambda run: 1.0))["setting"]
    place = {id(run): Place(s, 30, run.task.k, run.batch) for run, s in zip(runs, found, strict=True)}

    def theirs(run):
        time = printed.TIMES[place[id(run)].setting, run.task.k, run.batch]
        return None if time == NEVER else time

    good = made(theirs)
    assert check(TABLES, "7-batches", good).holds
    assert check(TABLES, "7-one-by-one", good).holds
    assert check(TABLES, "8-all-converge", good).holds
    assert check(TABLES, "8-narrow", good).holds is False
    width_k = lambda run: place[id(run)].setting == "*i"
    assert check(TABLES, "8-narrow", made(lambda run: None if width_k(run) else theirs(run))).holds
    slow = made(lambda run: 3 * theirs(run) if theirs(run) and run.batch == 1 else theirs(run))
    assert check(TABLES, "7-one-by-one", slow).holds is False
    assert check(TABLES, "7-batches", slow).holds
    bad = made(lambda run: None if run.model.name == "polynet" and run.batch == 1024 else theirs(run))
    assert check(TABLES, "8-all-converge", bad).holds is False


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


def test_the_share_of_printed_times_that_must_agree(laptop, names):
    for claim, places, least in (("7-calibrated", tables.CALIBRATED, 21), ("7-held-out", tables.HELD_OUT, 9)):
        for agreeing, held in ((least, True), (least - 1, False)):
            far = set(places[agreeing:])
            made = laptop(like_print(names, lambda place, far=far: 2.1 if place in far else 1.0))
            finding = check(TABLES, claim, made)
            assert finding.holds is held
            assert finding.measured.value == agreeing / len(places)


@pytest.mark.parametrize(("won", "held"), [(20, True), (19, False)])
def test_four_fifths_of_the_runs_at_the_best_rate(laptop, won, held):
    few = laptop(lambda run: 50.0 if run.optimiser.lr == 0.1 else None)
    one = timing([Place("xv", 30, 3, 32).run(lr, 20_000) for lr in (0.1, 1.0) for _ in range(25)])
    rest = few.filter((pl.col("model") != "polynet") | (pl.col("k") != 3) | (pl.col("batch") != 32))
    count = iter(range(50))
    made = pl.concat([rest, one(lambda run: 50.0 if next(count) < won else None)], how="diagonal_relaxed")
    finding = check(TABLES, "8-most-converge", made)
    assert finding.holds is held
    assert finding.measured.value == won / 25


@pytest.fixture(scope="module")
def paper():
    """Rows of the paper's places at n = 30 and one rate, and the place of each."""
    runs = [run for run in TABLES.runs("paper", 1) if run.task.n == 30 and run.optimiser.lr == 0.001]
    frame = with_setting(timing(runs)(lambda run: 1.0))
    return frame, [Place(*place) for place in frame.select(*Place._fields).iter_rows()]


def with_times(paper, time, again=lambda place: 1):
    """Every place as often as told, with the times we choose: a function of place and turn."""
    frame, places = paper
    found = [(i, time(place, turn)) for i, place in enumerate(places) for turn in range(again(place))]
    times_ = pl.Series("steps_to_success", [None if t is None or t == NEVER else t for _, t in found], pl.Float64)
    return frame[[i for i, _ in found]].with_columns(times_, success=times_.is_not_null())


@pytest.mark.parametrize(("claim", "single", "least"), [("7-batches", False, 0.8), ("7-one-by-one", True, 0.6)])
def test_the_share_of_the_papers_times_that_must_agree(paper, claim, single, least):
    places = [place for place in paper[1] if (place.batch == 1) == single]
    enough = math.ceil(least * len(places))
    theirs = lambda place: printed.TIMES[place.setting, place.k, place.batch]
    for agreeing, held in ((enough, True), (enough - 1, False)):
        far = set(places[agreeing:])
        off = lambda place, far=far: 50.0 if theirs(place) == NEVER else 2.1 * theirs(place)
        made = with_times(paper, lambda place, _, far=far, off=off: off(place) if place in far else theirs(place))
        finding = check(TABLES, claim, made)
        assert finding.holds is held
        assert finding.measured.value == pytest.approx(agreeing / len(places))


@pytest.mark.parametrize(("won", "held"), [(24, True), (23, False)])
def test_all_but_one_run_in_25_from_batches_of_32_on(paper, won, held):
    for batch, counts in ((32, True), (4, False)):
        one = Place("xv", 30, 4, batch)
        time = lambda place, turn, one=one: None if place.setting == "*i" or (place == one and turn >= won) else 50.0
        made = with_times(paper, time, lambda place, one=one: 25 if place == one else 1)
        assert check(TABLES, "8-all-converge", made).holds is (held or not counts)


@pytest.mark.parametrize(("won", "held"), [(17, True), (18, False)])
def test_networks_of_width_k_fail_once_in_ten(paper, won, held):
    one = Place("*i", 30, 3, 1024)
    time = lambda place, turn: 50.0 if place == one and turn < won else None
    finding = check(TABLES, "8-narrow", with_times(paper, time, lambda place: 20 if place == one else 1))
    assert finding.holds is held
    assert finding.measured.value == won / 20


@pytest.fixture(scope="module")
def scaled():
    return timing(SCALING.runs("laptop", 5))


def bound(exponent):
    """Times on the coarse law with this exponent of (setting, k)."""
    return lambda run: 40 * (run.task.n - 9) ** exponent(run) if run.optimiser.lr == 0.1 else None


def test_exponents_of_the_coarse_law(scaled):
    good = scaled(bound(lambda run: 0.4 * run.task.k))
    assert check(SCALING, "9-grows", good).holds
    found = check(SCALING, "9-at-most-k", good)
    assert found.holds
    assert found.measured.value == pytest.approx(0.4, abs=0.01)
    flat = scaled(bound(lambda run: 0.8))
    assert check(SCALING, "9-grows", flat).holds is False
    steep = scaled(bound(lambda run: 2.2))
    assert check(SCALING, "9-at-most-k", steep).holds is False


def test_six_of_eight_settings_are_enough(scaled):
    single = lambda run: run.model.name == "neuron"  # two of the eight
    made = scaled(bound(lambda run: 0.8 if single(run) else 0.4 * run.task.k))
    assert check(SCALING, "9-grows", made).holds
    more = scaled(bound(lambda run: 0.8 if single(run) or run.model.name == "polynet" else 0.4 * run.task.k))
    assert check(SCALING, "9-grows", more).holds is False
    assert check(SCALING, "9-grows", made.filter(made["n"] != 20)).holds is None


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("off", "held"), [(-0.01, True), (0.01, False)])
def test_one_box_above_k_is_enough(scaled, k, off, held):
    steep = lambda run: run.model.name == "polynet" and run.task.k == k
    made = scaled(
        lambda run: 1e4 * bound(lambda run: k + off if steep(run) else 0.5)(run) if run.optimiser.lr == 0.1 else None
    )
    finding = check(SCALING, "9-at-most-k", made)
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(1 + off / k, abs=1e-3)


def test_a_box_without_times_is_no_small_exponent(scaled):
    made = scaled(lambda run: None if run.task.n == 30 and run.model.name == "polynet" else 50.0)
    assert check(SCALING, "9-at-most-k", made).holds is False


def test_the_papers_boxes():
    made = timing(run for run in SCALING.runs("paper", 1) if run.optimiser.lr == 0.001)
    empty = lambda run: run.batch == 1 and run.task.k == 4  # the figure has no box there
    good = made(lambda run: None if empty(run) else 40 * (run.task.n - 9) ** (0.4 * run.task.k))
    assert check(SCALING, "9-at-most-k-paper", good).holds
    steep = made(lambda run: 40 * (run.task.n - 9) ** 2.1)
    assert check(SCALING, "9-at-most-k-paper", steep).holds is False


def test_grids():
    assert len(TABLES.runs("laptop")) == 2850
    assert len(SCALING.runs("laptop")) == 3600
    assert len(TABLES.runs("paper", 1)) == 79_875 // 25 == len(SCALING.runs("paper", 1))
