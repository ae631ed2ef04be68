import polars as pl
import pytest

from glassware import api
from glassware.studies.hidden_progress.one_step import BATCHES, EXACT, LARGEST, MAIN, STUDY
from tests.studies.made import check

ERRORS = {BATCHES[0]: 0.4, BATCHES[1]: 0.1, LARGEST: 0.0, EXACT: 0.0}


def made(relevant=1.0, off=0.0, hinge=0.01, error=0.0, **errors):
    """Two executions of every case; the second of the main cases is as told."""
    rows = []
    for case in [*MAIN, *ERRORS]:
        n, k, width, batch = case
        for i in range(2):
            told = case in MAIN and i == 1
            rows.append(
                {
                    "n": n,
                    "k": k,
                    "width": width,
                    "batch": batch,
                    "target": 1 / (2 * k),
                    "relevant_mean": (relevant if told else 1.0) / (2 * k),
                    "irrelevant_off": off if i else 0.0,
                    "hinge": hinge if told else 0.01,
                    "error": errors.get(f"at_{batch}", ERRORS.get(case, error if told else 0.0)),
                }
            )
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("claim", "frame", "holds"),
    [
        ("relevant", made(), True),
        ("relevant", made(relevant=0.86), True),
        ("relevant", made(relevant=1.16), False),
        ("irrelevant", made(off=1e-9), True),
        ("irrelevant", made(off=1e-5), False),
        ("error", made(), True),
        ("error", made(error=1e-4), False),
        ("loss", made(), True),
        ("loss", made(hinge=0.06), False),
        ("batch", made(), True),
        ("batch", made(at_2000000=0.4), False),
        ("batch-sampled", made(), True),
        ("batch-sampled", made(at_100000000=0.1), False),
        ("large-batch", made(), True),
        ("large-batch", made(at_100000000=0.001), False),
    ],
)
def test_claims(claim, frame, holds):
    assert check(STUDY, claim, frame).holds is holds


@pytest.mark.parametrize("column", ["k", "width"])
def test_executions_of_another_size_do_not_count(column):
    bad = made(relevant=2.0, hinge=1.0, error=0.5, **{f"at_{case[-1]}": 0.5 for case in ERRORS})
    frame = pl.concat([made(), bad.with_columns(pl.col(column) + 1)])
    assert all(check(STUDY, claim.id, frame).holds for claim in STUDY.claims)


def test_missing_cases_are_not_enough():
    frame = made().filter(pl.col("n") == 15)
    assert all(check(STUDY, claim.id, frame).holds is None for claim in STUDY.claims)
    laptop = made().filter(pl.col("batch").fill_null(0) < 10**8)
    assert check(STUDY, "large-batch", laptop).holds is None


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "worse", "held"),
    [
        ("loss", {"hinge": 0.0499}, True),
        ("loss", {"hinge": 0.0501}, False),
        ("relevant", {"relevant": 0.851}, True),
        ("relevant", {"relevant": 0.849}, False),
        ("relevant", {"relevant": 1.149}, True),
        ("relevant", {"relevant": 1.151}, False),
        ("irrelevant", {"off": 0.99e-6}, True),
        ("irrelevant", {"off": 1.01e-6}, False),
    ],
)
@pytest.mark.parametrize("case", MAIN)
def test_one_execution_is_enough_to_fail(claim, worse, held, case):
    this = (pl.col("n") == case[0]) & (pl.col("k") == case[1])
    if claim == "irrelevant":  # what is judged there are all the exact steps
        this = pl.col("batch").is_null()
    finding = check(STUDY, claim, pl.concat([made(**worse).filter(this), made().filter(~this)]))
    assert finding.holds is held
    (value,) = worse.values()
    assert finding.measured.value == pytest.approx(value)
    main = made().filter(~((pl.col("n") == case[0]) & (pl.col("k") == case[1])))
    assert claim == "irrelevant" or check(STUDY, claim, main).holds is None


@pytest.mark.parametrize(
    ("few", "more", "held"),
    [((0.1, 0.7), (0.3, 0.3), True), ((0.1, 0.5), (0.35, 0.35), False), ((0.3, 0.3), (0.1, 0.5), False)],
)
def test_mean_errors_fall_with_the_batch(few, more, held):
    errors = {300_000: few, 2_000_000: more}
    frame = made()
    told = [
        errors.get(batch, (error, error))[i % 2] for i, (batch, error) in enumerate(frame["batch", "error"].iter_rows())
    ]
    frame = frame.with_columns(error=pl.Series(told))
    for claim in ("batch", "batch-sampled"):
        finding = check(STUDY, claim, frame)
        assert finding.holds is held
        assert finding.measured.value == pytest.approx(sum(few) / 2 - sum(more) / 2)
        assert check(STUDY, claim, frame.filter(pl.col("batch").fill_null(0) != 300_000)).holds is None


@pytest.mark.parametrize("case", MAIN)
def test_both_main_cases_are_needed_for_the_error(case):
    this = (pl.col("n") == case[0]) & (pl.col("k") == case[1])
    assert check(STUDY, "error", made().filter(~this)).holds is None
    assert check(STUDY, "error", pl.concat([made(error=1e-4).filter(this), made().filter(~this)])).holds is False


def test_smoke(tmp_path):
    report = api.run(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    assert len(report.frame) == 2
    assert {j.claim: j.verdict for j in report.judgements}["irrelevant"] == "holds"
    assert report.frame["relevant_mean"].to_list() == pytest.approx([0.25, 0.25], rel=0.2)
    assert len(report.figures) == 4
