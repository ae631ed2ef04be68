import polars as pl
import pytest

from glassware.charts.levels import curves_and_levels
from glassware.foundation.errors import GlasswareError

CURVES = pl.DataFrame(
    {"panel": ["a", "a", "b", "b"], "run": [0, 0, 0, 0], "x": [0, 1, 0, 1], "y": [0.1, 0.2, 0.3, float("nan")]}
)
LEVELS = pl.DataFrame({"panel": ["a", "b", "a"], "kind": ["first", "first", "second"], "level": [1.0, 1.0, 0.9]})
WORDS = {"title": "t", "x_title": "x", "y_title": "y"}


def rows(drawn):
    (found,) = drawn["datasets"].values()
    return found


def test_every_kind_has_a_colour_and_its_own_dashes():
    drawn = curves_and_levels(CURVES, LEVELS, measured="trained", **WORDS).to_dict()
    line, rule = drawn["spec"]["layer"]
    assert line["encoding"]["color"]["scale"]["domain"] == ["trained", "first", "second"]
    dashes = rule["encoding"]["strokeDash"]["scale"]["range"]
    assert dashes[1] == [1, 0]  # the first level is solid
    assert dashes[2] != dashes[1]
    assert [row["level"] for row in rows(drawn) if "level" in row] == [1.0, 1.0, 0.9]


def test_a_point_that_is_no_number_ends_its_line():
    drawn = curves_and_levels(CURVES, LEVELS, **WORDS).to_dict()
    assert [row["y"] for row in rows(drawn) if "y" in row] == [0.1, 0.2, 0.3, None]


def test_nothing_to_draw_is_said():
    with pytest.raises(GlasswareError, match="at least one row"):
        curves_and_levels(CURVES.clear(), LEVELS, **WORDS)
