import polars as pl
import pytest

import glassware as gw
from glassware.studies.hidden_progress.disjoint_sgd import STUDY, with_sign
from tests.studies.made import check


def theorem(error=0.0, drift=0.2, undershoot=-0.4, late=1.0, share=1.0, schedule="printed"):
    """Ten runs with a positive product a size; a share of them ends with no error, the others as told."""
    rows = []
    for block in (3, 4, 5, 8):
        for i in range(12):
            good, positive = i < 10 * share, i < 10
            rows.append(
                {
                    "part": "theorem",
                    "schedule": schedule,
                    "block": block,
                    "k": 2,
                    "schedule_steps": 1000,
                    "positive": positive,
                    "drift": drift if positive else 9.0,
                    "undershoot": undershoot if positive else 9.0,
                    "first_hit": 10.0 * block ** (3 * late),
                    "final_error": (0.0 if good else error) if positive else 0.5,
                }
            )
    return pl.DataFrame(rows)


def plain(*runs):
    """Plain runs from (relevant weights, whether they learn)."""
    rows = [
        {
            "model": "polynet",
            "n": 6,
            "k": 3,
            "support": [0, 2, 4],
            "success": success,
            "curve_step": [0, 20, 40],
            "curve_test_error": [0.5, 0.44, 0.04 if success else 0.44],
            **{f"curve_weight_0_{2 * i}": [w, 9.0, 9.0] for i, w in enumerate(weights)},
        }
        for weights, success in runs
    ]
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("claim", "frame", "holds"),
    [
        ("learns", theorem(), True),
        ("learns", theorem(error=0.2, share=0.9), True),
        ("learns", theorem(error=0.2, share=0.8), False),
        ("learns", theorem(error=0.1, share=0.5), True),
        ("learns", theorem(schedule="corrected"), None),
        ("learns-corrected", theorem(schedule="corrected"), True),
        ("learns-corrected", theorem(schedule="corrected", error=0.5, share=0.5), False),
        ("drift", theorem(), True),
        ("drift", theorem(drift=0.51), False),
        ("growth", theorem(), True),
        ("growth", theorem(undershoot=0.01), False),
        ("exponent", theorem(late=0.9), True),
        ("exponent", theorem(late=1.1), False),
        ("exponent", theorem().filter(pl.col("block") > 4), None),
        ("plain", plain(((1.0, 1.0, 1.0), True), ((-1.0, -1.0, 1.0), True)), True),
        ("plain", plain(((1.0, 1.0, 1.0), True), ((-1.0, 1.0, 1.0), False)), True),
        ("plain", plain(((1.0, 1.0, 1.0), False), ((1.0, 1.0, 1.0), True)), False),
        ("plain", plain(((-1.0, 1.0, 1.0), True)), None),
    ],
)
def test_claims(claim, frame, holds):
    assert check(STUDY, claim, frame).holds is holds


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "column", "good", "bad"),
    [("drift", "drift", 0.5, 0.501), ("growth", "undershoot", 0.0, 1e-9), ("learns", "final_error", 0.1, 0.101)],
)
def test_one_size_is_enough_to_fail(claim, column, good, bad):
    frame = theorem()
    this = (pl.col("block") == 5) & pl.col("positive")
    run = pl.int_range(pl.len()) == 24  # the first of that block
    for value, held in ((good, True), (bad, False)):
        where = this if claim == "learns" else run
        made = frame.with_columns(pl.when(where).then(value).otherwise(column).alias(column))
        finding = check(STUDY, claim, made)
        assert finding.holds is held
        assert claim == "learns" or finding.measured.value == value


@pytest.mark.parametrize(("share", "held"), [(0.9, True), (0.8, False)])
def test_nine_of_ten_runs_of_every_size(share, held):
    for schedule, claim in (("printed", "learns"), ("corrected", "learns-corrected")):
        bad = theorem(error=0.11, share=share, schedule=schedule).filter(pl.col("block") == 4)
        made = pl.concat([theorem(schedule=schedule).filter(pl.col("block") != 4), bad])
        finding = check(STUDY, claim, made)
        assert finding.holds is held
        assert finding.measured.value == share


@pytest.mark.parametrize(("worse", "held"), [(0, True), (1, False)])
def test_nine_of_ten_runs_are_no_fewer(worse, held):
    shares = [0.9] * 5 if not worse else [0.9] * 4 + [0.8]
    finding = check(STUDY, "learns", pl.concat(theorem(error=0.11, share=share) for share in shares))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(0.9 - 0.02 * worse)


def test_two_degrees_on_one_block_are_two_cases():
    made = pl.concat([theorem(), theorem(error=0.11, share=0.8).with_columns(k=pl.lit(3, pl.Int64))])
    assert check(STUDY, "learns", made).holds is False
    assert check(STUDY, "learns", made).measured.value == 0.8
    assert check(STUDY, "exponent", made.with_columns(first_hit=pl.col("first_hit") * pl.col("k"))).measured.value == (
        pytest.approx(3.0)
    )


def test_three_sizes_give_an_exponent():
    assert check(STUDY, "exponent", theorem(late=0.9).filter(pl.col("block") > 3)).holds is True


def test_plain_runs_beside_others():
    made = plain(((1.0, 1.0, 1.0), True), ((-1.0, 1.0, 1.0), True), ((-1.0, 1.0, 2.0), False))
    other = plain(((1.0, 1.0, 1.0), False)).with_columns(model=pl.lit("mlp"))
    finding = check(STUDY, "plain", pl.concat([made, other]))
    assert finding.holds is True
    assert finding.detail == "1/1; median step of 45% error 20, of 5% 40; negative product 1/2"


@pytest.mark.parametrize(("late", "held"), [(0.998, True), (1.002, False)])
def test_the_exponent_of_the_median_hit(late, held):
    # Of the ten runs of a size four are at once there and four never get there: the median is that of the others.
    place = pl.int_range(pl.len()) % 12
    hit = pl.when(place < 4).then(1.0).when(place > 5).then(None).otherwise("first_hit")
    finding = check(STUDY, "exponent", theorem(late=late).with_columns(first_hit=hit))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(3 * late)
    assert check(STUDY, "exponent", theorem(late=late).with_columns(k=3)).holds is None


def test_missing_parts_are_not_enough():
    assert check(STUDY, "plain", theorem()).holds is None
    for claim in ("learns", "drift", "growth", "exponent"):
        assert check(STUDY, claim, plain(((1.0, 1.0, 1.0), True))).holds is None


def test_the_sign_is_that_of_the_first_weights():
    found = with_sign(plain(((1.0, -1.0, 1.0), True), ((-2.0, -0.1, 1.0), True)))
    assert found["positive"].to_list() == [False, True]
    assert len(with_sign(theorem())) == 0


def test_grids():
    assert len(STUDY.runs("laptop")) == 40
    assert len(STUDY.runs("paper")) == 200
    assert all(run.seed >= 100 and run.batch == 1 for run in STUDY.runs("laptop"))


def test_smoke(tmp_path):
    report = gw.reproduce(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    assert len(report.frame) == 8 + 4
    assert len(with_sign(report.frame)) == 4
    assert check(STUDY, "drift", report.frame).holds is True
    assert check(STUDY, "growth", report.frame).holds is True
    assert len(report.figures) == 4
