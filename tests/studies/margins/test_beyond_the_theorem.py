"""Groups outside Theorem 7.9: claims on computed rows, and on trained runs of our choice."""

import math

import polars as pl
import pytest

from glassware.studies.margins.beyond_rows import SCHEMA
from glassware.studies.margins.beyond_the_theorem import STUDY
from tests.studies.judged import verdict

TRAINED = ("no-5d", "objective", "one-irrep", "counts-mislead")
# For each claim: which row is changed, in which column, to what.
OFF = [
    ("hypothesis", {"part": "group", "group": "S_5"}, "hypothesis", 0.1),
    ("hypothesis", {"part": "group", "group": "S_6"}, "hypothesis", -0.1),
    ("families", {"part": "group", "group": "D_7"}, "hypothesis", 0.1),
    ("families", {"part": "group", "group": "D_8"}, "sum", 20.0),
    ("formula", {"part": "group", "group": "S_3 x S_3"}, "lp", 0.0011132),
    ("excess", {"part": "group", "group": "S_6"}, "lp", 7.2e-6),
    ("excess", {"part": "group", "group": "D_4 x D_4"}, "lp", 5e-4),
    ("subset", {"part": "group", "group": "A_5"}, "used", 4),
    ("subset", {"part": "class"}, "low", 1.0),
    ("network", {"part": "network"}, "high", 1.01),
    ("kappa", {"part": "kappa", "form": "corrected"}, "size", 2),
    ("kappa", {"part": "kappa", "form": "corrected"}, "value", 0.99),
    ("ascent", {"part": "ascent", "group": "S_4", "start": 3}, "value", 0.95),
    ("local-optimum", {"part": "ascent", "group": "A_5"}, "value", 1.0),
    ("local-optimum", {"part": "ascent", "group": "A_5", "start": 3}, "value", 0.97),
]


@pytest.fixture
def rows(smoke):
    """Rows of smoke scale, with S_7, which that leaves out."""
    computed = smoke(STUDY)[1].filter(pl.col("part").is_not_null())
    seven = computed.filter(group="S_6", part="group").with_columns(group=pl.lit("S_7"))
    return pl.concat([computed, seven])


@pytest.mark.parametrize(
    ("claim", "row", "column", "value"), OFF, ids=[f"{claim}-{column}" for claim, _, column, _ in OFF]
)
def test_one_row_that_is_off_is_enough(claim, row, column, value, rows):
    assert verdict(STUDY, claim, rows) == "holds"
    here = pl.all_horizontal(*(pl.col(name) == wanted for name, wanted in row.items()))
    changed = rows.with_columns(pl.when(here).then(pl.lit(value)).otherwise(column).alias(column))
    assert not changed.equals(rows)
    assert verdict(STUDY, claim, changed) == "fails"
    assert verdict(STUDY, claim, rows.filter(part="none")) == "not enough runs"


def test_the_printed_system_and_its_exclusive_margin_fail(rows):
    assert verdict(STUDY, "printed-total", rows) == verdict(STUDY, "printed-exclusive", rows) == "fails"
    right = rows.with_columns(value=pl.lit(1.0), totals=pl.lit([0.2, 0.8]))
    assert verdict(STUDY, "printed-total", right) == "holds"
    untied = rows.with_columns(low=pl.when(pl.col("label") == "6").then(1.1).otherwise("low"))
    assert verdict(STUDY, "printed-exclusive", untied) == "holds"


def lane(seed=0, big=0.02, loss=0.0233, norm=17502.0, irreps=(4.0, 4.0, 3.0), w=None):
    """A trained run whose last point and neurons are these."""
    return {
        "model": "group-net", "seed": seed, "curve_mass": [[0.0, 0.1, 0.1, 0.0, 0.8], [0.0, 0.4, 0.4, 0.2 - big, big]],
        "curve_test_cross_entropy": [4.0, loss], "curve_norm_power": [70.0, norm], "neuron_size": [5.0, 4.0, 0.01],
        "irrep_u": list(irreps), "irrep_v": list(irreps), "irrep_w": list(irreps if w is None else w),
    }  # fmt: skip


def judged(claim, rows, *lanes):
    return verdict(STUDY, claim, pl.concat([rows, pl.DataFrame(list(lanes))], how="diagonal_relaxed"))


@pytest.mark.parametrize(
    ("claim", "bad"),
    [
        ("no-5d", lane(big=0.06)),
        ("no-5d", lane(big=math.nan)),  # it diverged
        ("objective", lane(loss=0.0433)),
        ("objective", lane(norm=15000.0)),
        ("objective", lane(loss=math.nan)),
        ("one-irrep", lane(w=(4.0, 3.0, 3.0))),
        ("counts-mislead", lane(irreps=(3.0, 4.0, 3.0))),
        ("counts-mislead", lane(big=0.8)),  # as before training
    ],
)
def test_each_run_must_meet_a_claim_about_training(claim, bad, rows):
    good = [lane(0), lane(1), lane(2)]
    assert judged(claim, rows, *good) == "holds"
    assert judged(claim, rows, *good[:2], bad) == "fails"
    assert judged(claim, rows, *good[:2]) == "not enough runs"


def test_neurons_that_are_dead_may_be_anywhere(rows):
    strays = [lane(seed, w=(4.0, 4.0, 1.0)) for seed in range(3)]
    assert judged("one-irrep", rows, *strays) == "holds"


def test_every_claim_is_tried():
    tried = {claim for claim, *_ in OFF} | {*TRAINED, "printed-total", "printed-exclusive"}
    assert tried == {claim.id for claim in STUDY.claims}


def test_computed_columns_are_none_that_runs_fill_with_lists():
    """A store of many studies has runs with such lists, and one table must hold them and these rows."""
    lists = {"neurons", "widths", "layer_rates", "metrics", "keep", "support", "start_leaves", "init_neurons"}
    assert not lists & set(SCHEMA)
