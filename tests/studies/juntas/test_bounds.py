"""Bounds: each claim on the rows of the study, and on the same rows with one thing off."""

import polars as pl
import pytest

from glassware.studies.juntas.bounds import STUDY
from tests.studies.judged import verdict
from tests.studies.made import computed_from_end_to_end

PRINTED = [claim.id for claim in STUDY.claims if claim.id.startswith("printed-")]
# For each claim: which row is changed, in which column, to what.
OFF = [
    ("tools", {"part": "tool", "name": "projection"}, "value", 1.01),
    ("tools", {"part": "tool", "name": "softmax"}, "value", 0.95),
    ("normalisers", {"part": "normaliser", "name": "sparsemax", "T": 5}, "value", 2.0),
    ("lipschitz", {"part": "lipschitz", "name": "A.17"}, "value", 1.1),
    ("lipschitz", {"part": "lipschitz", "name": "A.13"}, "value", 0.4),
    ("steepness", {"part": "slope", "x": 8.0}, "value", 100.0),
    ("log-growth", {"part": "increment", "form": "scaling", "x": 20.0}, "value", 2600.0),
    ("log-growth", {"part": "increment", "form": "explicit head", "x": 20.0}, "value", 5e5),
    ("powers", {"part": "exponent", "name": "heads"}, "value", 2.0),
    ("formulas", {"part": "match", "name": "A.17"}, "gap", 1e-3),
    ("maurey", {"part": "match", "name": "Maurey"}, "gap", 0.1),
    ("never-below", {"part": "brute", "name": "matrix", "x": 0.2}, "value", 1e4),
    ("never-below", {"part": "brute", "name": "matrix", "x": 0.2}, "wanted", 3.0),
    ("never-below", {"part": "brute", "name": "interval", "x": 0.2}, "gap", 1.0),
    ("built-cover", {"part": "built", "name": "uncovered", "x": 0.65}, "value", 0.7),
    ("built-cover", {"part": "built", "name": "bound", "x": 0.65}, "value", 5.0),
    ("composed", {"part": "composed", "x": 0.2, "kind": "α = 0.25"}, "wanted", 1.5),
    ("rademacher-growth", {"part": "rademacher", "T": 128}, "value", 0.7),
    ("rademacher-bound", {"part": "rademacher", "T": 128}, "value", 0.7),
    ("shatters", {"part": "shatter", "name": "margin", "T": 77, "form": "tanh"}, "value", -0.1),
    ("shatters", {"part": "shatter", "name": "attention", "T": 4}, "value", 0.7),
    ("margins", {"part": "margin", "T": 1024, "x": 0.03}, "value", 0.02),
    ("sine", {"part": "sine"}, "value", 0.99),
    ("samples-fixed", {"part": "samples", "kind": "bag", "form": "norms held fixed", "x": 1000.0}, "value", 60.0),
    ("samples-constructions", {"part": "samples", "kind": "one head", "x": 16.0}, "value", 32.0),
    ("samples-cubed", {"part": "samples", "kind": "trained", "x": 1000.0}, "value", 40.0),
    ("corrected", {"part": "printed", "form": "corrected", "name": "A.14"}, "gap", 0.1),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "row", "column", "value"), OFF, ids=[f"{one[0]}-{one[2]}" for one in OFF])
def test_one_row_that_is_off_is_enough(claim, row, column, value, smoke):
    _, rows = smoke(STUDY)
    assert verdict(STUDY, claim, rows) == "holds"
    here = pl.all_horizontal(*(pl.col(name) == wanted for name, wanted in row.items()))
    assert rows.filter(here).height
    changed = rows.with_columns(pl.when(here).then(pl.lit(value)).otherwise(column).alias(column))
    assert verdict(STUDY, claim, changed) == "fails"
    assert verdict(STUDY, claim, rows.filter(part="none")) == "not enough runs"


def test_an_estimate_at_its_limit_is_too_close_to_call(smoke):
    _, rows = smoke(STUDY)
    at = pl.col("part") == "rademacher"
    spread = pl.when(pl.int_range(pl.len()) % 2 == 0).then(0.8).otherwise(1.2) * pl.col("wanted")
    assert verdict(STUDY, "rademacher-bound", rows.with_columns(value=pl.when(at).then(spread).otherwise("value"))) == (
        "too close to call"
    )


@pytest.mark.parametrize("claim", PRINTED)
def test_printed_forms_fail_and_would_hold_if_they_were_right(claim, smoke):
    _, rows = smoke(STUDY)
    assert verdict(STUDY, claim, rows) == "fails"
    assert verdict(STUDY, claim, rows.with_columns(gap=pl.lit(0.0))) == "holds"
    assert verdict(STUDY, claim, rows.filter(part="none")) == "not enough runs"


def test_every_claim_is_tried():
    assert {claim for claim, *_ in OFF} | set(PRINTED) == {claim.id for claim in STUDY.claims}


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    computed_from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
