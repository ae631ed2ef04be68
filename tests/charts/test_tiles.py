"""Text on tiles is white where the tile itself is dark, whatever the scale."""

import altair as alt
import polars as pl
import pytest
import vl_convert

from glassware.charts.tiles import tiles
from tests.charts.made import specification

NAMES = {"title": "", "x_title": "", "y_title": "", "value_title": ""}


@pytest.mark.parametrize(("scheme", "pale", "dark"), [("viridis", 8.0, 6.0), ("blues", 6.0, 8.0)])
def test_text_can_be_read_on_every_tile(scheme, pale, dark):
    values = {"pale": pale, "middle": 7.0, "dark": dark, "none": None}
    table = pl.DataFrame(
        [{"panel": "p", "row": "r", "column": name, "value": v, "text": name} for name, v in values.items()]
    )
    svg = vl_convert.vegalite_to_svg(specification(tiles(table, scale=alt.Scale(scheme=scheme), **NAMES)))
    drawn = {name: svg.rindex(f">{name}</text>") for name in values}  # the last one: the first names the column
    fills = {name: svg[: drawn[name]].rpartition("<text")[2].partition('fill="')[2].partition('"')[0] for name in drawn}
    assert fills["dark"] == "white"
    assert fills["pale"] == fills["none"] != "white"
