import numpy as np
import polars as pl
import pytest

import glassware as gw
from glassware.models import ACTIVATIONS, Activation
from glassware.studies.hidden_progress.activations_plot import STUDY, activation, compute, slope
from tests.studies.made import check


@pytest.fixture(scope="module")
def frame():
    return compute("smoke", None)


def test_it_holds(tmp_path):
    report = gw.reproduce(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    assert [j.verdict for j in report.judgements] == ["holds"] * 4
    assert len(report.figures) == 2


@pytest.mark.parametrize(
    ("claim", "what"), [("points", "points"), ("parity", "cube"), ("closed-form", "closed form"), ("slopes", "slope")]
)
def test_claims_can_fail(frame, claim, what):
    assert check(STUDY, claim, frame).holds is True
    wrong = frame.with_columns(value=pl.when(pl.col("what") == what).then(1e-4).otherwise("value"))
    assert check(STUDY, claim, wrong).holds is False
    assert check(STUDY, claim, frame.filter(pl.col("what") != what)).holds is None


@pytest.mark.parametrize(
    ("claim", "what", "most"),
    [
        ("points", "points", 1e-9),
        ("parity", "cube", 1e-9),
        ("closed-form", "closed form", 1e-9),
        ("slopes", "slope", 1e-6),
    ],
)
def test_the_worst_case_may_be_off_by_so_much(frame, claim, what, most):
    for off, held in ((0.99 * most, True), (1.01 * most, False)):
        one = frame.filter(pl.col("what") == what)[:1].with_columns(value=off)
        finding = check(STUDY, claim, pl.concat([frame, one]))
        assert finding.holds is held
        assert finding.measured.value == off


def test_another_function_is_caught(monkeypatch):
    off = Activation(lambda z, degree: ACTIVATIONS["zigzag"].function(z, degree) + 1e-7, degree=True)
    monkeypatch.setitem(ACTIVATIONS, "triangle", off)
    found = compute("smoke", None)
    assert check(STUDY, "points", found).holds is False
    assert check(STUDY, "parity", found).holds is False


def test_double_precision():
    z = np.array([0.1, 2.3])
    assert activation("sinusoid", z, 3) == pytest.approx(np.sin(np.pi / 2 * z - np.pi), abs=1e-15)
    assert slope("power", z, 3) == pytest.approx(3 * z**2, rel=1e-14)
    assert activation("relu", -z, 3).tolist() == [0.0, 0.0]
