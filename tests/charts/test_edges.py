"""Edges of several arms: each interval is drawn, open ends as such, one panel per size of the problem."""

import json

import polars as pl

from glassware.charts.edges import edges_figure

TABLE = pl.DataFrame(
    {
        "panel": ["n = 30", "n = 30", "n = 30", "n = 30", "n = 50"],
        "arm": ["plain", "heavy", "plain", "heavy", "plain"],
        "kind": ["m50", "m50", "r50", "m50", "m50"],
        "at": [10.0, 10.0, 700.0, 100.0, 10.0],
        "value": [760.0, 800.0, 17.0, None, 1500.0],
        "low": [670.0, 700.0, 14.0, 4000.0, 1400.0],
        "high": [860.0, 900.0, 20.0, None, 1700.0],
    }
)


def test_a_panel_per_size_and_an_arrow_per_open_end():
    figure = json.loads(edges_figure(TABLE, title="Edges").to_json())
    assert [panel["title"] for panel in figure["hconcat"]] == ["n = 30", "n = 50"]
    rows = {(r["panel"], r["arm"], r["kind"], r["at"]): r for data in figure["datasets"].values() for r in data}
    assert len(rows) == len(TABLE)
    lost = rows["n = 30", "heavy", "m50", 100]
    assert lost["to"] == lost["open_to"] > 4000
    assert lost["open_from"] is None is lost["value"]
    assert rows["n = 30", "plain", "r50", 700]["aside"] == 700
    assert rows["n = 30", "plain", "m50", 10]["aside"] < 10 < rows["n = 30", "heavy", "m50", 10]["aside"]


def test_one_panel_needs_no_title_of_its_own():
    assert "title" not in json.loads(edges_figure(TABLE.head(3), title="Edges").to_json())["layer"][0]
