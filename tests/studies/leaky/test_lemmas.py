"""The lemmas in numbers."""

import polars as pl
import pytest

from glassware.studies.leaky.lemmas import STUDY
from tests.studies.judged import verdict

PRINTED = ("printed-pairing", "printed-alpha", "printed-coefficients", "printed-hinges")


def test_corrected_forms_hold_and_printed_ones_fail_in_every_case(smoke):
    _, rows = smoke(STUDY)
    for claim in ("equalities", "inequalities"):
        assert verdict(STUDY, claim, rows) == "holds"
    for claim in PRINTED:
        assert verdict(STUDY, claim, rows) == "fails"
    assert rows.filter(form="printed")["gap"].min() > 0.1


@pytest.mark.parametrize("claim", ["equalities", *PRINTED])
def test_one_case_that_is_off_is_enough(claim, smoke):
    _, rows = smoke(STUDY)
    exact = rows.with_columns(gap=pl.when(pl.col("gap").is_not_null()).then(0.0))
    assert verdict(STUDY, claim, exact) == "holds"
    last = pl.int_range(pl.len()).over("statement", "form") == 0
    off = exact.with_columns(gap=pl.when(last & pl.col("gap").is_not_null()).then(1e-9).otherwise("gap"))
    assert verdict(STUDY, claim, off) == "fails"
    assert verdict(STUDY, claim, rows.clear()) == "not enough runs"


def test_inequalities_are_strict_on_both_sides():
    case = {"statement": "one", "form": "corrected", "gap": None, "value": 0.5, "bound": 2.0}
    for value, expected in ((1.9, "holds"), (2.0, "fails"), (0.0, "fails")):
        assert verdict(STUDY, "inequalities", [case, {**case, "value": value}]) == expected
