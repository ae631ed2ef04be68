"""Lines of theory over a success heat map."""

import polars as pl
import pytest

from glassware.charts import success_heat_map
from glassware.charts.grid import make_grid
from glassware.charts.overlay import overlay_records
from tests.charts.made import data, frontier, specification, texts


def lines(**more):
    return pl.DataFrame(
        [{"init": "sparse", "m": None, "width": None, "label": "a line", **more}],
        schema={"init": pl.String, "m": pl.Float64, "width": pl.Float64, "label": pl.String},
    )


@pytest.fixture
def grid():
    return make_grid(frontier(), None, "init")


def places(grid, **more):
    (record,) = overlay_records(grid, lines(**more))
    return record


def test_a_width_lies_across_its_panel_in_the_middle_of_its_row(grid):
    widths = sorted(set(frontier()["width"]))
    row = grid.height / len(widths)
    for i, width in enumerate(widths):
        record = places(grid, width=float(width))
        assert record["from_y"] == record["to_y"] == pytest.approx(grid.height - (i + 0.5) * row)
        assert (record["from_x"], record["to_x"]) == (0.0, grid.width)
    low, high = widths[:2]
    between = places(grid, width=(low * high) ** 0.5)["from_y"]
    assert between == pytest.approx(grid.height - row)  # halfway in the logarithm: the edge of both rows


def test_a_sample_size_stands_upright_and_beyond_the_cells_at_their_edge(grid):
    sizes = sorted(m for m in set(frontier()["m"]) if m is not None)
    record = places(grid, m=float(sizes[0]))
    assert record["from_x"] == record["to_x"] == pytest.approx(0.5 * grid.side)
    assert places(grid, m=1.0)["from_x"] == 0
    assert places(grid, m=1e12)["from_x"] == pytest.approx(grid.side * len(sizes))  # before the online column
    assert places(grid, width=1e12)["from_y"] == 0
    assert places(grid, width=1e-3)["from_y"] == grid.height


def test_a_line_stands_in_its_own_panel_only(grid):
    assert places(grid, width=10.0)["column"] in grid.columns
    assert overlay_records(grid, lines(init="nowhere", width=10.0)) == []


def test_the_figure_shows_them_without_losing_cells():
    plain = specification(success_heat_map(frontier(), title="", overlay=lines().clear()))
    drawn = specification(success_heat_map(frontier(), title="", overlay=lines(width=20.0)))
    cells = [record for record in data(drawn, "cell") if record.get("cell") is not None]
    assert len(cells) == len(frontier().select("init", "m", "width").unique())
    assert [record["line"] for record in data(drawn, "line") if record.get("line")] == ["a line"]
    assert "a line" not in str(plain)
    assert "a line" in texts(drawn)  # in the legend
