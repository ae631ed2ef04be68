import math

import polars as pl
import pytest

from glassware.charts.boxes import boxes
from glassware.foundation.errors import GlasswareError
from tests.charts.made import specification, texts

TABLE = pl.DataFrame(
    {
        "width": [100] * 4 + [10] * 4,
        "t": [100.0, 200.0, 300.0, 400.0, 1000.0, 2000.0, 3000.0, math.inf],
        "rule": ["no error"] * 8,
        "panel": ["n = 30"] * 8,
    }
)


def draw(table=TABLE, **options):
    columns = {"x": "width", "y": "t", "kind": "rule", "panel": "panel"}
    return boxes(table, **columns, title="Width", x_title="width", y_title="steps", **options)


def test_boxes_in_order_with_the_share_that_converges() -> None:
    drawn = texts(specification(draw()))
    assert drawn.index("10") < drawn.index("100")
    assert "75%" in drawn
    assert "100%" not in drawn  # nothing stands above a box without failures
    assert {"Width", "width", "steps", "n = 30"} <= set(drawn)


def test_a_baseline_stretches_the_axis() -> None:
    spec = specification(draw(baseline=[(1, 5000.0), (10, 500.0), (100, 5.0)]))
    dashed = [rows for rows in spec["datasets"].values() if rows and set(rows[0]) == {"x", "y"}]
    assert [[(row["x"], row["y"]) for row in rows] for rows in dashed] == [[("10", 500.0), ("100", 5.0)]]
    assert {"5", "2k"} <= set(texts(spec))


def test_nothing_but_failures_is_one_sentence() -> None:
    with pytest.raises(GlasswareError, match="at least one row"):
        draw(TABLE.filter(pl.col("t") == math.inf))
