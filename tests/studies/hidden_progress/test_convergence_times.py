import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.studies.hidden_progress import convergence_times as study
from glassware.studies.hidden_progress.shared.trials import repeat, trial
from tests.studies.hidden import index, timing
from tests.studies.made import check

STUDY = study.STUDY


@pytest.fixture(scope="module")
def laptop():
    return timing(STUDY.runs("laptop", 9))


@pytest.fixture(scope="module")
def paper():
    return timing(STUDY.runs("paper", 5))


def law(exponent, bend=0.0, noise=0.01):
    """Times of runs that follow a power law, whose exponent may grow with n; seeds differ a little."""

    def time(run):
        n, k = run.task.n, run.task.k
        return 1e4 * (n / 10) ** (exponent(k) + bend * (n > 30)) * (1 + noise * index(run))

    return time


def verdict(made, claim):
    return check(STUDY, claim, made).verdict


def test_exponents_that_grow_with_k(laptop):
    made = laptop(law(lambda k: 0.5 * k))
    for claim in ("1b-exponents", "10-exponents", "10-below-k"):
        assert verdict(made, claim) == "holds", claim
    assert check(STUDY, "10-exponents", made).measured.value == pytest.approx(0.5, abs=0.01)
    assert verdict(made, "2c-elbow") == "fails"


@pytest.mark.parametrize(
    ("exponent", "first", "panels", "below"),
    [
        (lambda k: 1.0, "too close to call", "too close to call", "holds"),  # does not grow with k
        (lambda k: 1.5 - 0.3 * k, "fails", "fails", "holds"),
        (lambda k: k + 0.2, "fails", "holds", "fails"),  # as a search over subsets
        (lambda k: 0.0, "too close to call", "too close to call", "too close to call"),  # does not depend on n
        ({2: 1.0, 3: 0.5, 4: 1.8}.__getitem__, "fails", "fails", "holds"),
    ],
)
def test_exponents_that_do_not(laptop, exponent, first, panels, below):
    made = laptop(law(exponent))
    assert [verdict(made, claim) for claim in ("1b-exponents", "10-exponents", "10-below-k")] == [first, panels, below]


def test_untrained_networks_have_no_exponent(laptop):
    made = laptop(lambda run: None)
    for claim in ("1b-exponents", "2c-elbow", "10-exponents", "10-below-k"):
        assert verdict(made, claim) == "not enough runs", claim


def test_one_setting_that_does_not_grow_is_enough(laptop):
    made = laptop(lambda run: law(lambda k: -0.1 * k if run.model.name == "polynet" else 0.5 * k)(run))
    assert verdict(made, "1b-exponents") == "holds"
    assert verdict(made, "10-exponents") == "fails"


def test_scattered_times_are_too_close(laptop, monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)
    made = laptop(lambda run: law(lambda k: 1 + 0.05 * k)(run) * (10 if (index(run) + run.task.n) % 2 else 1))
    assert verdict(made, "10-exponents") == "too close to call"


@pytest.mark.parametrize(("bend", "said"), [(1.0, "holds"), (0.02, "fails")])
def test_elbows(laptop, bend, said):
    assert verdict(laptop(law(lambda k: 0.5 * k, bend)), "2c-elbow") == said


def test_missing_points_are_not_enough(laptop):
    made = laptop(law(lambda k: 0.5 * k))
    part = made.filter(pl.col("n") != 40)
    assert verdict(part, "10-exponents") == "not enough runs"
    assert verdict(part, "2c-elbow") == "not enough runs"
    assert verdict(part, "1b-exponents") == "holds"
    for claim in ("10-exponents", "10-below-k"):
        assert verdict(made.filter(pl.col("model") != "polynet"), claim) == "not enough runs"


def test_the_papers_claims(laptop, paper):
    good = paper(law(lambda k: 0.4 * k, bend=0.8))
    for claim in ("1b-exponents-paper", "2c-elbow-paper", "10-exponents-paper", "10-below-k-paper"):
        assert verdict(good, claim) == "holds", claim
    assert verdict(paper(law(lambda k: 1.1 * k)), "10-below-k-paper") == "fails"
    assert verdict(paper(law(lambda k: 0.5 * k)), "2c-elbow-paper") == "fails"
    assert verdict(laptop(law(lambda k: 0.5 * k)), "10-exponents-paper") == "not enough runs"


def test_the_larger_k_of_the_paper_may_not_converge(paper):
    cut = paper(lambda run: None if run.task.k > 5 else law(lambda k: 0.4 * k)(run))
    assert verdict(cut, "10-exponents-paper") == "holds"
    assert verdict(cut, "10-below-k-paper") == "holds"
    few = paper(lambda run: None if run.task.k > 3 else law(lambda k: 0.4 * k)(run))
    assert verdict(few, "10-exponents-paper") == "not enough runs"  # k = 4 has not shown that it grows


@pytest.mark.parametrize(("share", "said"), [(0.9, "holds"), (1.1, "fails")])
def test_no_median_of_the_paper_may_exceed_its_power_of_n(share, said):
    points = [trial("ii", n, k, lr=1.0) for k in study.PAPER_KS for n in study.PAPER_SIZES]
    bumped = lambda run: 1.5 * share if run.task.n == 15 and run.task.k == 2 else 1.0
    made = timing(repeat(points, 5))(lambda run: 1e6 * (run.task.n / 10) ** (0.5 * run.task.k) * bumped(run))
    assert verdict(made, "1b-exponents-paper") == said


def test_the_grid_has_its_size():
    assert len(STUDY.runs("laptop")) == 3987
