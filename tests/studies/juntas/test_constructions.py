"""Constructions: each claim on the rows of the study, and on the same rows with one thing off."""

import polars as pl
import pytest

from glassware.studies.juntas.constructions import STUDY
from tests.studies.judged import verdict
from tests.studies.made import computed_from_end_to_end

PRINTED = [claim.id for claim in STUDY.claims if claim.id.startswith("printed-")]
# For each claim: which row is changed, in which column, to what.
OFF = [
    ("exact", {"part": "network", "kind": "bag", "name": "xor", "T": 50}, "gap", 1e-6),
    ("heads", {"part": "head", "kind": "s heads", "T": 9}, "gap", 1e-9),
    ("heads", {"part": "head", "kind": "s heads", "T": 9}, "value", 0.3),
    ("norms", {"part": "norm", "kind": "trained", "name": "W_V", "T": 9}, "gap", 1e-6),
    ("norms", {"part": "norm", "kind": "trained", "name": "W_V", "T": 9}, "value", 2.1),
    ("log-query", {"part": "query", "kind": "bag", "name": "W_K", "T": 300}, "value", 2.5),
    ("truncation", {"part": "softmax", "T": 50}, "gap", 1e-9),
    ("fixed-norm", {"part": "flip", "form": "fixed", "T": 100_000}, "value", 0.01),
    ("growing-norm", {"part": "flip", "form": "grows with log T", "T": 10_000}, "value", 0.6),
    ("growth", {"part": "growth", "kind": "bag", "name": "W_1"}, "value", 2.1),
    ("dual-keys", {"part": "near", "kind": "bag", "form": "dual"}, "gap", 1e-6),
    ("dual-keys", {"part": "near", "kind": "bag", "form": "dual"}, "value", 1.2),
    ("dual-keys", {"part": "near", "kind": "one head", "form": "dual"}, "norm", 2.0),
    ("gates", {"part": "variant", "name": "gates"}, "gap", 1.0),
    ("class-average", {"part": "variant", "name": "class average", "s": 13}, "gap", 1e-6),
    ("bag-symmetry", {"part": "variant", "name": "bag symmetry"}, "gap", 1e-6),
    ("shorter", {"part": "variant", "name": "folded", "kind": "trained"}, "gap", 1e-6),
    ("entries", {"part": "variant", "name": "largest entry of W_1", "kind": "bag", "s": 5}, "gap", 0.1),
    ("circuit", {"part": "variant", "name": "circuit"}, "gap", 1.0),
    ("categories", {"part": "variant", "name": "categories", "T": 200}, "gap", 0.1),
    ("corrected", {"part": "printed", "form": "corrected", "name": "bump"}, "gap", 1e-6),
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


@pytest.mark.parametrize("claim", PRINTED)
def test_printed_forms_fail_and_would_hold_if_they_were_right(claim, smoke):
    _, rows = smoke(STUDY)
    assert verdict(STUDY, claim, rows) == "fails"
    assert verdict(STUDY, claim, rows.with_columns(gap=pl.lit(0.0), value=pl.lit(0.5))) == "holds"
    assert verdict(STUDY, claim, rows.filter(part="none")) == "not enough runs"


def test_every_claim_is_tried():
    assert {claim for claim, *_ in OFF} | set(PRINTED) == {claim.id for claim in STUDY.claims}


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    computed_from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
