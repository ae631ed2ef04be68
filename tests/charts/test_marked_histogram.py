import polars as pl
import pytest

from glassware.charts import save, specification
from glassware.charts.marked_histogram import marked_histogram
from glassware.foundation.errors import GlasswareError

TABLE = pl.DataFrame(
    {
        "value": [0.0, 1.0, 1.0, 2.0, 5.0, 5.0],
        "kind": ["a", "a", "b", "b", "a", "b"],
        "panel": ["one"] * 4 + ["two"] * 2,
        "mark": [4.0] * 4 + [-1.0] * 2,
    }
)
WORDS = {"title": "Values", "x_title": "value", "mark_title": "marked"}
COLUMNS = {"value": "value", "kind": "kind", "panel": "panel", "mark": "mark"}


def values():
    (records,) = specification(marked_histogram(TABLE, **COLUMNS, **WORDS, bins=4))["datasets"].values()
    return records


def test_shares_add_up_to_one_in_every_panel_and_kind():
    records = values()
    for panel in ("one", "two"):
        for kind in ("a", "b"):
            bars = [r for r in records if r["panel"] == panel and r.get("kind") == kind]
            assert sum(bar["share"] for bar in bars) == pytest.approx(1.0)
            assert all(bar["from"] < bar["to"] for bar in bars)


def test_bins_reach_from_zero_to_the_mark():
    records = values()
    assert [r["mark"] for r in records if "mark" in r] == [4.0, -1.0]
    # Panel one: 0 to 4 in four bins; the value 2.0 lies in [2, 3).
    assert any((r["from"], r["to"], r["share"]) == (2.0, 3.0, 0.5) for r in records if r.get("kind") == "b")


def test_it_is_drawn(tmp_path):
    png, page = save(marked_histogram(TABLE, **COLUMNS, **WORDS), tmp_path, "values")
    assert png.stat().st_size > 10_000
    assert "marked" in page.read_text()


def test_a_missing_column_is_a_sentence():
    with pytest.raises(GlasswareError, match="needs the column 'mark'"):
        marked_histogram(TABLE.drop("mark"), **COLUMNS, **WORDS)
