import polars as pl
import pytest

from glassware.studies.hidden_progress import convergence_times as study
from tests.studies.hidden import index, timing
from tests.studies.made import check

STUDY = study.STUDY


@pytest.fixture(scope="module")
def laptop():
    return timing(STUDY.runs("laptop"))


def law(exponent, bend=0.0):
    """Times of runs that follow a power law, whose exponent may grow with n; seeds differ a little."""

    def time(run):
        n, k = run.task.n, run.task.k
        return 30 * (n / 10) ** (exponent(k) + bend * (n > 30)) * (1 + 0.01 * index(run))

    return time


def holds(made, claim):
    return check(STUDY, claim, made).holds


def test_exponents_that_grow_with_k(laptop):
    made = laptop(law(lambda k: 0.5 * k))
    for claim in ("1b-exponents", "10-exponents", "10-below-k"):
        assert holds(made, claim), claim
    assert holds(made, "1b-subsets")
    assert check(STUDY, "10-exponents", made).measured.value == pytest.approx(0.5, abs=0.01)
    assert holds(made, "2c-elbow") is False


def test_exponents_that_do_not(laptop):
    flat = laptop(law(lambda k: 1.0))
    assert holds(flat, "1b-exponents") is False
    assert holds(flat, "10-exponents") is False
    steep = laptop(law(lambda k: k + 0.2))
    assert holds(steep, "1b-exponents") is False
    assert holds(steep, "10-exponents")
    assert holds(steep, "10-below-k") is False


def test_every_k_must_have_a_larger_exponent_than_the_one_before(laptop):
    made = laptop(law({2: 1.0, 3: 0.5, 4: 1.8}.__getitem__))
    assert holds(made, "1b-exponents") is False
    assert holds(made, "10-exponents") is False


def test_one_setting_that_does_not_is_enough(laptop):
    made = laptop(lambda run: law(lambda k: 1.0 if run.model.name == "polynet" else 0.5 * k)(run))
    assert holds(made, "1b-exponents")
    assert holds(made, "10-exponents") is False


def test_a_bend_is_an_elbow_and_failures_are_not_times(laptop):
    bent = laptop(law(lambda k: 0.5 * k, bend=1.0))
    assert holds(bent, "2c-elbow")
    slow = laptop(lambda run: None if run.task.k == 4 and run.task.n == 30 else 50.0)
    assert holds(slow, "1b-subsets") is False


def test_few_runs_are_not_enough(laptop):
    part = laptop(law(lambda k: 0.5 * k)).filter(pl.col("n") != 40)
    assert holds(part, "10-exponents") is None
    assert holds(part, "2c-elbow") is None
    assert holds(part, "1b-exponents")


def test_the_papers_claims(laptop):
    paper = timing(STUDY.runs("paper", 1))
    good = paper(law(lambda k: 0.4 * k, bend=0.8))
    for claim in ("1b-exponents-paper", "2c-elbow-paper", "10-exponents-paper", "10-below-k-paper"):
        assert holds(good, claim), claim
    assert holds(paper(law(lambda k: 1.1 * k)), "10-below-k-paper") is False
    assert holds(paper(law(lambda k: 0.5 * k)), "2c-elbow-paper") is False
    over = paper(law(lambda k: 0.5 * k, bend=3.0))
    assert holds(over, "1b-exponents-paper") is False
    # The larger k of the paper do not converge in time: they are left out.
    cut = paper(lambda run: None if run.task.k > 5 else law(lambda k: 0.4 * k)(run))
    assert holds(cut, "10-exponents-paper")
    assert holds(laptop(law(lambda k: 0.5 * k)), "10-exponents-paper") is None


def test_the_grid_has_its_size():
    assert len(STUDY.runs("laptop")) == 603
