import numpy as np
import polars as pl
import pytest

import glassware as gw
from glassware.foundation import statistics
from glassware.studies.hidden_progress.fourier_gaps import STUDY, compute, sinusoid_gradient, threshold_gradient
from glassware.theory.hidden_progress.gradients import population_gradient
from tests.studies.made import check

LAWS = ("uniform", "gaussian")
CELLS = [("threshold", "sign"), *((neuron, law) for neuron in ("threshold", "sinusoid") for law in LAWS)]
MAJORITY = {2: 0.1, 4: 0.006}


def made(neuron="threshold", k=2, law="uniform", column="gap", gaps=(1.0,)):
    """A hundred draws per cell, all with majority's gap; those of one cell have these, in units of majority's."""
    found = []
    for a, b in CELLS:
        for size, majority in MAJORITY.items():
            both = {"gap": [majority] * 100, "gap_min": [majority] * 100}
            if (a, size, b) == (neuron, k, law):
                both[column] = [majority * gaps[i * len(gaps) // 100] for i in range(100)]
            found.append(
                pl.DataFrame(both).with_columns(neuron=pl.lit(a), law=pl.lit(b), n=15, k=size, majority=majority)
            )
    return pl.concat(found)


SHARES = [  # claim, parity size, kind of gap, share of draws needed in %, a gap that is enough and one that is not
    ("positive-k2", 2, "gap", 95, 1e-9, 0.0),
    ("positive-k4", 4, "gap", 70, 1e-9, 0.0),
    ("comparable", 2, "gap", 40, 0.5, 0.49),
    ("comparable", 4, "gap", 40, 0.5, 0.49),
    ("all-positive-k2", 2, "gap_min", 95, 1e-9, 0.0),
    ("all-positive-k4", 4, "gap_min", 70, 1e-9, 0.0),
    ("all-comparable", 2, "gap_min", 40, 0.5, 0.49),
    ("all-comparable", 4, "gap_min", 40, 0.5, 0.49),
]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("claim", "k", "column", "least", "enough", "short"), SHARES)
def test_the_share_of_draws_that_is_needed(law, claim, k, column, least, enough, short):
    for good, verdict in ((100, "holds"), (least, "too close to call"), (27, "fails"), (0, "fails")):
        gaps = [enough] * good + [short] * (100 - good)
        finding = check(STUDY, claim, made("threshold", k, law, column, gaps))
        assert finding.verdict == verdict
        assert finding.measured.value == good / 100
    if not enough < 0.5:  # "comparable": large numbers of random sign are not
        coins = check(STUDY, claim, made("threshold", k, law, column, [-20.0, 20.0]))
        assert (coins.verdict, coins.measured.value) == ("too close to call", 0.5)
    other = "gap_min" if column == "gap" else "gap"
    assert check(STUDY, claim, made("threshold", k, law, other, [short])).verdict == "holds"


@pytest.mark.parametrize(("k", "law"), [(2, "uniform"), (4, "gaussian")])
@pytest.mark.parametrize(
    ("gaps", "verdict"),
    [
        ([2.9], "holds"),
        ([0.34], "holds"),
        ([0.01] * 20 + [2.9] * 60 + [100.0] * 20, "holds"),  # medians do not see draws far below or above
        ([2.9, 3.1], "too close to call"),
        ([3.1], "fails"),
        ([0.32], "fails"),
        ([0.0], "fails"),
        ([-1.0], "fails"),
    ],
)
def test_the_median_sinusoid_is_within_a_factor_of_three(monkeypatch, k, law, gaps, verdict):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)
    assert check(STUDY, "sinusoid-comparable", made("sinusoid", k, law, "gap", gaps)).verdict == verdict


@pytest.mark.parametrize("column", ["gap", "gap_min"])
@pytest.mark.parametrize(("off", "verdict"), [(0.99e-6, "holds"), (1.01e-6, "fails"), (-1.01e-6, "fails")])
def test_one_draw_of_sign_weights_may_not_be_off_by_a_millionth(column, off, verdict):
    gaps = [1.0] * 99 + [1.0 + off / MAJORITY[4]]
    assert check(STUDY, "sign-majority", made("threshold", 4, "sign", column, gaps)).verdict == verdict


def test_missing_cells_are_not_enough():
    frame = made().filter(pl.col("neuron") == "nothing")
    assert {check(STUDY, claim.id, frame).verdict for claim in STUDY.claims} == {"not enough runs"}


@pytest.mark.parametrize("k", [2, 4])
def test_a_sinusoid_with_small_weights_has_a_positive_gap_whatever_they_are(k):
    """Why it is no claim: entries are in proportion to cot on the support and to tan off it, below pi/4."""
    w = np.random.default_rng(0).uniform(-1, 1, (500, 15)) * np.pi / 4 * np.sqrt(15)
    gradient = np.abs(sinusoid_gradient(w, k))
    assert (gradient[:, :k].min(axis=1) > gradient[:, k:].max(axis=1)).all()


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
