"""First gradient steps: each claim on the rows of the study, and on the same rows with one thing off."""

import polars as pl
import pytest

from glassware.studies.induction.first_steps import STUDY
from glassware.studies.induction.first_steps_rows import SPREADS
from tests.studies.judged import verdict
from tests.studies.made import computed_from_end_to_end

PRINTED = [claim.id for claim in STUDY.claims if claim.id.startswith("printed-")]
# For each claim: which row is changed, in which column, to what.
OFF = [
    ("fe1-first-step", {"part": "first", "name": "W", "form": "exact", "j": 2}, "value", 0.08),
    ("fe1-first-step", {"part": "first", "name": "v", "form": "exact", "j": 5}, "value", 0.03),
    ("fe1-draws", {"part": "diagonal", "form": "drawn", "j": 2}, "value", 5.2),
    ("one-step", {"part": "leader", "name": "one step", "t": 20, "eta": 0.3}, "value", 1e-6),
    ("fe2-even", {"part": "diagonal", "form": "exact", "j": 4}, "value", 4.3),
    ("fe2-even", {"part": "diagonal", "form": "exact", "j": 1}, "value", 6.3),
    ("second-leads", {"part": "leader", "name": "two steps", "t": 100, "eta": 0.03}, "value", 1.0),
    ("leader-depends", {"part": "leader", "name": "two steps", "t": 100, "eta": 0.003}, "value", 2.0),
    ("x5-network", {"part": "network", "k": 3}, "value", 1e-6),
    ("x5-sharper", {"part": "network", "k": 2, "c": 30}, "value", 0.5),
    ("x5-readout", {"part": "readout", "k": 3}, "value", 0.4),
    ("x6-nearly", {"part": "bayes", "name": "stationary", "t": 100}, "value", 2.5e-4),
    ("x6-nearly", {"part": "bayes", "name": "stationary", "t": 10}, "value", 0.1),
    ("x6-exactly", {"part": "bayes", "name": "uniform", "t": 50}, "value", 1e-8),
    ("formulas", {"part": "formula", "form": "corrected", "name": "E.45"}, "gap", 1e-8),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "row", "column", "value"), OFF, ids=[f"{one[0]}-{i}" for i, one in enumerate(OFF)])
def test_one_row_that_is_off_is_enough(claim, row, column, value, smoke):
    _, rows = smoke(STUDY)
    assert verdict(STUDY, claim, rows) == "holds"
    here = pl.all_horizontal(*(pl.col(name) == wanted for name, wanted in row.items()))
    assert rows.filter(here).height == 1
    assert (
        verdict(STUDY, claim, rows.with_columns(pl.when(here).then(value).otherwise(column).alias(column))) == "fails"
    )
    assert verdict(STUDY, claim, rows.filter(part="none")) == "not enough runs"


def curriculum(ratio=2.4, power=2, **changes):
    """Rows of a curriculum whose W and v_2 go like epsilon^power and v_4 / v_2 like ratio epsilon^2."""
    made = [
        {"diagonal": e**power, "off": 0.0, "leader": 2.0, "v_1": 0.0, "v_2": e**power, "v_4": ratio * e ** (power + 2)}
        for e in SPREADS
    ]
    made[1] |= changes
    cells = [(e, name, value) for e, one in zip(SPREADS, made, strict=True) for name, value in one.items()]
    return pl.DataFrame(
        [{"part": "curriculum", "spread": spread, "name": name, "value": value} for spread, name, value in cells]
    )


def test_the_curriculum():
    assert verdict(STUDY, "x4-curriculum", curriculum()) == verdict(STUDY, "x4-order", curriculum()) == "holds"
    for made in (curriculum(ratio=3.0), curriculum(leader=1.0), curriculum(off=1e-4)):
        assert verdict(STUDY, "x4-curriculum", made) == "fails"
    assert verdict(STUDY, "x4-order", curriculum(power=1)) == "fails"
    for claim in ("x4-curriculum", "x4-order"):
        assert verdict(STUDY, claim, curriculum().filter(pl.col("spread") > 0.1)) == "not enough runs"


@pytest.mark.parametrize("claim", PRINTED)
def test_printed_forms_fail_and_would_hold_if_they_were_right(claim, smoke):
    _, rows = smoke(STUDY)
    assert verdict(STUDY, claim, rows) == "fails"
    assert verdict(STUDY, claim, rows.with_columns(gap=pl.lit(0.0))) == "holds"


def test_every_claim_is_tried():
    assert {claim for claim, *_ in OFF} | {"x4-curriculum", "x4-order", *PRINTED} == {one.id for one in STUDY.claims}


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    computed_from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
