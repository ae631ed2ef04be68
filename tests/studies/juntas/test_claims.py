"""Claims about juntas on rows that hold, that fail, and that lie in between."""

import polars as pl
import pytest

from glassware.studies.juntas import attention, online_parity, repeats, validation_curves
from glassware.studies.juntas.repeats import intraclass
from tests.studies.judged import verdict


def curve(m, errors, length=100, seed=0, loss=1e-5, train=0.0, **more):
    """One run with these held-out errors after its first step."""
    return {
        "length": length, "m": m, "seed": seed, "diverged_step": None, "train_error": train,
        "test_error": errors[-1], "train_cross_entropy": loss, "curve_test_error": [0.5, *errors],
        "curve_train_cross_entropy": [0.7, *[loss] * len(errors)], **more,
    }  # fmt: skip


def laptop(learned_of_few=2, ends=0.3, **odd):
    """Enough examples, too few, and the runs of the training loss; the first run may be odd."""
    enough = [curve(150, [0.2, 0.0, 0.001], seed=i) for i in range(8)]
    few = [curve(30, [0.4, 0.0 if i < learned_of_few else 0.2, ends * i / 7], seed=i) for i in range(8)]
    enough[0] |= odd
    return pl.DataFrame([*enough, *few, *(curve(40, [0.1], length=50, seed=i) for i in range(6))])


@pytest.mark.parametrize(
    ("claim", "rows", "wanted"),
    [
        ("f3l-threshold", laptop(4), "holds"),
        ("f3l-threshold", laptop(5), "fails"),
        ("f3l-threshold", laptop(4).head(12), "not enough runs"),
        ("f3l-fits", laptop(), "holds"),
        ("f3l-fits", laptop(train_error=0.01), "fails"),
        ("f3l-fits", laptop(ends=0.0), "fails"),
        ("f3l-spread", laptop(), "holds"),
        ("f3l-spread", laptop(ends=0.05), "fails"),
        ("c1-loss", laptop(), "holds"),
        ("c1-loss", laptop(train_cross_entropy=2e-3), "fails"),
    ],
)
def test_validation_curves(claim, rows, wanted):
    assert verdict(validation_curves.STUDY, claim, rows) == wanted


def test_of_five_runs_the_best_counts():
    def rows(few):
        enough = [curve(200, [0.0 if run == 3 else 0.3], length=300, seed=i) for i in range(40) for run in range(5)]
        return pl.DataFrame(enough + [curve(50, [0.0 if i < few else 0.3], length=300, seed=i) for i in range(40)])

    assert [verdict(validation_curves.STUDY, "f3l-threshold-paper", rows(few)) for few in (31, 32)] == [
        "holds",
        "fails",
    ]


def head(selected=0.97, other=0.3, irrelevant=0.005, error=0.0, zero=0.8):
    return {
        "length": 50, "diverged_step": None, "test_error": error, "selected_0": selected, "selected_1": other,
        "irrelevant_weight": irrelevant, "zero_weight": zero, "embedding_dropout": 0.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "odd"),
    [
        ("f3r-irrelevant", {"irrelevant": 0.015}),
        ("f3r-irrelevant", {"error": 0.001}),
        ("f3r-irrelevant", {"zero": 0.4}),
        ("f3r-class-0", {"selected": 0.92}),
        ("f3r-class-1", {"other": 0.8}),
    ],
)
def test_attention(claim, odd):
    rows = lambda good: [head() for _ in range(good)] + [head(**odd) for _ in range(8 - good)]
    assert [verdict(attention.STUDY, claim, rows(good)) for good in (6, 5)] == ["holds", "fails"]


def parity(length, relevant, solved=True, slow=False):
    losses = [0.69, 0.69, 0.68, 0.69, 0.69, 0.4 if slow else 0.69, 0.05 if solved else 0.69, 0.01 if solved else 0.69]
    losses = [0.69, 0.62, 0.5, 0.4, 0.3, 0.2, 0.05, 0.01] if slow else losses
    errors = [0.5, 0.5, 0.5, 0.4, 0.4, 0.4, 0.0 if solved else 0.5, 0.0 if solved else 0.5]
    return {
        "length": length, "relevant": relevant, "diverged_step": None, "curve_step": [*range(0, 80, 10)],
        "curve_test_cross_entropy": losses, "curve_test_error": errors,
    }  # fmt: skip


def test_online_parity():
    rows = lambda *odd: [*[parity(10, 2)] * 4, *[parity(20, 2)] * 5, *[parity(10, 3)] * 2, *odd]
    fine = rows(parity(10, 2, solved=False), parity(10, 3, solved=False))
    assert verdict(online_parity.STUDY, "f4-solved", fine) == "holds"
    assert verdict(online_parity.STUDY, "f4-solved", rows(*[parity(10, 2, solved=False)] * 1)[1:]) == "fails"
    assert verdict(online_parity.STUDY, "f4-transition", fine) == "holds"
    assert verdict(online_parity.STUDY, "f4-transition", rows(parity(10, 3, slow=True))) == "fails"


def arm(won, trials, **more):
    spec = '{"task":{"support":[0,1,2]}}' if more.pop("fixed", False) else "{}"
    given = {"function": "and", "m": 40, "init_seed": None, "spec": spec, **more}
    return [{**given, "seed": i, "success": i < won} for i in range(trials)]


def data_sets(won):
    """Five runs on each data set, of which so many succeed."""
    return [row for i, count in enumerate(won) for row in arm(count, 5, init_seed=7) for row in [{**row, "seed": i}]]


@pytest.mark.parametrize(
    ("fixed", "fewer", "wanted"),
    [(136, 15, "holds"), (90, 15, "fails"), (116, 15, "too close to call"), (136, 45, "fails")],
)
def test_equal_rates(fixed, fewer, wanted):
    rows = [*arm(140, 200), *arm(fixed, 200, fixed=True), *arm(130, 200, function="or"), *arm(fewer, 60, m=30)]
    assert verdict(repeats.STUDY, "c2-positions", rows) == wanted


@pytest.mark.parametrize(
    ("won", "wanted"),
    [
        ([5] * 15 + [4] * 6 + [1] * 6 + [0] * 13, "holds"),  # data sets differ, and a third is mixed
        ([5] * 20 + [0] * 20, "fails"),  # nothing but the data matters
        ([3, 2] * 20, "fails"),  # nothing but chance does
        ([5] * 20 + [2] * 6 + [0] * 14, "too close to call"),
    ],
)
def test_mixed_data_sets(won, wanted):
    assert verdict(repeats.STUDY, "c4-mixed", data_sets(won)) == wanted


def test_intraclass_correlation():
    assert intraclass([(5, 5), (0, 5)] * 10)[0] == 1
    low, p = intraclass([(3, 5), (2, 5)] * 10)
    assert low < 0.01
    assert p > 0.5
