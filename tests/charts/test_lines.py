import polars as pl
import pytest

from glassware.charts.lines import lines
from glassware.charts.theme import log_axis
from glassware.foundation.errors import GlasswareError
from tests.charts.made import data, marks, specification, texts

TABLE = pl.DataFrame(
    {
        "step": [0, 10, 20] * 4,
        "error": [0.5, 0.2, 0.0] * 4,
        "run": [0] * 3 + [1] * 3 + [0] * 3 + [2] * 3,
        "kind": ["training"] * 6 + ["test"] * 6,
        "panel": ["m = 300"] * 9 + ["m = 50"] * 3,
    }
)


def draw(table=TABLE, **options):
    columns = {"x": "step", "y": "error", "line": "run", "kind": "kind", "panel": "panel"}
    return lines(table, **columns, title="Curves", x_title="step", y_title="error", **options)


@pytest.mark.parametrize("own", [True, False])
def test_a_line_a_run_and_kind_in_panels_as_they_come(own) -> None:
    spec = specification(draw(own_x=own, own_y=own, percent=True, y_domain=(0.0, 0.6)))
    assert [(r["panel"], r["kind"], r["line"], r["y"]) for r in data(spec, "line")] == [
        ("m = 300", "training", "0", [0.5, 0.2, 0.0]),
        ("m = 300", "training", "1", [0.5, 0.2, 0.0]),
        ("m = 300", "test", "0", [0.5, 0.2, 0.0]),
        ("m = 50", "test", "2", [0.5, 0.2, 0.0]),
    ]
    drawn = texts(spec)
    assert [text for text in drawn if text.startswith("m = ")] == ["m = 300", "m = 50"]
    assert {"Curves", "training", "test", "60%"} <= set(drawn)


def test_a_log_axis_leaves_out_what_has_no_place_on_it() -> None:
    spec = specification(draw(log_x=True, log_y=True))
    assert [record["x"] for record in data(spec, "line")] == [[10.0]] * 4
    assert "0.2" in texts(spec)
    with pytest.raises(GlasswareError, match="at least one row"):
        draw(TABLE.filter(pl.col("step") == 0), log_x=True)


def test_one_kind_needs_no_legend() -> None:
    assert "test" not in texts(specification(draw(TABLE.filter(pl.col("kind") == "test"))))


def test_nothing_to_draw_is_one_sentence() -> None:
    with pytest.raises(GlasswareError, match="'step'"):
        draw(pl.DataFrame())


def test_a_line_of_one_point_is_a_dot() -> None:
    lone = TABLE.filter((pl.col("step") == 10) | (pl.col("panel") == "m = 50"))
    assert len(marks(specification(draw(lone)), "point")) == 3
    assert not marks(specification(draw()), "point")
    drawn = texts(specification(draw(TABLE.filter(pl.col("step") == 10), log_x=True, own_x=False)))
    assert [text for text in drawn if text in ("10", "9", "8")] == ["10"] * 2  # one tick a panel


def test_panels_share_a_log_axis_where_one_of_them_has_a_single_value() -> None:
    two = TABLE.filter(pl.col("step") > 0)
    lone = two.filter((pl.col("step") == 10) | (pl.col("panel") == "m = 50"))
    own = [draw(lone), draw(two, log_x=True)]  # a linear axis has no such trouble
    assert all(one.to_dict()["resolve"]["scale"]["x"] == "independent" for one in own)
    assert "resolve" not in draw(lone, log_x=True).to_dict()


@pytest.mark.parametrize(("low", "high"), [(0.1706, 0.2468), (1000, 1100), (3, 7), (10, 10_000)])
def test_a_log_axis_has_two_ticks_within_its_range(low, high):
    values = log_axis(low, high).values
    assert len([value for value in values if low <= value <= high]) >= 2


def test_one_value_is_one_tick():
    assert log_axis(15, 15).values == [15]
