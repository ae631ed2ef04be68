"""Thresholds against sizes: every interval is drawn, open ends as such."""

import json

import polars as pl

from glassware.charts.thresholds import shares, thresholds

WORDS = {"title": "Needed", "x_title": "bits", "y_title": "examples"}
POINTS = pl.DataFrame(
    {
        "kind": ["a", "a", "b"],
        "x": [25.0, 50.0, 25.0],
        "y": [40.0, None, 80.0],
        "low": [30.0, None, 60.0],
        "high": [50.0, 45.0, None],
    }
)
LAW = pl.DataFrame({"kind": ["a", "a"], "x": [25.0, 50.0], "y": [40.0, 1e6]})


def values(chart):
    (found,) = json.loads(chart.to_json())["datasets"].values()
    return found


def test_open_ends_run_to_the_edge_and_have_an_arrow():
    found = {(row["kind"], row["x"]): row for row in values(thresholds(POINTS, LAW, **WORDS)) if not row["line"]}
    assert found["a", 25]["open"] is None is found["a", 25]["open_below"]
    assert found["a", 50]["from"] == found["a", 50]["open_below"] < 30
    assert found["b", 25]["to"] == found["b", 25]["open"] > 80


def test_a_law_is_drawn_within_the_picture():
    assert [row["x"] for row in values(thresholds(POINTS, LAW, **WORDS)) if row["line"]] == [25.0]
    assert [row for row in values(thresholds(POINTS, LAW.clear(), **WORDS)) if row["line"]] == []


def test_shares_have_a_dot_per_cell_and_a_line_per_kind():
    cells = pl.DataFrame({"kind": ["a", "a"], "x": [10.0, 20.0], "share": [0.2, 0.9], "trials": [4, 12]})
    found = values(shares(cells, cells.drop("trials"), **WORDS))
    assert [row["line"] for row in found] == [False, False, True, True]
