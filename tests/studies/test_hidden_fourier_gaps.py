import numpy as np
import polars as pl
import pytest

from glassware import api
from glassware.studies.hidden_progress.fourier_gaps import STUDY, compute, sinusoid_gradient, threshold_gradient
from glassware.theory.gradients import population_gradient
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
    report = api.run(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    assert len(report.frame) == 5 * 40
    assert {j.claim: j.verdict for j in report.judgements}["sign-majority"] == "holds"
    assert len(report.figures) == 4
    assert compute("smoke", None).equals(report.frame)
