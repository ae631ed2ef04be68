import polars as pl
import pytest

from glassware.studies.gain import success_gain

CHECK = success_gain({"width": 30}, {"width": 2}, 0.3)


def rows(wide, narrow, of=20):
    runs = [(30, i < wide) for i in range(of)] + [(2, i < narrow) for i in range(of)]
    return pl.DataFrame(runs, schema=["width", "success"], orient="row")


@pytest.mark.parametrize(
    ("wide", "narrow", "verdict"),
    [(20, 2, "holds"), (12, 4, "too close to call"), (10, 10, "fails"), (2, 20, "fails")],
)
def test_the_whole_interval_decides(wide, narrow, verdict):
    finding = CHECK(rows(wide, narrow))
    assert finding.verdict == verdict
    assert finding.measured.value == (wide - narrow) / 20
    assert finding.detail == f"{wide}/20 against {narrow}/20"


@pytest.mark.parametrize("frame", [pl.DataFrame(), rows(20, 0).filter(pl.col("width") == 30)])
def test_a_missing_cell_is_not_enough(frame):
    assert CHECK(frame).verdict == "not enough runs"
