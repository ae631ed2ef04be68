"""Grokking: a delay between fitting the sample and passing the test."""

import pytest

from glassware.foundation import statistics
from glassware.studies import find
from tests.studies.made import cell, check, table

STUDY = find("pareto/success-frontier")


def curves(fitted, passed, test_error=0.45, runs=40, passes=0.05, **where):
    """Runs whose training error reaches 1% and whose test error reaches 10% at these steps (None: never)."""
    steps = [0, 100, 200, 300, 400, 500]
    train = [0.01 if fitted is not None and t >= fitted else 0.5 for t in steps]
    test = [passes if passed is not None and t >= passed else test_error for t in steps]
    errors = {"curve_step": steps, "curve_train_error": train, "curve_test_error": test}
    place = {"n": 20, "k": 3, "init": "dense", "width": 100, "m": 300, "train_size": 300, **where}
    return cell(runs if passed is not None else 0, runs, **errors, **place)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ([curves(100, 200)], "holds"),
        ([curves(100, 200, runs=10)], "too close to call"),
        ([curves(100, 200, runs=34), curves(100, 100, runs=6)], "too close to call"),
        ([curves(100, 200, runs=20), curves(100, 100, runs=20)], "fails"),
        ([curves(200, 300)], "fails"),  # not twice as late
        ([curves(100, 200, test_error=0.34)], "fails"),  # no longer near chance when the sample was fitted
        ([curves(100, 200, test_error=0.35, passes=0.1)], "holds"),
        ([curves(100, None)], "fails"),
        ([curves(None, None)], "fails"),  # never trained
        ([curves(100, 200, init="sparse")], "not enough runs"),
    ],
)
def test_test_error_falls_long_after_training_error(made, said):
    assert check(STUDY, "4-grokking", table(*made)).verdict == said


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ([curves(100, 300), curves(200, 300, m=100_000)], "holds"),
        ([curves(200, 500), curves(200, 300, m=100_000)], "fails"),  # 2.5 times
        ([curves(100, 300), curves(100, 300, m=100_000)], "fails"),  # none is quick
        ([curves(100, 300), curves(200, 300, m=99_999)], "not enough runs"),  # none has so many examples
        ([curves(100, 300, runs=5), curves(100, 200, runs=4), curves(200, 300, m=100_000)], "too close to call"),
        ([curves(None, 300)], "not enough runs"),
    ],
)
def test_it_shows_in_one_box_and_not_in_one_with_many_examples(made, said, monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)
    assert check(STUDY, "4-grokking-boxes", table(*made)).verdict == said
