import polars as pl
import pytest

from glassware.charts.bands import bands_and_levels
from glassware.foundation.errors import GlasswareError
from tests.charts.made import data, marks, specification, texts

BANDS = pl.DataFrame(
    {
        "panel": ["b", "b", "a", "a"],
        "x": [0, 10] * 2,
        "mean": [0.2, 0.3, 0.5, 0.6],
        "low": [0.1, 0.2, 0.4, float("nan")],
        "high": [0.3, 0.4, 0.6, float("nan")],
    }
)
LEVELS = pl.DataFrame({"panel": ["b", "a", "a"], "kind": ["best", "best", "largest"], "level": [0.25, 0.55, 0.7]})
WORDS = {"title": "Masses", "x_title": "step", "y_title": "share", "measured": "mean of 3 seeds"}


def test_means_bands_and_levels_in_panels_as_they_come():
    spec = specification(bands_and_levels(BANDS, LEVELS, **WORDS))
    records = data(spec, "mean")
    means = [(r["panel"], r["mean"], r["low"]) for r in records if "mean" in r]
    assert means == [("b", 0.2, 0.1), ("b", 0.3, 0.2), ("a", 0.5, 0.4), ("a", 0.6, None)]
    assert [(r["panel"], r["kind"], r["level"]) for r in records if "level" in r] == [*LEVELS.iter_rows()]
    assert len(marks(spec, "rule mark")) == 3
    assert {"Masses", "mean of 3 seeds", "best", "largest"} <= set(texts(spec))


def test_nothing_to_draw_is_one_sentence():
    with pytest.raises(GlasswareError, match="'panel'"):
        bands_and_levels(pl.DataFrame(), LEVELS, **WORDS)
