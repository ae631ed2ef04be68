import math

import polars as pl
import pytest

from glassware.charts import dots
from glassware.foundation.errors import GlasswareError
from tests.charts.made import data, marks, specification, texts

TABLE = pl.DataFrame(
    {
        "net": ["net 2", "net 2", "net 1", "net 1"],
        "kind": ["rewound", "random"] * 2,
        "rate": [1.0, 0.2, 0.9, math.nan],
        "low": [0.8, 0.1, None, 0.0],
        "high": [1.0, 0.4, 0.95, math.inf],
    }
)


def test_dots_with_bars_side_by_side_in_the_order_of_the_table() -> None:
    chart = dots(
        TABLE, x="net", y="rate", low="low", high="high", colour="kind", title="Tickets", x_title="net", y_title="rate"
    )
    spec = specification(chart)
    drawn = texts(spec)
    assert [text for text in drawn if text.startswith("net ")] == ["net 2", "net 1"]
    assert {"Tickets", "rewound", "random"} <= set(drawn)
    assert len(marks(spec, "point")) == 3
    numbers = [(row["y"], row["low"], row["high"]) for row in data(spec, "y")]
    assert numbers == [(1.0, 0.8, 1.0), (0.2, 0.1, 0.4), (0.9, None, 0.95), (None, 0.0, None)]


def test_numbers_along_the_axis_increase() -> None:
    table = pl.DataFrame({"m": [1000, 300], "error": [0.1, 0.4], "low": [0.0, 0.3], "high": [0.2, 0.5]})
    chart = dots(table, x="m", y="error", low="low", high="high", title="", x_title="m", y_title="test error")
    drawn = texts(specification(chart))
    assert [text for text in drawn if text in ("300", "1k")] == ["300", "1k"]


def test_a_missing_column_is_one_sentence() -> None:
    with pytest.raises(GlasswareError, match="'top'"):
        dots(TABLE, x="net", y="rate", low="low", high="top", title="", x_title="", y_title="")


@pytest.mark.parametrize(
    ("names", "angle"), [(["net 1", "net 2"], 0), (["HistGradientBoosting", "MLPClassifier"] * 4, -30)]
)
def test_long_labels_do_not_run_into_one_another(names, angle) -> None:
    names = [f"{name}{' ' * i}" for i, name in enumerate(names)]
    table = pl.DataFrame({"method": names, "error": 0.1, "low": 0.0, "high": 0.2})
    chart = dots(table, x="method", y="error", low="low", high="high", title="", x_title="", y_title="")
    assert chart.to_dict()["layer"][0]["encoding"]["x"]["axis"]["labelAngle"] == angle
