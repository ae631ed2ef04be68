"""Power laws, histograms and tiles."""

import altair as alt
import polars as pl
import pytest

from glassware.charts.histogram import histogram
from glassware.charts.power_law import power_laws
from glassware.charts.tiles import tiles
from glassware.foundation.errors import GlasswareError
from tests.charts.made import data, marks, specification, texts


def runs(alpha: float, k: int, failing: int = 0) -> pl.DataFrame:
    """Three runs a size on the law 3 n^alpha; at the last size the first ``failing`` of them fail."""
    rows = [
        {"net": "(ii)", "n": n, "k": k, "steps_to_success": None if n == 40 and i < failing else round(3 * n**alpha)}
        for n in (10, 20, 40)
        for i in range(3)
    ]
    table = pl.DataFrame(rows, schema_overrides={"steps_to_success": pl.Int64})
    return table.with_columns(pl.col("steps_to_success").is_not_null().alias("success"))


def test_medians_and_the_exponent_that_fits_them() -> None:
    frame = pl.concat([runs(2.0, 2), runs(3.0, 3)])
    spec = specification(power_laws(frame, x="n", colour="k", panel="net", title="Times"))
    drawn = texts(spec)
    assert {"Times", "(ii)", "2.00", "3.00"} <= set(drawn)
    fitted = [record for record in data(spec, "x") if record.get("alpha")]
    assert len(fitted) == 4
    assert {round(record["alpha"], 2) for record in fitted} == {2.0, 3.0}


def test_a_line_ends_where_most_runs_fail() -> None:
    spec = specification(power_laws(runs(2.0, 2, failing=2), x="n", colour="k", panel="net", title=""))
    assert [record["x"] for record in data(spec, "x") if "counts" in record] == [10, 20]


BARS = pl.DataFrame(
    {"panel": ["a", "a", "b"], "left": [0.0, 5.0, 0.0], "right": [5.0, 10.0, 5.0], "share": [0.2, 0.8, 1]}
)
LAWS = pl.DataFrame({"panel": ["a", "b"], "kind": ["luck", "luck"], "x": [2.5, 2.5], "share": [0.5, 0.5]})


def test_bars_stand_on_zero_with_laws_over_them() -> None:
    spec = specification(histogram(BARS, LAWS, title="Times", x_title="steps", y_title="share of runs"))
    assert {"Times", "a", "b", "luck", "steps"} <= set(texts(spec))
    assert len(marks(spec, "bar")) == 3
    with pytest.raises(GlasswareError, match="'share'"):
        histogram(BARS.drop("share"), LAWS, title="", x_title="", y_title="")


TILES = pl.DataFrame(
    {
        "panel": ["k = 2", "k = 2", "k = 3"],
        "row": ["(ii)", "(i)", "(ii)"],
        "column": ["4", "32", "4"],
        "value": [1.0, None, 0.5],
        "text": ["30 | 40", "never", "7 | 8"],
    }
)


def test_a_tile_a_row_with_its_text() -> None:
    spec = specification(
        tiles(TILES, scale=alt.Scale(domain=[0, 1]), title="Table", x_title="B", y_title="setting", value_title="share")
    )
    drawn = texts(spec)
    assert {"Table", "30 | 40", "never", "7 | 8", "k = 2", "k = 3"} <= set(drawn)
    assert [text for text in drawn if text in ("(i)", "(ii)")][:2] == ["(ii)", "(i)"]
    assert len(data(spec, "row")) == 3
