import numpy as np
import polars as pl
import pytest

import glassware as gw
from glassware.models import ACTIVATIONS, Activation
from glassware.studies.hidden_progress.activations_plot import STUDY, activation, compute
from tests.studies.made import check


@pytest.fixture(scope="module")
def frame():
    return compute("smoke", None)


def test_it_holds(tmp_path):
    report = gw.reproduce(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    assert [j.verdict for j in report.judgements] == ["holds"]
    assert len(report.figures) == 2


def test_one_activation_of_one_size_is_enough_to_fail(frame):
    one = frame.filter(pl.col("what") == "cube")[:1].with_columns(value=1.01e-9)
    finding = check(STUDY, "parity", pl.concat([frame, one]))
    assert finding.verdict == "fails"
    assert finding.measured.value == 1.01e-9
    assert check(STUDY, "parity", frame.filter(pl.col("what") != "cube")).verdict == "not enough runs"


@pytest.mark.parametrize(
    "function",
    [
        lambda z, degree: ACTIVATIONS["zigzag"].function(z, degree) + 1e-7,
        lambda z, degree: ACTIVATIONS["triangle"].function(2 * z - degree, degree),  # as printed: corners at distance 1
        lambda z, degree: 0 * z,
        lambda z, degree: 0 * z + 1,
    ],
)
def test_another_function_is_caught(monkeypatch, function):
    monkeypatch.setitem(ACTIVATIONS, "sinusoid", Activation(function, degree=True))
    assert check(STUDY, "parity", compute("smoke", None)).verdict == "fails"


def test_double_precision():
    z = np.array([0.1, 2.3])
    assert activation("sinusoid", z, 3) == pytest.approx(np.sin(np.pi / 2 * z - np.pi), abs=1e-15)
    assert activation("relu", -z, 3).tolist() == [0.0, 0.0]
