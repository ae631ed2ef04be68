import polars as pl

from glassware.charts.backend import alt
from glassware.charts.links import links
from glassware.charts.squares import squares
from tests.charts.made import data, specification, texts


def test_links_lead_from_queries_down_to_keys() -> None:
    weights = [(1, 1, 1, 1.0), (1, 2, 1, 0.99), (1, 2, 2, 0.01), (2, 2, 2, 0.7)]
    table = pl.DataFrame(weights, ["layer", "query", "key", "weight"], orient="row").with_columns(panel=pl.lit("end"))
    spec = specification(links(table, ["a", "b"], title="Attention"))
    drawn = [record for record in data(spec, "weight") if "weight" in record]
    assert [(r["query"], r["key"], r["weight"]) for r in drawn] == [(1, 1, 1.0), (2, 1, 0.99), (2, 2, 0.7)]
    assert all(record["top"] > record["bottom"] for record in drawn)
    said = texts(spec)
    assert {"Attention", "end", "input", "layer 1", "layer 2"} <= set(said)
    assert said.count("a") == said.count("b") == 3


def test_squares_have_a_panel_per_row_and_column() -> None:
    cells = [
        {"row": row, "column": column, "y": y, "x": x, "value": float(x == y)}
        for row in ("layer 1", "layer 2")
        for column in ("step 0", "step 9")
        for y in (1, 2)
        for x in range(1, y + 1)
    ]
    scale = alt.Scale(scheme="blues", domain=[0, 1])
    words = {"title": "Maps", "x_title": "key", "y_title": "query", "value_title": "weight"}
    spec = specification(squares(pl.DataFrame(cells), scale=scale, **words))
    assert len(data(spec, "value")) == len(cells)
    assert {"Maps", "layer 1", "layer 2", "step 0", "step 9", "key", "query", "weight"} <= set(texts(spec))
