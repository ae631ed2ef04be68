"""Networks of maximum margin: each claim on the rows of the study, and on the same rows with one thing off."""

import polars as pl
import pytest

from glassware.studies.margins.constructions import STUDY
from tests.studies.judged import verdict

PRINTED = [claim.id for claim in STUDY.claims if claim.id.startswith("printed-")]
# For each claim: which row is changed, in which column, to what.
OFF = [
    ("margins", {"part": "network", "task": "S_4"}, "ratio", 1 - 1e-8),
    ("margins", {"part": "network", "task": "Z_7"}, "ratio", 1 + 1e-8),
    ("ties", {"part": "network", "task": "S_4"}, "spread", 1e-8),
    ("ties", {"part": "network", "task": "S_4"}, "labels", 1e-8),
    ("widths", {"part": "network", "task": "(6,3) parity"}, "neurons", 5),
    ("certificates", {"part": "network", "task": "Z_9"}, "certified", False),
    ("other-types", {"part": "network", "task": "Q_8"}, "ratio", 1 - 1e-8),
    ("other-types", {"part": "network", "task": "A_4"}, "certified", False),
    ("two-margins", {"part": "network", "task": "Q_8"}, "gamma", 0.01571966),
    ("one-frequency", {"part": "frequency", "task": "Z_13", "kept": 4}, "accuracy", 0.99),
    ("common-divisor", {"part": "frequency", "task": "Z_9", "kept": 3}, "low", 1e-3),
    ("kept-frequencies", {"part": "kept", "task": "Z_13", "kept": 2}, "ratio", 0.25),
    ("kept-frequencies", {"part": "deleted", "task": "Z_13"}, "ratio", 0.83),
    ("deleted-irreps", {"part": "deleted", "label": "(2,2)"}, "ratio", 0.882),
    ("uncertified", {"part": "deleted", "label": "(2,2)"}, "certified", True),
    ("patterns", {"part": "patterns", "kept": 7}, "ratio", -0.11),
    ("patterns", {"part": "patterns", "kept": 3}, "ratio", 0.1),
    ("memorising", {"part": "memorising", "task": "D_5", "form": "printed"}, "ratio", 1.0),
    ("memorising", {"part": "memorising", "task": "D_5", "form": "balanced"}, "accuracy", 0.99),
    ("memorising", {"part": "memorising", "task": "D_5", "form": "balanced"}, "spread", 1e-6),
    ("memorising-margin", {"part": "memorising", "task": "Z_5", "form": "balanced"}, "ratio", 0.506),
    ("uniform-weights", {"part": "weighting", "form": "uniform over labels", "label": "(3,2)"}, "share", 1.0),
    ("uniform-weights", {"part": "weighting", "form": "uniform over classes", "label": "(1,1,1)"}, "ratio", 1.0),
    ("runners-up", {"part": "weighting", "form": "uniform over classes", "label": "(3,1)"}, "share", 0.7),
    ("tied-characters", {"part": "weighting", "form": "uniform over labels", "task": "D_6"}, "share", 0.9),
    ("character-table", {"part": "table", "label": "6d"}, "gap", 1.0),
    ("lemmas", {"part": "lemma", "form": "corrected", "statement": "Lemma D.11"}, "gap", 1e-8),
]  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "row", "column", "value"), OFF, ids=[f"{claim}-{column}" for claim, _, column, _ in OFF]
)
def test_one_row_that_is_off_is_enough(claim, row, column, value, smoke):
    _, rows = smoke(STUDY)
    assert verdict(STUDY, claim, rows) == "holds"
    here = pl.all_horizontal(*(pl.col(name) == wanted for name, wanted in row.items()))
    assert rows.filter(here).height
    changed = rows.with_columns(pl.when(here).then(pl.lit(value)).otherwise(column).alias(column))
    assert verdict(STUDY, claim, changed) == "fails"
    assert verdict(STUDY, claim, rows.filter(part="none")) == "not enough runs"


def test_every_claim_is_tried():
    assert {claim for claim, *_ in OFF} | set(PRINTED) == {claim.id for claim in STUDY.claims}


@pytest.mark.parametrize("claim", PRINTED)
def test_printed_forms_fail_and_would_hold_if_they_were_right(claim, smoke):
    _, rows = smoke(STUDY)
    assert verdict(STUDY, claim, rows) == "fails"
    right = rows.with_columns(gap=pl.lit(0.0), named_gap=pl.lit(0.0))
    assert verdict(STUDY, claim, right) == "holds"
    assert verdict(STUDY, claim, rows.filter(part="none")) == "not enough runs"


def test_the_two_exchanged_names_of_table_d1_are_found(smoke):
    _, rows = smoke(STUDY)
    wrong = rows.filter(pl.col("part") == "table", pl.col("nearest") != pl.col("meant"))
    assert dict(wrong.select("label", "nearest").iter_rows()) == {"standard": "(2,1,1,1)", "standard x sign": "(4,1)"}
