"""The network after one step against linear methods: claims on rows we choose."""

import polars as pl
import pytest

from glassware.studies.leaky.methods import FIXED, KERNELS, NETWORK, by_method
from glassware.studies.leaky.network_against_linear import STUDY
from glassware.theory.leaky.distributions import majority_agreement
from tests.studies.judged import spread, verdict
from tests.studies.leaky.made import solved

BLANK = dict.fromkeys(("network", "units", "function", "degree", "kernel"))
METHODS = {
    NETWORK: {"network": "mirrored"},
    "linear": {"network": "monomials", "degree": 1},
    "tangent gates": {"network": "random-features", "function": "gate"},
    "cubic kernel": {"model": "kernel-ridge", "kernel": KERNELS["cubic kernel"].label},
    **{f"monomials to degree {d}": {"network": "monomials", "degree": d, "pairing": "monomials"} for d in (1, 2, 3)},
}


def fits(method, uniform, n=51, k=5, q=200, leaking=1.0, count=3):
    columns = {**BLANK, "model": "readout", "pairing": f"q = {q}", **METHODS[method], "n": n, "k": k}
    return [solved(uniform, leaking, **columns) for _ in range(count)]


def around(method, mean, width=0.002, **place):
    return spread(lambda level: fits(method, level, count=1, **place), mean, width)


LEARNED = fits(NETWORK, 1.0, count=12)


@pytest.mark.parametrize(
    ("bad", "expected"),
    [([], "holds"), ([(0.9, 1.0)], "holds"), ([(0.9, 1.0)] * 2, "fails"), ([(1.0, 0.9)] * 2, "fails")],
)
def test_eleven_of_twelve_networks_learn_both_parts(bad, expected):
    rows = [row for u, leak in bad for row in fits(NETWORK, u, leaking=leak, count=1)]
    assert verdict(STUDY, "network", [*LEARNED[len(rows) :], *rows]) == expected
    assert verdict(STUDY, "network", LEARNED[:10]) == "not enough runs"


@pytest.mark.parametrize(
    ("off", "width", "expected"),
    [(0.0, 0.005, "holds"), (0.015, 0.02, "too close to call"), (0.05, 0.005, "fails"), (-0.05, 0.005, "fails")],
)
def test_a_linear_fit_is_the_majority_in_every_setting(off, width, expected):
    rows = [*around("linear", majority_agreement(7), k=7), *around("linear", majority_agreement(5) + off, width)]
    assert verdict(STUDY, "linear", rows) == expected


def test_guessing_is_no_linear_fit():
    assert verdict(STUDY, "linear", around("linear", 0.5)) == "fails"


@pytest.mark.parametrize(("claim", "method"), [("fixed-features", "tangent gates"), ("kernels", "cubic kernel")])
@pytest.mark.parametrize(
    ("level", "width", "expected"),
    [(0.6, 0.01, "holds"), (0.74, 0.05, "too close to call"), (0.9, 0.01, "fails")],
)
def test_baselines_fail_where_the_network_learns(claim, method, level, width, expected):
    rows = [*around(method, 0.5, n=31), *around(method, level, width)]
    assert verdict(STUDY, claim, [*rows, *LEARNED]) == expected
    assert verdict(STUDY, claim, rows) == "not enough runs"
    untrained = fits(NETWORK, 0.5, count=12)
    assert verdict(STUDY, claim, [*rows, *untrained]) == "fails"


def test_small_k_says_nothing_of_kernels():
    assert verdict(STUDY, "kernels", [*fits("cubic kernel", 0.5, k=3), *LEARNED]) == "not enough runs"


def test_monomials():
    below = lambda one, two: [*around("monomials to degree 1", one, k=3), *around("monomials to degree 2", two, k=3)]
    assert verdict(STUDY, "monomials-below", below(0.25, 0.3)) == "holds"
    assert verdict(STUDY, "monomials-below", below(0.25, 0.5)) == "too close to call"  # as good as guessing
    assert verdict(STUDY, "monomials-below", below(0.6, 0.3)) == "fails"
    right = fits("monomials to degree 3", 1.0, k=3)
    assert verdict(STUDY, "monomials-at-k", right) == "holds"
    assert verdict(STUDY, "monomials-at-k", [*right, *fits("monomials to degree 3", 0.9995, k=3, count=1)]) == "fails"


def test_a_width_for_every_n_and_k():
    wide = [*fits(NETWORK, 1.0, k=3, q=100), *fits(NETWORK, 1.0, k=5, q=300), *fits(NETWORK, 0.5, k=5, q=100)]
    assert verdict(STUDY, "width-enough", wide) == "holds"
    assert verdict(STUDY, "width-enough", [*wide, *fits(NETWORK, 0.5, k=7, q=300)]) == "fails"
    assert verdict(STUDY, "width-enough", [*wide, *fits(NETWORK, 1.0, k=7, q=100)]) == "fails"  # q falls with k


def test_large_baselines():
    network = fits(NETWORK, 1.0, n=101, k=7)
    single = lambda level: fits("linear", level, n=101, k=7, count=1)
    assert verdict(STUDY, "large-baselines", [*network, *single(0.65)]) == "holds"
    assert verdict(STUDY, "large-baselines", [*network, *single(0.70)]) == "too close to call"
    assert verdict(STUDY, "large-baselines", [*network, *single(0.75)]) == "fails"
    assert verdict(STUDY, "large-baselines", single(0.5)) == "not enough runs"


def test_rows_say_which_method_they_are(smoke):
    _, rows = smoke(STUDY)
    found = by_method(rows)
    kinds = {*FIXED, *KERNELS, NETWORK, *(f"monomials to degree {degree}" for degree in (1, 2, 3))}
    assert sorted(found["method"]) == sorted(kinds)
    assert set(found.filter(pl.col("method").str.starts_with("monomials"))["q"]) == {None}


def test_all_methods_of_a_setting_see_the_same_examples():
    runs = STUDY.runs("smoke")
    settings = {run.pairing: {other.key().tobytes() for other in runs if other.pairing == run.pairing} for run in runs}
    assert len(settings) == 2
    assert all(len(keys) == 1 for keys in settings.values())
    (first,) = [run for run in runs if not run.model.solved]
    (after,) = STUDY.stages[1]("smoke", None, pl.DataFrame())
    assert (after.key().tobytes(), after.m) == (first.key().tobytes(), first.m)
