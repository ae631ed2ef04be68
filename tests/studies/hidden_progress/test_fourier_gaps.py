import numpy as np
import polars as pl
import pytest

import glassware as gw
from glassware.studies.hidden_progress.fourier_gaps import STUDY, compute, sinusoid_gradient, threshold_gradient
from glassware.theory.hidden_progress.gradients import population_gradient
from tests.studies.made import check

LAWS = ("uniform", "gaussian")
CELLS = [("threshold", "sign"), *((neuron, law) for neuron in ("threshold", "sinusoid") for law in LAWS)]
MAJORITY = {2: 0.1, 4: 0.006}


def made(k2=1.0, k4=1.0, k4_min=1.0, sinusoid=1.0, sign=1.0):
    """Ten draws a cell; a share of them has majority's gap, the others its negative."""
    rows = []
    for neuron, law in [
        ("threshold", "sign"),
        *((a, b) for a in ("threshold", "sinusoid") for b in ("uniform", "gaussian")),
    ]:
        for k, majority in MAJORITY.items():
            share, least = (k2, 1.0) if k == 2 else (k4, k4_min)
            for i in range(10):
                if neuron == "sinusoid":
                    gap = gap_min = sinusoid * majority
                elif law == "sign":
                    gap = gap_min = sign * majority
                else:
                    gap, gap_min = (majority if i < 10 * s else -majority for s in (share, least))
                cell = {"neuron": neuron, "law": law, "n": 15, "k": k, "majority": majority}
                rows.append({**cell, "gap": gap, "gap_min": gap_min})
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("claim", "frame", "holds"),
    [
        ("sign-majority", made(), True),
        ("sign-majority", made(sign=1.001), False),
        ("positive-k2", made(), True),
        ("positive-k2", made(k2=0.9), False),
        ("positive-k4", made(k4=0.7), True),
        ("positive-k4", made(k4=0.6), False),
        ("comparable", made(k2=0.4, k4=0.4), True),
        ("comparable", made(k4=0.3), False),
        ("all-positive-k2", made(), True),
        ("all-positive-k4", made(k4_min=0.7), True),
        ("all-positive-k4", made(k4_min=0.2), False),
        ("all-comparable", made(k4_min=0.4), True),
        ("all-comparable", made(k4_min=0.2), False),
        ("sinusoid-positive", made(), True),
        ("sinusoid-positive", made(sinusoid=-1.0), False),
        ("sinusoid-comparable", made(sinusoid=2.9), True),
        ("sinusoid-comparable", made(sinusoid=0.3), False),
    ],
)
def test_claims(claim, frame, holds):
    assert check(STUDY, claim, frame).holds is holds


def test_missing_cells_are_not_enough():
    frame = made().filter(pl.col("neuron") == "nothing")
    assert all(check(STUDY, claim.id, frame).holds is None for claim in STUDY.claims)


def test_the_gradients_are_those_of_the_population():
    w = np.random.default_rng(0).standard_normal((3, 7))
    step = lambda z: (z > 0).astype(float)
    assert np.allclose(threshold_gradient(w, 2), population_gradient(w, 0.0, -np.ones(3), range(2), step)[0])
    wave = lambda z: np.sin(z / np.sqrt(7))
    assert np.allclose(sinusoid_gradient(w, 4), population_gradient(w, 0.0, -np.ones(3), range(4), wave)[0])


def test_large_sizes_are_taken_in_pieces(monkeypatch):
    w = np.random.default_rng(0).standard_normal((5, 6))
    whole = threshold_gradient(w, 2)
    monkeypatch.setattr("glassware.studies.hidden_progress.fourier_gaps.AT_ONCE", 2 * 2**6)
    assert np.array_equal(threshold_gradient(w, 2), whole)


def test_smoke(tmp_path):
    report = gw.reproduce(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    assert len(report.frame) == 5 * 40
    assert {j.claim: j.verdict for j in report.judgements}["sign-majority"] == "holds"
    assert len(report.figures) == 4
    assert compute("smoke", None).equals(report.frame)


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


def hundred(neuron, k, law, column, gaps):
    """A hundred draws a cell, all with majority's gap; those of one cell have these gaps, in units of majority's."""
    found = []
    for a, b in CELLS:
        for size, majority in MAJORITY.items():
            levels = gaps if (a, size, b) == (neuron, k, law) else [1.0] * 100
            both = {"gap": [majority] * 100, "gap_min": [majority] * 100}
            both[column] = [level * majority for level in levels]
            found.append(
                pl.DataFrame(both).with_columns(neuron=pl.lit(a), law=pl.lit(b), n=15, k=size, majority=majority)
            )
    return pl.concat(found)


SHARES = [
    ("positive-k2", "threshold", 2, "gap", 95, 1e-9, 0.0),
    ("positive-k4", "threshold", 4, "gap", 70, 1e-9, 0.0),
    ("comparable", "threshold", 2, "gap", 40, 0.5, 0.49),
    ("comparable", "threshold", 4, "gap", 40, 0.5, 0.49),
    ("all-positive-k2", "threshold", 2, "gap_min", 95, 1e-9, 0.0),
    ("all-positive-k4", "threshold", 4, "gap_min", 70, 1e-9, 0.0),
    ("all-comparable", "threshold", 2, "gap_min", 40, 0.5, 0.49),
    ("all-comparable", "threshold", 4, "gap_min", 40, 0.5, 0.49),
    ("sinusoid-positive", "sinusoid", 2, "gap", 95, 1e-9, 0.0),
    ("sinusoid-positive", "sinusoid", 4, "gap", 95, 1e-9, 0.0),
]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("claim", "neuron", "k", "column", "least", "enough", "short"), SHARES)
def test_the_share_of_draws_that_is_needed(law, claim, neuron, k, column, least, enough, short):
    for good in (least, least - 1):
        finding = check(STUDY, claim, hundred(neuron, k, law, column, [enough] * good + [short] * (100 - good)))
        assert finding.holds is (good == least)
        assert finding.measured.value == good / 100
    other = "gap_min" if column == "gap" else "gap"
    assert check(STUDY, claim, hundred(neuron, k, law, other, [short] * 100)).holds


@pytest.mark.parametrize(("k", "law"), [(2, "uniform"), (4, "gaussian")])
@pytest.mark.parametrize(
    ("level", "held"), [(2.99, True), (3.01, False), (0.334, True), (0.332, False), (0.0, False), (-1.0, False)]
)
def test_the_median_sinusoid_is_within_a_factor_of_three(k, law, level, held):
    for extreme in (0.001, 1000.0):  # medians do not see the draws below or above
        finding = check(STUDY, "sinusoid-comparable", hundred("sinusoid", k, law, "gap", [level] * 51 + [extreme] * 49))
        assert finding.holds is held
        assert finding.measured.value == pytest.approx(level)


@pytest.mark.parametrize("column", ["gap", "gap_min"])
@pytest.mark.parametrize(("off", "held"), [(0.99e-6, True), (-0.99e-6, True), (1.01e-6, False), (-1.01e-6, False)])
def test_one_draw_of_sign_weights_may_not_be_off_by_a_millionth(column, off, held):
    gaps = [1.0] * 99 + [1.0 + off / MAJORITY[4]]
    assert check(STUDY, "sign-majority", hundred("threshold", 4, "sign", column, gaps)).holds is held
