"""The paper's tables and its coarse scaling laws."""

import math

import pytest

from glassware.foundation.statistics import NEVER
from glassware.studies.hidden_progress import coarse_scaling, tables
from glassware.studies.hidden_progress.shared import printed
from glassware.studies.hidden_progress.shared.places import Place, fastest, success, surest
from glassware.studies.hidden_progress.shared.reached import CALIBRATED, HELD_OUT, LONG, laptop_steps, theirs
from glassware.studies.hidden_progress.shared.rows import with_setting
from glassware.studies.hidden_progress.shared.rules import agree, at_a_moderate_rate, at_the_fastest, at_the_surest
from glassware.studies.hidden_progress.shared.settings import SETTINGS
from tests.studies.hidden import index, timing
from tests.studies.made import check

TABLES, SCALING = tables.STUDY, coarse_scaling.STUDY


def test_the_best_rate_is_the_fastest_or_the_surest():
    rates = {1.0: [10.0, 10.0, NEVER, NEVER], 0.1: [30.0, 40.0, 50.0, NEVER], 0.01: [NEVER] * 4}
    assert fastest(rates) == 10.0
    assert success(rates) == (3, 4)
    assert surest(rates) == pytest.approx(33.0)


@pytest.mark.parametrize(
    ("ours", "other", "same"),
    [(20, 10, True), (21, 10, False), (5, 10, True), (4.9, 10, False), (NEVER, 10, False), (NEVER, NEVER, True)],
)
def test_times_agree_within_a_factor_of_two(ours, other, same):
    assert agree(ours, other) is same


def test_printed_numbers():
    assert len(printed.TIMES) == 18 * 15
    assert printed.TIMES["i", 2, 1] == 628
    assert printed.TIMES["xiii", 4, 1] == 22142
    assert printed.TIMES["*i", 3, 1] == NEVER
    assert printed.success("xiii", 4, 4) == 0.48
    assert printed.success("ii", 4, 1) == 1.0
    assert printed.success("*i", 3, 1024) == 0.64
    assert printed.success("xv", 4, 1) is None


def test_which_rate_a_cell_is_compared_at():
    rates = {1.0: [10.0] * 5, 0.1: [100.0] * 5}
    assert at_the_fastest(Place("xii", 30, 3, 128), rates) == 10.0 == at_the_surest(Place("xii", 30, 3, 128), rates)
    assert at_a_moderate_rate(Place("xii", 30, 3, 128), rates) == 100.0
    assert at_a_moderate_rate(Place("xv", 30, 3, 128), rates) == 10.0


def test_all_printed_cells_that_a_laptop_reaches():
    assert len(CALIBRATED) == 26
    assert len(HELD_OUT) == 138
    assert set(LONG) < set(HELD_OUT)
    assert {place.setting for place in HELD_OUT} == set(SETTINGS) - {"iii", "vi", "*iii"}
    assert all(laptop_steps(place) > 2 * theirs(place) for place in (*CALIBRATED, *HELD_OUT))
    assert laptop_steps(Place("iv", 30, 4, 4)) == 0


@pytest.fixture(scope="module")
def laptop():
    return timing(TABLES.runs("laptop", 5))


@pytest.fixture(scope="module")
def names():
    """The setting of every run, by its model and k: a network of width 2 to 4 is (*i) or (*ii)."""
    runs = TABLES.runs("laptop", 1)
    made = with_setting(timing(runs)(lambda run: 1.0))
    return {(run.model, run.task.k): setting for run, setting in zip(runs, made["setting"], strict=True)}


def like_print(names, factor=lambda place: 1.0, rate=0.1):
    """The printed time times a factor, at one rate; the other rates fail."""

    def time(run):
        place = Place(names[run.model, run.task.k], run.task.n, run.task.k, run.batch)
        return theirs(place) * factor(place) if run.optimiser.lr == rate else None

    return time


def verdict(study, claim, made):
    return check(study, claim, made).verdict


def test_times_like_the_printed_ones(laptop, names):
    made = laptop(like_print(names))
    for claim in ("7-calibrated", "7-held-out", "7-moderate-rates"):
        assert verdict(TABLES, claim, made) == "holds", claim


@pytest.mark.parametrize(
    ("far", "calibrated", "held_out"),
    [
        (("i",), "too close to call", "holds"),
        (("i", "ii", "xiv", "xv"), "too close to call", "too close to call"),
        (tuple(SETTINGS), "fails", "fails"),
    ],
)
def test_times_that_differ(laptop, names, far, calibrated, held_out):
    made = laptop(like_print(names, lambda place: 3.0 if place.setting in far else 1.0))
    assert verdict(TABLES, "7-calibrated", made) == calibrated
    found = check(TABLES, "7-held-out", made)
    assert found.verdict == held_out
    assert "(i) k=2 B=4 never/462/never against 154" in found.detail  # every rate is shown


def test_untrained_networks_agree_nowhere(laptop):
    made = laptop(lambda run: None)
    for claim in ("7-calibrated", "7-held-out", "7-moderate-rates", "8-most-converge"):
        assert verdict(TABLES, claim, made) == "fails", claim


def test_a_rate_of_one_is_for_relu_networks_and_the_polynet(laptop, names):
    made = laptop(like_print(names, rate=1.0))
    assert verdict(TABLES, "7-held-out", made) == "holds"
    assert verdict(TABLES, "7-moderate-rates", made) == "fails"


@pytest.mark.parametrize(("most", "said"), [(24, "holds"), (21, "too close to call"), (12, "fails")])
def test_most_runs_of_every_cell_converge(most, said):
    made = timing(run for run in TABLES.runs("laptop") if run.optimiser.lr == 0.1 and run.steps == 20_000)
    few = lambda run: run.model.name == "polynet" and run.task.k == 3
    assert (
        verdict(TABLES, "8-most-converge", made(lambda run: None if few(run) and index(run) >= most else 50.0)) == said
    )
    four = made(lambda run: None if run.task.k == 4 else 50.0)
    assert verdict(TABLES, "8-most-converge", four) == "holds"


def test_missing_cells(laptop):
    made = laptop(lambda run: 50.0)
    part = made.filter(made["model"] != "polynet")
    for claim in ("7-calibrated", "7-held-out", "8-most-converge"):
        assert verdict(TABLES, claim, part) == "not enough runs"


@pytest.fixture(scope="module")
def paper():
    """Rows of the paper's places at n = 30 and one rate, and the place of each run."""
    runs = [run for run in TABLES.runs("paper", 25) if run.task.n == 30 and run.optimiser.lr == 0.001]
    made = timing(runs)
    frame = with_setting(made(lambda run: 1.0))
    places = {id(run): Place(*place) for run, place in zip(runs, frame.select(*Place._fields).iter_rows(), strict=True)}
    return lambda time: made(lambda run: time(places[id(run)], index(run)))


def printed_time(place, _=0):
    return None if theirs(place) == NEVER else theirs(place)


def test_the_papers_claims_on_its_grid(paper):
    good = paper(printed_time)
    for claim in ("7-batches", "7-one-by-one", "8-all-converge"):
        assert verdict(TABLES, claim, good) == "holds", claim
    assert verdict(TABLES, "8-narrow", good) != "holds"
    slow = paper(lambda place, _: 30_000 if place.batch == 1 else printed_time(place))
    assert verdict(TABLES, "7-one-by-one", slow) == "fails"
    assert verdict(TABLES, "7-batches", slow) == "holds"


@pytest.mark.parametrize(("won", "said"), [(24, "holds"), (23, "fails")])
def test_all_but_one_run_in_25_from_batches_of_32_on(paper, won, said):
    late = lambda batch: lambda place, turn: None if place == Place("xv", 30, 4, batch) and turn >= won else 50.0
    assert verdict(TABLES, "8-all-converge", paper(late(32))) == said
    assert verdict(TABLES, "8-all-converge", paper(late(4))) == "holds"


@pytest.mark.parametrize(("won", "said"), [(16, "holds"), (22, "too close to call"), (25, "too close to call")])
def test_networks_of_width_k_fail(paper, won, said):
    made = paper(lambda place, turn: 50.0 if place != Place("*i", 30, 3, 1024) or turn < won else None)
    few = made.filter((made["model"] != "mlp") | (made["width"] != 3) | (made["batch"] == 1024))
    assert verdict(TABLES, "8-narrow", few) == "not enough runs"
    some = paper(lambda place, turn: 50.0 if turn < (won if place.batch == 1024 else 5) else None)
    assert verdict(TABLES, "8-narrow", some) == said


@pytest.fixture(scope="module")
def scaled():
    return timing(SCALING.runs("laptop", 5))


def bound(exponent):
    """Times on the coarse law with this exponent of a run."""
    return lambda run: 1e4 * (run.task.n - 9) ** exponent(run) if run.optimiser.lr == 0.1 else None


@pytest.mark.parametrize(("share", "said"), [(0.9, "holds"), (1.1, "fails")])
def test_the_coarse_law_grows_less_than_a_search(scaled, share, said):
    steep = lambda run: share if run.model.name == "polynet" else 0.3
    made = scaled(bound(lambda run: steep(run) * coarse_scaling.search_exponent(run.task.k)))
    assert verdict(SCALING, "9-below-search", made) == said
    assert verdict(SCALING, "9-below-search", made.filter(made["n"] != 20)) == "not enough runs"


def test_a_search_over_subsets_and_untrained_networks_do_not_pass(scaled):
    search = scaled(lambda run: 100 * math.comb(run.task.n, run.task.k))
    assert verdict(SCALING, "9-below-search", search) != "holds"
    assert verdict(SCALING, "9-below-search", scaled(lambda run: None)) != "holds"
    box = scaled(lambda run: None if run.task.n == 30 and run.model.name == "polynet" else 50.0)
    assert verdict(SCALING, "9-below-search", box) == "fails"


def test_the_papers_boxes():
    made = timing(run for run in SCALING.runs("paper", 5) if run.optimiser.lr == 0.001)
    empty = lambda run: run.batch == 1 and run.task.k == 4  # the figure has no box there
    good = made(lambda run: None if empty(run) else 40 * (run.task.n - 9) ** 0.4)
    assert verdict(SCALING, "9-below-search-paper", good) == "holds"
    steep = made(lambda run: 40 * (run.task.n - 9) ** 1.7)
    assert verdict(SCALING, "9-below-search-paper", steep) == "fails"


def test_grids():
    assert len(TABLES.runs("laptop")) == 12_300
    assert len(SCALING.runs("laptop")) == 3600
    assert len(TABLES.runs("paper", 1)) == 79_875 // 25 == len(SCALING.runs("paper", 1))
