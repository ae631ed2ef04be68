import polars as pl
import pytest

from glassware.charts.unit_histogram import unit_histogram
from tests.charts.made import data, specification

TABLE = pl.DataFrame(
    {
        "value": [0.1, 0.9, 1.0000001, 0.6, float("nan")],
        "kind": ["u", "u", "u", "v", "v"],
        "panel": ["end", "end", "end", "end", "end"],
    }
)


def bars(table):
    chart = unit_histogram(
        table, value="value", kind="kind", panel="panel", title="t", x_title="x", y_title="y", bins=4
    )
    return data(specification(chart), "share")


def test_shares_are_of_all_values_and_rounding_stays_within():
    found = {(bar["kind"], bar["from"]): bar["share"] for bar in bars(TABLE)}
    assert found == pytest.approx({("u", 0.0): 1 / 3, ("u", 0.75): 2 / 3, ("v", 0.5): 1 / 2})


def test_kinds_stand_side_by_side_within_their_bin():
    both = bars(TABLE.with_columns(value=pl.lit(0.3)))
    assert sorted((bar["left"], bar["right"]) for bar in both) == [(0.25, 0.375), (0.375, 0.5)]
    (alone,) = bars(TABLE[:1])
    assert (alone["left"], alone["right"]) == (0.0, 0.25)
