import numpy as np
import polars as pl
import pytest

import glassware as gw
from glassware.studies.hidden_progress.one_step import (
    BATCHES,
    EXACT,
    LARGEST,
    MAIN,
    STUDY,
    executions,
    first_step,
    readout,
)
from glassware.sweeps import Store, sweep
from glassware.theory.hidden_progress.one_step import Network, population_step
from glassware.theory.hidden_progress.one_step_schedule import first_rate
from tests.studies.made import check

ERRORS = {BATCHES[0]: 0.4, BATCHES[1]: 0.1, LARGEST: 0.0, EXACT: 0.0}


def made(relevant=1.0, lead=3.0, off=0.0, hinge=0.01, error=0.0, **errors):
    """Five executions of every case, in rows as they are kept; the last of the main cases is as told."""
    rows = []
    for number, (case, i) in enumerate((case, i) for case in [*MAIN, *ERRORS] for i in range(5)):
        n, k, width, m = case
        told, step = case in MAIN and i == 4, f"{number:020x}"
        cell = {"n": n, "k": k, "width": width}
        if m is not None:  # the row of the first step, whose own error does not count
            rows.append({**cell, "id": step, "m": m, "test_error": 0.5, "test_hinge_loss": 1.0})
        rows.append(
            {
                **cell,
                "id": None if m is None else f"{number + 1000:020x}",
                "start_run": None if m is None else step,
                "relevant_mean": (relevant + 0.001 * i) / (2 * k),
                "relevant_low": lead if told else 3.0,
                "irrelevant_high": 1.0,
                "irrelevant_off": None if m else off if i else 0.0,
                "test_hinge_loss": hinge if told else 0.01,
                "test_error": errors.get(f"at_{m}", ERRORS.get(case, error if told else 0.0)),
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


@pytest.mark.parametrize(
    ("claim", "frame", "verdict"),
    [
        ("relevant", made(), "holds"),
        ("relevant", made(relevant=0.87), "holds"),
        ("relevant", made(relevant=0.849), "too close to call"),
        ("relevant", made(relevant=1.16), "fails"),
        ("relevant", made(relevant=4.0), "fails"),  # the signs it starts from
        ("relevant", made(lead=0.99), "fails"),
        ("irrelevant", made(off=1e-9), "holds"),
        ("irrelevant", made(off=1e-5), "fails"),
        ("error", made(), "holds"),
        ("error", made(error=1e-4), "fails"),
        ("loss", made(hinge=0.05), "holds"),
        ("loss", made(hinge=0.051), "fails"),
        ("batch", made(), "holds"),
        ("batch", made(at_2000000=0.4), "fails"),
        ("batch-sampled", made(), "holds"),
        ("batch-sampled", made(at_100000000=0.1), "fails"),
        ("large-batch", made(), "holds"),
        ("large-batch", made(at_100000000=0.001), "fails"),
    ],
)
def test_claims(claim, frame, verdict):
    assert check(STUDY, claim, frame).verdict == verdict


@pytest.mark.parametrize("column", ["k", "width"])
def test_executions_of_another_size_do_not_count(column):
    bad = made(relevant=2.0, hinge=1.0, error=0.5, **{f"at_{case[-1]}": 0.5 for case in ERRORS})
    frame = pl.concat([made(), bad.with_columns(pl.col(column) + 1)])
    assert {check(STUDY, claim.id, frame).verdict for claim in STUDY.claims} == {"holds"}


def test_missing_cases_are_not_enough():
    nothing = made().filter(pl.col("n") == 15)
    assert {check(STUDY, claim.id, nothing).verdict for claim in STUDY.claims} == {"not enough runs"}
    laptop = made().filter(pl.col("m").fill_null(0) < 10**8)
    assert check(STUDY, "large-batch", laptop).verdict == "not enough runs"


@pytest.mark.parametrize("case", MAIN)
def test_both_main_cases_are_needed(case):
    this = (pl.col("n") == case[0]) & (pl.col("k") == case[1])
    for claim, worse in (("error", {"error": 1e-4}), ("loss", {"hinge": 0.06}), ("relevant", {"lead": 0.9})):
        assert check(STUDY, claim, made().filter(~this)).verdict == "not enough runs"
        assert check(STUDY, claim, pl.concat([made(**worse).filter(this), made().filter(~this)])).verdict == "fails"


@pytest.mark.parametrize(
    ("few", "more", "verdict"),
    [
        ((0.39, 0.4, 0.4, 0.4, 0.41), (0.09, 0.1, 0.1, 0.1, 0.11), "holds"),
        ((0.1, 0.4, 0.4, 0.4, 0.7), (0.3, 0.3, 0.3, 0.3, 0.31), "too close to call"),
        ((0.09, 0.1, 0.1, 0.1, 0.11), (0.39, 0.4, 0.4, 0.4, 0.41), "fails"),
    ],
)
def test_mean_errors_fall_with_the_batch(few, more, verdict):
    frame = made()
    steps = [step for m in (300_000, 2_000_000) for step in frame.filter(pl.col("m") == m)["id"]]
    told = dict(zip(steps, [*few, *more], strict=True))
    frame = frame.with_columns(test_error=pl.col("start_run").replace_strict(told, default=pl.col("test_error")))
    for claim in ("batch", "batch-sampled"):
        finding = check(STUDY, claim, frame)
        assert finding.verdict == verdict
        assert finding.measured.value == pytest.approx(np.mean(few) - np.mean(more))
        rest = frame.filter(pl.col("m").fill_null(0) != 300_000)
        assert check(STUDY, claim, rest).verdict == "not enough runs"


def test_smoke(tmp_path):
    report = gw.reproduce(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    found = executions(report.frame)
    assert found["m"].to_list() == [5000, None]
    assert {j.claim: j.verdict for j in report.judgements}["irrelevant"] == "holds"
    assert found["relevant_mean"].to_list() == pytest.approx([0.25, 0.25], rel=0.2)
    assert found["test_error"].max() == 0
    assert len(report.figures) == 4


# -- the algorithm ----------------------------------------------------------------------------------------------------


def test_two_relevant_coordinates_emerge_from_twenty_thousand_examples(tmp_path):
    stepped = sweep([first_step(31, 2, 64, 20_000, seed) for seed in (100, 101)], tmp_path)
    for row in sweep([readout(row, 4000) for row in stepped.iter_rows(named=True)], tmp_path).iter_rows(named=True):
        assert row["relevant_mean"] == pytest.approx(0.25, rel=0.15)
        assert row["irrelevant_high"] < 0.15 < row["relevant_low"]
        assert row["test_error"] == 0.0
        assert row["test_hinge_loss"] <= 0.05


def test_a_small_first_batch_is_not_enough_for_four(tmp_path):
    stepped = sweep([first_step(31, 4, 128, 20_000, 7)], tmp_path)
    trained = sweep([readout(stepped.row(0, named=True), 1500)], tmp_path)
    assert trained["test_error"][0] > 0.3


def test_a_step_on_a_sample_tends_to_the_exact_step(tmp_path):
    run = first_step(11, 2, 16, 400_000, 3).model_copy(update={"keep": ("first", "final")})
    row = sweep([run], tmp_path).row(0, named=True)
    first, final = (Store(tmp_path).weights(row["id"], step) for step in ("first", "final"))
    network = Network(first["0.w"].T, first["0.b"], first["1.w"][:, 0])
    exact = population_step(network, row["support"])
    near = 5 * first_rate(11, 2) / np.sqrt(2 * 400_000)
    assert np.abs(final["0.w"].T - exact.w).max() < near < np.abs(exact.w).max() / 10
    assert np.abs(final["0.b"] - exact.b).max() < near
    np.testing.assert_array_equal(final["1.w"], first["1.w"])
    deviation = np.sqrt(np.mean((final["0.w"].T - exact.w) ** 2))
    assert deviation == pytest.approx(first_rate(11, 2) * np.sqrt(0.5 / 400_000), rel=0.5)  # 0.75 to 1.31 in forty runs
