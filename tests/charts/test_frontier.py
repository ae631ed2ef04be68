"""The frontier's figure: measured and inferred cells differ, and the edge is drawn with its interval."""

import json

import polars as pl

from glassware.charts.frontier import frontier_figure

CELLS = pl.DataFrame(
    {
        "m": [10.0, 20.0, None, 10.0, 20.0, None],
        "model.width": [4.0, 4.0, 4.0, 8.0, 8.0, 8.0],
        "known": ["measured", "measured", "inferred", "inferred", "measured", "unknown"],
        "successes": [0, 3, 0, 0, 4, 0],
        "runs": [4, 4, 0, 0, 4, 0],
        "rate": [0.0, 0.75, 1.0, 0.0, 1.0, None],
    }
)
EDGES = pl.DataFrame(
    {
        "along": ["m", "m", "model.width"],
        "across": ["model.width", "model.width", "m"],
        "at": [4.0, 8.0, None],
        "level": [0.5] * 3,
        "value": [16.0, 15.0, None],
        "low": [12.0, None, None],
        "high": [19.0, 18.0, 4.0],
        "state": ["found", "budget spent", "inferred below the range"],
    }
)


def test_cells_edges_and_what_is_said():
    rows = pl.DataFrame({"n": [20], "k": [3], "init": ["dense"], "m": [10], "width": [4], "spec": ["{}"]})
    spec = json.loads(frontier_figure(EDGES, CELLS, rows, ("m", "model.width")).to_json())
    data = list(spec["datasets"].values())
    drawn = next(values for values in data if "known" in values[0])
    assert [(cell["x_label"], cell["runs"]) for cell in drawn[:3]] == [
        ("10", "0 of 4"),
        ("20", "3 of 4"),
        ("online", "none trained"),
    ]
    edge = next(values for values in data if "value" in values[0])
    assert [one["value"] for one in edge] == [16, 15]  # what is only known to lie beyond the grid is not drawn
    assert edge[1]["low"] == min(cell["left"] for cell in drawn)  # an open end runs to the edge of the picture
    assert "n = 20, k = 3, dense" in spec["title"]["text"]
    assert {layer["mark"].get("fillOpacity") for layer in spec["layer"]} >= {None, 0.32}
