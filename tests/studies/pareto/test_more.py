"""More of the paper at a laptop's size: what the claims say of rows that we choose. Smoke scale: see test_beyond."""

import pytest

from glassware.studies.pareto.more import kernel_scaling, larger_k, perfect, wide_sparsity
from tests.studies.made import check, pretend_study
from tests.studies.made import table as made


@pytest.mark.parametrize(
    ("wrong", "far", "wanted"),
    [(0, 0, "holds"), (60, 0, "fails"), (0, 60, "fails"), (6, 0, "too close to call"), (0, 200, "not enough runs")],
)
def test_perfect_means_no_error_at_all_with_few_examples_too(wrong, far, wanted):
    """``wrong`` of 100 runs at m = 500 end with one error in 10,000, and ``far`` of 100 at m = 4,000."""
    rows = [
        {"n": 30, "k": 3, "m": 4000 if i >= 100 or far == 200 else 500, "success": True,
         "test_error": 1e-4 if i < wrong or 100 <= i < 100 + far else 0.0}
        for i in range(200)
    ]  # fmt: skip
    failed = [{**rows[0], "success": False, "test_error": 0.5}] * 20  # say nothing
    assert check(perfect.STUDY, "perfect", made(rows, failed)).verdict == wanted


@pytest.mark.parametrize(("power", "wanted"), [(3.0, "holds"), (2.0, "fails")])
def test_the_power_with_which_a_kernel_needs_examples(power, wanted):
    at_sixteen = {"rbf": 740, "ntk": 2250}

    def passed(run):
        kernel = getattr(run.model, "kernel", None)
        if kernel is None:
            return run.m > 500 * (run.task.n / 30) ** 1.8
        return run.m > at_sixteen[kernel] * (run.task.n / 16) ** power

    rows = pretend_study(kernel_scaling.STUDY, "laptop", passed)
    assert check(kernel_scaling.STUDY, "gaussian", rows).verdict == wanted
    assert check(kernel_scaling.STUDY, "network", rows).verdict == "holds"


def test_five_signs_are_learned_from_a_tenth_of_the_parities():
    few, many = (
        pretend_study(larger_k.STUDY, "laptop", lambda run, edge=edge: run.m > edge / run.model.width**0.1)
        for edge in (1500, 6000)
    )
    assert [check(larger_k.STUDY, "offline", rows).verdict for rows in (few, many)] == ["holds", "fails"]
    assert check(larger_k.STUDY, "width", few).verdict == "holds"


@pytest.mark.parametrize(("best", "wanted"), [(2, "holds"), (4, "fails")])
def test_the_sparsity_that_needs_fewest_examples(best, wanted):
    rows = pretend_study(wide_sparsity.STUDY, "laptop", lambda run: run.m > (300 if run.init.s == best else 500))
    assert check(wide_sparsity.STUDY, "two", rows).verdict == wanted
